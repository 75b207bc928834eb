import Domain

/// Overpass JSON (`[out:json]`), https://wiki.openstreetmap.org/wiki/Overpass_API/Overpass_QL.
struct OverpassSource: ElementSource {
    let elements: [OverpassElement]

    func visit(_ types: ElementTypes, keys: Set<String>, _ body: (Element) throws -> Void) throws {
        for element in elements {
            switch element.type {
            case .node where types.contains(.nodes): try body(element.node)
            case .way where types.contains(.ways): try body(.way(element.way))
            case .relation where types.contains(.relations): try body(.relation(element.relation))
            default: break
            }
        }
    }
}

struct OverpassElement: Decodable {
    struct Position: Decodable {
        let lon: Double
        let lat: Double

        var coordinate: Coordinate? { Coordinate(lon: lon, lat: lat) }
    }

    struct Member: Decodable {
        let type: PointOfInterest.ElementType
        let ref: Int64
        let role: String?
        let geometry: [Position?]?
    }

    let type: PointOfInterest.ElementType
    private let id: Int64
    private let lon: Double?
    private let lat: Double?
    private let nodes: [Int64]?
    private let members: [Member]?
    private let geometry: [Position?]?
    private let center: Position?
    private let tags: [String: LooseText]?

    fileprivate var node: Element {
        guard let lon, let lat else { return .malformed }
        return .node(Node(id: id, lon: lon, lat: lat, tags: tags?.tags ?? [:]))
    }

    fileprivate var way: Way {
        Way(id: id, nodes: nodes ?? [], tags: tags?.tags ?? [:], line: geometry?.line, center: center?.coordinate)
    }

    fileprivate var relation: Relation {
        let members = (members ?? []).map {
            Relation.Member(type: $0.type, id: $0.ref, role: $0.role ?? "", line: $0.geometry?.line)
        }
        return Relation(id: id, members: members, tags: tags?.tags ?? [:], center: center?.coordinate)
    }
}

extension PointOfInterest.ElementType: Decodable {}

extension [OverpassElement.Position?] {
    /// The coordinates, or nil if the line is incomplete: with a bounding box, Overpass writes null for each position
    /// outside.
    fileprivate var line: [Coordinate]? {
        let line = compactMap { $0?.coordinate }
        return line.isEmpty || line.count < count ? nil : line
    }
}
