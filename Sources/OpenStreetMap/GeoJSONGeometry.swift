import Domain

enum GeoJSONGeometry: Decodable {
    case points([Position])
    case line([Position])
    /// The rings of all polygons together.
    case area([[Position]])

    struct Position: Decodable {
        private let lon: Double
        private let lat: Double

        var coordinate: Coordinate? { Coordinate(lon: lon, lat: lat) }

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            lon = try values.decode(Double.self)
            lat = try values.decode(Double.self)
        }
    }

    private enum Key: String, CodingKey {
        case type
        case coordinates
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(String.self, forKey: .type) {
        case "Point": self = .points([try container.decode(Position.self, forKey: .coordinates)])
        case "MultiPoint": self = .points(try container.decode([Position].self, forKey: .coordinates))
        case "LineString": self = .line(try container.decode([Position].self, forKey: .coordinates))
        case "Polygon": self = .area(try container.decode([[Position]].self, forKey: .coordinates))
        case "MultiPolygon":
            self = .area(try container.decode([[[Position]]].self, forKey: .coordinates).flatMap(\.self))
        case let type:
            throw DecodingError.dataCorruptedError(forKey: .type, in: container, debugDescription: type)
        }
    }

    var isInRange: Bool {
        switch self {
        case .points(let line), .line(let line): line.allSatisfy { $0.coordinate != nil }
        case .area(let rings): rings.joined().allSatisfy { $0.coordinate != nil }
        }
    }

    func point(_ geometry: Geometry) -> Coordinate? {
        switch self {
        case .points(let points): points.first?.coordinate
        case .line(let line): geometry.point(of: line.compactMap(\.coordinate))
        case .area(let rings):
            geometry.pointOnSurface(boundary: rings.map { $0.compactMap(\.coordinate) })
        }
    }
}
