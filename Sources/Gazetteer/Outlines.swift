import Foundation

/// Which outline a point lies in, and how surely.
struct Outlines: Sendable {
    struct Hit {
        let outline: UInt32
        /// Metres to the nearest border of the outline.
        let margin: Double
    }

    private let file: GazetteerFile
    private let rings: [GazetteerFile.Ring]
    /// The rings that may hold a point of each band of one degree of latitude, southernmost first.
    private let bands: [[Int32]]

    init(_ file: GazetteerFile) {
        self.file = file
        rings = (0..<file.ringCount).map(file.ring)
        var bands = [[Int32]](repeating: [], count: 180)
        for (index, ring) in rings.enumerated() {
            for band in Self.band(ring.minY)...Self.band(ring.maxY) { bands[band].append(Int32(index)) }
        }
        self.bands = bands
    }

    func find(lon: Double, lat: Double) -> Hit? {
        let (x, y) = (lon * 1e4, lat * 1e4)
        var inside = false
        var current: UInt32?
        for index in bands[Self.band(Int32(y))] {
            let ring = rings[Int(index)]
            if ring.outline != current {
                if inside, let current { return Hit(outline: current, margin: margin(of: current, x, y, lat)) }
                current = ring.outline
                inside = false
            }
            guard x >= Double(ring.minX), x <= Double(ring.maxX), y >= Double(ring.minY), y <= Double(ring.maxY) else {
                continue
            }
            // Holes and islands alike: each ring around the point turns inside into outside.
            if isInside(ring, x, y) { inside.toggle() }
        }
        guard inside, let current else { return nil }
        return Hit(outline: current, margin: margin(of: current, x, y, lat))
    }

    private static func band(_ y: Int32) -> Int {
        min(179, max(0, Int((Double(y) / 1e4).rounded(.down)) + 90))
    }

    private func isInside(_ ring: GazetteerFile.Ring, _ x: Double, _ y: Double) -> Bool {
        var inside = false
        file.forEachEdge(of: ring) { x1, y1, x2, y2 in
            if (y1 > y) != (y2 > y), x < x1 + (x2 - x1) * (y - y1) / (y2 - y1) { inside.toggle() }
        }
        return inside
    }

    /// Flat geometry: only distances of a few kilometres matter.
    private func margin(of outline: UInt32, _ x: Double, _ y: Double, _ lat: Double) -> Double {
        let scale = cos(lat * .pi / 180)
        var least = Double.infinity
        for index in bands[Self.band(Int32(y))] where rings[Int(index)].outline == outline {
            file.forEachEdge(of: rings[Int(index)]) { x1, y1, x2, y2 in
                let (ax, ay, bx, by) = ((x1 - x) * scale, y1 - y, (x2 - x) * scale, y2 - y)
                let (dx, dy) = (bx - ax, by - ay)
                let length = dx * dx + dy * dy
                let along = length == 0 ? 0 : min(1, max(0, -(ax * dx + ay * dy) / length))
                let (px, py) = (ax + along * dx, ay + along * dy)
                least = min(least, px * px + py * py)
            }
        }
        return least.squareRoot() * 11.132  // metres in a ten-thousandth of a degree
    }
}
