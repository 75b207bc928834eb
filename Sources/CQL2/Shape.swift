import CGEOS
import Domain

/// A geometry literal. Heights are ignored.
indirect enum Shape: Equatable, Sendable {
    case point(Coordinate)
    case lineString([Coordinate])
    case polygon([[Coordinate]])
    case multiPoint([Coordinate])
    case multiLineString([[Coordinate]])
    case multiPolygon([[[Coordinate]]])
    case collection([Shape])
    case box(BoundingBox)

    /// Creates the outline of a box: two polygons if it crosses the antimeridian, a line or a point if it has no area.
    private init(outlineOf box: BoundingBox) {
        let (west, east) = (box.southWest.lon, box.northEast.lon)
        let (south, north) = (box.southWest.lat, box.northEast.lat)
        guard west > east else {
            self = Self.box(west, south, east, north)
            return
        }
        let sides = [Self.box(west, south, 180, north), Self.box(-180, south, east, north)]
        if case .polygon(let first) = sides[0], case .polygon(let second) = sides[1] {
            self = .multiPolygon([first, second])
        } else {
            self = .collection(sides)
        }
    }

    private static func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> Shape {
        let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
            .compactMap { Coordinate(lon: $0.0, lat: $0.1) }
        if west == east && south == north { return .point(corners[0]) }
        if west == east || south == north { return .lineString([corners[0], corners[2]]) }
        return .polygon([corners])
    }

    /// The parts on which predicates are evaluated, because GEOS 3.11 does not accept collections. All points are one
    /// part, and so are all lines.
    var parts: [Shape] {
        if case .box(let box) = self { return Shape(outlineOf: box).parts }
        guard case .collection(let members) = self else { return [self] }
        var points: [Coordinate] = []
        var lines: [[Coordinate]] = []
        var areas: [Shape] = []
        for part in members.flatMap(\.parts) {
            switch part {
            case .point(let point): points.append(point)
            case .multiPoint(let several): points += several
            case .lineString(let line): lines.append(line)
            case .multiLineString(let several): lines += several
            default: areas.append(part)
            }
        }
        return (points.isEmpty ? [] : [.multiPoint(points)]) + (lines.isEmpty ? [] : [.multiLineString(lines)]) + areas
    }

    var corners: [Coordinate] {
        switch self {
        case .point(let point): [point]
        case .lineString(let points), .multiPoint(let points): points
        case .polygon(let lines), .multiLineString(let lines): lines.flatMap(\.self)
        case .multiPolygon(let polygons): polygons.flatMap { $0.flatMap(\.self) }
        case .collection(let members): members.flatMap(\.corners)
        case .box(let box): [box.southWest, box.northEast]
        }
    }

    /// The reason why the geometry is invalid, or nil if it is valid.
    var defect: ErrorMessage? {
        switch self {
        case .box: nil
        case .collection(let members): members.isEmpty ? "an empty collection" : members.lazy.compactMap(\.defect).first
        case _ where corners.isEmpty: "an empty geometry"
        case .lineString(let line): Self.defect(ofLines: [line]) ?? topologicalDefect
        case .multiLineString(let lines): Self.defect(ofLines: lines) ?? topologicalDefect
        case .polygon(let rings): Self.defect(ofPolygons: [rings]) ?? topologicalDefect
        case .multiPolygon(let polygons): Self.defect(ofPolygons: polygons) ?? topologicalDefect
        default: nil
        }
    }

    private static func defect(ofLines lines: [[Coordinate]]) -> ErrorMessage? {
        lines.contains { $0.count < 2 } ? "a line of fewer than two points" : nil
    }

    private static func defect(ofPolygons polygons: [[[Coordinate]]]) -> ErrorMessage? {
        if polygons.contains(where: \.isEmpty) { return "a polygon without a ring" }
        let rings = polygons.joined()
        if rings.contains(where: { $0.first != $0.last }) { return "a ring that ends elsewhere than it starts" }
        return rings.contains { $0.count < 4 } ? "a ring of fewer than four points" : nil
    }

    private var topologicalDefect: ErrorMessage? {
        let context = GEOS_init_r()
        defer { GEOS_finish_r(context) }
        let bytes = wellKnownBytes
        guard let geometry = GEOSGeomFromWKB_buf_r(context, bytes, bytes.count) else { return "no geometry" }
        defer { GEOSGeom_destroy_r(context, geometry) }
        guard GEOSisValid_r(context, geometry) != 1 else { return nil }
        guard let reason = GEOSisValidReason_r(context, geometry) else { return "an invalid geometry" }
        defer { GEOSFree_r(context, reason) }
        return ErrorMessage(verbatim: String(cString: reason))
    }
}

extension Shape {
    /// The geometry as little-endian well-known binary.
    private var wellKnownBytes: [UInt8] { element(mark: 1) }

    /// The geometry in SpatiaLite's format, in WGS 84. Collections are not supported.
    ///
    /// Source: SpatiaLite's "BLOB-Geometry" format page. The format differs from well-known binary in its header and in
    /// the byte before each element.
    var spatiaLiteBlob: [UInt8] {
        let (lons, lats) = (corners.map(\.lon), corners.map(\.lat))
        var bytes: [UInt8] = [0, 1] + Self.bytes(UInt32(4326))
        for edge in [lons.min(), lats.min(), lons.max(), lats.max()] { bytes += Self.bytes((edge ?? 0).bitPattern) }
        return bytes + element(mark: 0x7C) + [0xFE]
    }

    /// The geometry as PostGIS reads it from text: extended well-known binary in WGS 84, in hexadecimal.
    ///
    /// A flag in the last byte of the kind tells that the number of the reference system follows.
    var postGISText: String {
        var bytes = wellKnownBytes
        bytes[4] = 0x20
        bytes.insert(contentsOf: Self.bytes(UInt32(4326)), at: 5)
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func element(mark: UInt8) -> [UInt8] {
        let inner: UInt8 = mark == 1 ? 1 : 0x69
        func members(_ shapes: [Shape]) -> [UInt8] { Self.list(shapes) { $0.element(mark: inner) } }
        let (kind, body): (UInt32, [UInt8]) =
            switch self {
            case .point(let point): (1, Self.bytes(point))
            case .lineString(let line): (2, Self.list(line, Self.bytes))
            case .polygon(let rings): (3, Self.list(rings) { Self.list($0, Self.bytes) })
            case .multiPoint(let points): (4, members(points.map(Shape.point)))
            case .multiLineString(let lines): (5, members(lines.map(Shape.lineString)))
            case .multiPolygon(let polygons): (6, members(polygons.map(Shape.polygon)))
            case .collection, .box: (7, members(parts))
            }
        return [mark] + Self.bytes(kind) + body
    }

    private static func list<Item>(_ items: [Item], _ write: (Item) -> [UInt8]) -> [UInt8] {
        items.reduce(into: bytes(UInt32(items.count))) { $0 += write($1) }
    }

    private static func bytes(_ point: Coordinate) -> [UInt8] {
        bytes(point.lon.bitPattern) + bytes(point.lat.bitPattern)
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

extension BoundingBox {
    static let form: ErrorMessage = "a box of west, south, east, north in degrees"

    /// Creates a box from four numbers, or from six with heights, which are ignored.
    init?(numbers: [Double]) {
        guard numbers.count == 4 || numbers.count == 6 else { return nil }
        let half = numbers.count / 2
        guard let southWest = Coordinate(lon: numbers[0], lat: numbers[1]),
            let northEast = Coordinate(lon: numbers[half], lat: numbers[half + 1])
        else { return nil }
        self.init(southWest: southWest, northEast: northEast)
    }
}
