import CQL2
import Domain
import Formats
import Hummingbird
import OpenAPI
import Storage

/// A collection of features (OGC API - Features, 17-069r4).
protocol FeatureCollection: Sendable {
    /// The name of the collection in paths.
    static var id: String { get }
    static var title: String { get }
    static var description: String { get }
    /// The properties of the features, in the order in which they are written.
    static var properties: [FeatureProperty] { get }
    /// The names that filters may use: the geometry, the ID, and some of the properties.
    static var queryables: [Queryable] { get }

    /// The parameters of a search for words (OGC API - Features - Part 9), if the collection has one.
    static var textParameters: [Parameter] { get }

    /// Returns the conditions of the words that are looked for; nil if there are none.
    func words(_ request: Request) throws -> ListingQuery?
    /// Returns the extent of the collection, or nil if it is empty.
    func extent() throws -> FeatureExtent?
    /// Writes the features of a page. Returns their number, and the key of the last one if there are more.
    func write(_ query: ItemQuery, to json: inout JSONWriter) async throws -> (count: Int, next: Int64?)
    /// Returns the number of features on all pages, or nil if counting them would take too long.
    func count(_ query: ItemQuery) async throws -> Int?
    /// Writes one feature, and the output of `links` at its end. Returns false if there is no feature with this ID.
    func write(item id: String, to json: inout JSONWriter, links: (inout JSONWriter) -> Void) async throws -> Bool
}

extension FeatureCollection {
    static var textParameters: [Parameter] { [] }

    func words(_ request: Request) throws -> ListingQuery? { nil }
}

/// The area of the features of a collection, and the time of the oldest one.
struct FeatureExtent {
    let box: BoundingBox
    let since: Timestamp?
}

/// A property of the features of a collection.
struct FeatureProperty: Sendable {
    enum Kind: Sendable {
        case text
        case integer
        case boolean
        case time
        case address
        case texts
        /// Photos, each with its URLs.
        case photos
    }

    /// The integers that all JSON implementations represent exactly (RFC 8259, 6).
    static let integers = 1 - (1 << 53)...(1 << 53) - 1

    let name: String
    let title: String
    let kind: Kind
    /// All possible values; empty if they cannot be enumerated.
    let values: [String]

    init(_ name: String, _ title: String, _ kind: Kind = .text, values: [String] = []) {
        self.name = name
        self.title = title
        self.kind = kind
        self.values = values
    }
}

extension FeatureCollection {
    /// The properties that clients can use as query parameters, which match features with an equal value. Arrays are for
    /// filters only.
    static var parameters: [(property: FeatureProperty, queryable: Queryable)] {
        properties.compactMap { property in
            queryables.first { $0.name == property.name && $0.type != .texts }.map { (property, $0) }
        }
    }

    /// The properties that filters can use.
    static var queryableProperties: [FeatureProperty] {
        properties.filter { property in queryables.contains { $0.name == property.name } }
    }
}
