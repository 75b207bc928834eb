import Domain
import Foundation

/// The administrative outlines. Finds those that contain a point or have a border near it.
struct Outlines: Sendable {
    /// The length of a degree of latitude in metres, on the sphere of equal area. The error is negligible, because the
    /// outlines are accurate only to hundreds of metres.
    static let metresPerDegree = 111_195.0
    static let none: UInt16 = 0xFFFF
    private static let quantum = 10_000.0

    /// An outline that contains a point or has a border near it.
    struct Hit {
        let outline: Int
        var isInside: Bool
        /// The distance in metres to the nearest part of the border; infinite if it exceeds the margin.
        var border: Double

        /// The distance in metres by which the point lies outside; 0 inside.
        var excess: Double { isInside ? 0 : border }
    }

    let outlines: Section
    let parts: Section
    let chunks: Section
    let vertices: Section
    let cells: Section
    let listed: Section

    init(_ file: TableFile) throws(GazetteerError) {
        outlines = try file.section("OUTL", stride: 8)
        parts = try file.section("PART", stride: 28)
        chunks = try file.section("CHNK", stride: 24)
        vertices = try file.section("VERT", stride: 4)
        cells = try file.section("CELL", stride: 4)
        listed = try file.section("CLST", stride: 2)
        guard cells.count == 180 * 360 + 1 else { throw .damaged(path: file.file.path, section: "CELL") }
    }

    func nameOffset(_ outline: Int) -> Int { Int(outlines.integer(outline, as: UInt32.self)) }
    /// Returns the area of an Italian province, otherwise `none`.
    func area(_ outline: Int) -> UInt16 { outlines.integer(outline, at: 4) }
    /// Returns the country, or `none` for disputed land.
    func country(_ outline: Int) -> UInt16 { outlines.integer(outline, at: 6) }

    /// Returns the bounding box of all parts of the selected outlines, or nil if there are none.
    func box(around isMeant: (_ outline: Int) -> Bool) -> BoundingBox? {
        var around: Box?
        for part in 0..<parts.count where isMeant(Int(parts.integer(part, at: 24, as: UInt32.self))) {
            let box = box(parts, part)
            around = around?.union(box) ?? box
        }
        return around?.inDegrees
    }

    /// Returns the bounding box of the part of the selected outlines that is nearest to a point, and of all parts that are
    /// within `gap` degrees of it and of each other. Returns nil if there are none.
    func box(near point: Coordinate, gap: Double, around isMeant: (_ outline: Int) -> Bool) -> BoundingBox? {
        let gap = gap * Self.quantum
        let boxes = (0..<parts.count).filter { isMeant(Int(parts.integer($0, at: 24, as: UInt32.self))) }
            .map { box(parts, $0) }
        let (x, y) = (point.lon * Self.quantum, point.lat * Self.quantum)
        let start = Box(west: x, south: y, east: x, north: y)
        guard var around = boxes.min(by: { $0.distance(to: start) < $1.distance(to: start) }) else { return nil }
        var isGrowing = true
        while isGrowing {
            let wider = boxes.filter { $0.distance(to: around) <= gap }.reduce(around) { $0.union($1) }
            isGrowing = wider != around
            around = wider
        }
        return around.inDegrees
    }

    /// Returns the outlines that contain the point or have a border within `margin` metres of it.
    func hits(at coordinate: Coordinate, margin: Double) -> [Hit] {
        // The outlines end a tenth of a degree before the antimeridian and the South Pole.
        let lon = min(max(coordinate.lon, -179.89), 179.89)
        let lat = max(coordinate.lat, -89.89)
        let cell = min(179, Int(lat + 90)) * 360 + Int(lon + 180)
        let probe = Probe(lon: lon, lat: lat, margin: margin)
        var hits: [Hit] = []
        for entry in Int(cells.integer(cell, as: UInt32.self))..<Int(cells.integer(cell + 1, as: UInt32.self)) {
            let part = Int(listed.integer(entry, as: UInt16.self))
            guard probe.isNear(box(parts, part)) else { continue }
            merge(examine(part, probe), into: &hits)
        }
        return hits
    }

    private func merge(_ hit: Hit, into hits: inout [Hit]) {
        guard hit.isInside || hit.border < .infinity else { return }
        guard let known = hits.firstIndex(where: { $0.outline == hit.outline }) else {
            hits.append(hit)
            return
        }
        hits[known].isInside = hits[known].isInside || hit.isInside
        hits[known].border = min(hits[known].border, hit.border)
    }

    private func examine(_ part: Int, _ probe: Probe) -> Hit {
        let first = Int(parts.integer(part, at: 16, as: UInt32.self))
        let count = Int(parts.integer(part, at: 20, as: UInt32.self))
        var crossings = 0
        var nearest = Double.infinity
        for chunk in first..<first + count {
            let box = box(chunks, chunk)
            let isNear = probe.isNear(box)
            // A ray from the point to the east cannot cross edges that lie entirely above, below or west of it.
            guard isNear || (box.south <= probe.y && box.north >= probe.y && box.east >= probe.x) else { continue }
            if !isNear, box.west > probe.x {
                // For a chunk entirely east of the point, the parity of its crossings depends only on its two ends.
                crossings += endsOnOtherSide(chunk, box, probe) ? 1 : 0
            } else {
                scan(chunk, box, probe, isNear: isNear, &crossings, &nearest)
            }
        }
        let metres = nearest.squareRoot() / Self.quantum * Self.metresPerDegree
        return Hit(
            outline: Int(parts.integer(part, at: 24, as: UInt32.self)),
            isInside: crossings % 2 == 1,
            border: metres <= probe.margin ? metres : .infinity
        )
    }

    private func endsOnOtherSide(_ chunk: Int, _ box: Box, _ probe: Probe) -> Bool {
        let first = Int(chunks.integer(chunk, at: 16, as: UInt32.self))
        let count = Int(chunks.integer(chunk, at: 20, as: UInt32.self))
        return (vertex(first, box).1 > probe.y) != (vertex(first + count - 1, box).1 > probe.y)
    }

    private func scan(
        _ chunk: Int,
        _ box: Box,
        _ probe: Probe,
        isNear: Bool,
        _ crossings: inout Int,
        _ nearest: inout Double
    ) {
        let first = Int(chunks.integer(chunk, at: 16, as: UInt32.self))
        let count = Int(chunks.integer(chunk, at: 20, as: UInt32.self))
        var (x0, y0) = vertex(first, box)
        for index in first + 1..<first + count {
            let (x1, y1) = vertex(index, box)
            if (y0 > probe.y) != (y1 > probe.y), probe.x < x0 + (probe.y - y0) / (y1 - y0) * (x1 - x0) {
                crossings += 1
            }
            if isNear { nearest = min(nearest, probe.squaredDistance(x0, y0, x1, y1)) }
            (x0, y0) = (x1, y1)
        }
    }

    @inline(__always)
    private func vertex(_ index: Int, _ box: Box) -> (Double, Double) {
        let x: UInt16 = vertices.integer(index, at: 0)
        let y: UInt16 = vertices.integer(index, at: 2)
        return (box.west + Double(x), box.south + Double(y))
    }

    @inline(__always)
    private func box(_ section: Section, _ index: Int) -> Box {
        Box(
            west: Double(section.integer(index, at: 0, as: Int32.self)),
            south: Double(section.integer(index, at: 4, as: Int32.self)),
            east: Double(section.integer(index, at: 8, as: Int32.self)),
            north: Double(section.integer(index, at: 12, as: Int32.self))
        )
    }

    private struct Box: Equatable {
        let west: Double
        let south: Double
        let east: Double
        let north: Double

        var inDegrees: BoundingBox? {
            guard let southWest = Coordinate(lon: west / Outlines.quantum, lat: south / Outlines.quantum),
                let northEast = Coordinate(lon: east / Outlines.quantum, lat: north / Outlines.quantum)
            else { return nil }
            return BoundingBox(southWest: southWest, northEast: northEast)
        }

        /// The longer side of the gap between the boxes; 0 if they meet.
        func distance(to other: Box) -> Double {
            max(0, other.west - east, west - other.east, other.south - north, south - other.north)
        }

        func union(_ other: Box) -> Box {
            Box(
                west: min(west, other.west),
                south: min(south, other.south),
                east: max(east, other.east),
                north: max(north, other.north)
            )
        }
    }

    /// The query point in coordinate units of the file, and the margin in metres.
    private struct Probe {
        let x: Double
        let y: Double
        let margin: Double
        private let narrowing: Double
        private let reachX: Double
        private let reachY: Double

        init(lon: Double, lat: Double, margin: Double) {
            x = lon * Outlines.quantum
            y = lat * Outlines.quantum
            self.margin = margin
            narrowing = cos(lat * .pi / 180)
            reachY = margin / Outlines.metresPerDegree * Outlines.quantum
            reachX = reachY / max(narrowing, 1e-3)
        }

        func isNear(_ box: Box) -> Bool {
            x >= box.west - reachX && x <= box.east + reachX && y >= box.south - reachY && y <= box.north + reachY
        }

        /// Returns the squared distance to an edge, in squared units of latitude, on the plane tangent at the point.
        func squaredDistance(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) -> Double {
            let (ax, ay) = ((x0 - x) * narrowing, y0 - y)
            let (dx, dy) = ((x1 - x0) * narrowing, y1 - y0)
            let length = dx * dx + dy * dy
            let along = length > 0 ? max(0, min(1, -(ax * dx + ay * dy) / length)) : 0
            let (px, py) = (ax + along * dx, ay + along * dy)
            return px * px + py * py
        }
    }
}
