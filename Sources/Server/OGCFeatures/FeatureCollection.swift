import CQL2
import Domain
import Formats
import Storage

/// A collection of features (OGC API - Features, 17-069r4): what it holds, what can be asked of it, how it is read.
protocol FeatureCollection: Sendable {
    /// Its part of the address.
    static var id: String { get }
    static var title: String { get }
    static var description: String { get }
    /// What its features have, in the order in which they have it.
    static var properties: [FeatureProperty] { get }
    /// What filters may name: the geometry, the id, and some of the properties.
    static var queryables: [Queryable] { get }

    /// Nil where it is empty.
    func extent() throws -> FeatureExtent?
    /// Writes the features of a page; tells how many they are, and the key of the last where more follow.
    func write(_ query: ItemQuery, to json: inout JSONWriter) async throws -> (count: Int, next: Int64?)
    /// How many there are on all pages; nil where counting would take long.
    func count(_ query: ItemQuery) async throws -> Int?
    /// Writes one feature, with what `links` writes at its end; false where there is none of that id.
    func write(item id: String, to json: inout JSONWriter, links: (inout JSONWriter) -> Void) async throws -> Bool
}

/// Where the features of a collection are, and since when.
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
        /// Photos, each with its addresses.
        case photos
    }

    /// What JSON's numbers can tell apart everywhere (RFC 8259, 6).
    static let integers = 1 - (1 << 53)...(1 << 53) - 1

    let name: String
    let title: String
    let kind: Kind
    /// All the values it has; empty where they cannot be told.
    let values: [String]
    /// Whether a feature may have nothing of it.
    let isNullable: Bool

    init(_ name: String, _ title: String, _ kind: Kind = .text, values: [String] = [], isNullable: Bool = true) {
        self.name = name
        self.title = title
        self.kind = kind
        self.values = values
        self.isNullable = isNullable
    }
}

extension FeatureCollection {
    /// The properties that may be given as parameters of their own, as those that are equal.
    static var parameters: [(property: FeatureProperty, queryable: Queryable)] {
        properties.compactMap { property in
            queryables.first { $0.name == property.name }.map { (property, $0) }
        }
    }
}
