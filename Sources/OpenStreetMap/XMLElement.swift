import Domain
import XML

/// An element whose end tag has not been read yet.
struct XMLElement {
    private let type: PointOfInterest.ElementType
    private let id: Int64?
    private let lon: Double?
    private let lat: Double?
    private var tags: Tags = [:]
    private var nodes: [Int64] = []
    private var members: [Relation.Member] = []
    private var isMalformed = false

    /// Returns nil if the element is marked as deleted.
    init?(_ type: PointOfInterest.ElementType, _ attributes: XMLAttributes) {
        // The API writes `visible` in histories; JOSM writes `action`.
        guard attributes["visible"] != "false", attributes["action"] != "delete" else { return nil }
        self.type = type
        id = attributes.number("id")
        lon = attributes["lon"].flatMap(Double.init)
        lat = attributes["lat"].flatMap(Double.init)
    }

    mutating func add(_ part: String, _ attributes: XMLAttributes) {
        switch part {
        case "tag": addTag(attributes)
        case "nd": addNode(attributes)
        case "member": addMember(attributes)
        default: break
        }
    }

    var element: Element {
        guard let id, !isMalformed else { return .malformed }
        switch type {
        case .node:
            guard let lon, let lat else { return .malformed }
            return .node(Node(id: id, lon: lon, lat: lat, tags: tags))
        case .way: return .way(Way(id: id, nodes: nodes, tags: tags))
        case .relation: return .relation(Relation(id: id, members: members, tags: tags))
        }
    }

    private mutating func addTag(_ attributes: XMLAttributes) {
        guard let key = attributes["k"], let value = attributes["v"] else { return }
        tags[key] = value
    }

    private mutating func addNode(_ attributes: XMLAttributes) {
        guard let id = attributes.number("ref") else {
            isMalformed = true
            return
        }
        nodes.append(id)
    }

    private mutating func addMember(_ attributes: XMLAttributes) {
        let type = attributes["type"].flatMap(PointOfInterest.ElementType.init)
        guard let id = attributes.number("ref"), let type else {
            isMalformed = true
            return
        }
        members.append(Relation.Member(type: type, id: id, role: attributes["role"] ?? ""))
    }
}
