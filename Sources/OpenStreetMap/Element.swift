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
    /// What Overpass tells with `out geom`.
    var line: [Coordinate]?
    /// What Overpass tells with `out center`: the middle of the bounds, maybe outside of the way.
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

    /// The ways that bound its area; none where it is not an area.
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

/// A file whose elements can be walked through, any number of times.
protocol ElementSource {
    /// Tags may be left empty where none of them is in `PointOfInterest.Category.keys`.
    func visit(_ types: ElementTypes, _ body: (Element) throws -> Void) throws
}
