import Domain

typealias Tags = [String: String]

struct Node {
    var id: Int64
    var lon: Double
    var lat: Double
    var tags: Tags

    var coordinate: Coordinate? { Coordinate(lon: lon, lat: lat) }
}

struct Way {
    var id: Int64
    var nodes: [Int64]
    var tags: Tags
    /// The coordinates, which Overpass writes with `out geom`.
    var line: [Coordinate]?
    /// The centre of the bounding box, which Overpass writes with `out center`; it may lie outside of the way.
    var center: Coordinate?
}

struct Relation {
    struct Member {
        var type: PointOfInterest.ElementType
        var id: Int64
        var role: String
        var line: [Coordinate]?
    }

    var id: Int64
    var members: [Member]
    var tags: Tags
    var center: Coordinate?

    /// The ways that form the boundary of the relation's area; empty if it is not an area.
    var boundary: [Member] {
        guard ["multipolygon", "boundary"].contains(tags["type"]) else { return [] }
        return members.filter { $0.type == .way && ["outer", "inner", ""].contains($0.role) }
    }
}

enum Element {
    case node(Node)
    case way(Way)
    case relation(Relation)
    case malformed
}

struct ElementTypes: OptionSet {
    let rawValue: Int

    static let nodes = ElementTypes(rawValue: 1)
    static let ways = ElementTypes(rawValue: 2)
    static let relations = ElementTypes(rawValue: 4)
}

/// A file whose elements can be visited repeatedly.
protocol ElementSource {
    /// Calls `body` for each element of the types, in the order of the file. Implementations may leave the tags empty if none
    /// of their keys is in `keys`.
    func visit(_ types: ElementTypes, keys: Set<String>, _ body: (Element) throws -> Void) throws
}

extension ElementSource {
    /// Calls `body` for each element of the types; only those that may be points of interest need to have tags.
    func visit(_ types: ElementTypes, _ body: (Element) throws -> Void) throws {
        try visit(types, keys: PointOfInterest.Category.keys, body)
    }
}
