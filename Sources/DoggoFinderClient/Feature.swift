import Foundation

/// A point on the earth in degrees.
public struct Coordinate: Codable, Hashable, Sendable {
    public var lon: Double
    public var lat: Double

    public init(lon: Double, lat: Double) {
        self.lon = lon
        self.lat = lat
    }
}

/// Something with a point: a feature of GeoJSON. Its properties are read like members: `listing.name`.
@dynamicMemberLookup
public struct Feature<ID: Codable & Hashable & Sendable, Properties: Codable & Hashable & Sendable>: Codable, Hashable,
    Identifiable, Sendable
{
    public let id: ID
    public let properties: Properties
    private let geometry: Point

    private struct Point: Codable, Hashable {
        var type = "Point"
        let coordinates: [Double]
    }

    public var coordinate: Coordinate { Coordinate(lon: geometry.coordinates[0], lat: geometry.coordinates[1]) }

    public subscript<Value>(dynamicMember path: KeyPath<Properties, Value>) -> Value {
        properties[keyPath: path]
    }
}

/// A part of a list, and the way to the next part.
public protocol Page: Decodable, Sendable {
    var links: Links { get }
}

/// A page of a list of features.
public struct FeaturePage<Item: Codable & Sendable>: Page, Codable {
    public let features: [Item]
    public let links: Links
}

/// The links of an answer.
public struct Links: Codable, Sendable {
    private let links: [Link]

    public init(from decoder: any Decoder) throws { links = try [Link](from: decoder) }
    public func encode(to encoder: any Encoder) throws { try links.encode(to: encoder) }

    /// The link to the next page.
    var next: Link? { links.first { $0.rel == "next" } }
}

struct Link: Codable, Sendable {
    let rel: String
    let href: URL
    let type: String?
    let title: String?
}

extension DoggoFinder {
    /// Returns the next page of a list, or nil after the last one.
    public func page<List: Page>(after page: List) async throws -> List? {
        guard let link = page.links.next, let call = Call(link) else { return nil }
        return try await send(call)
    }
}
