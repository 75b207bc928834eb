public import Foundation

extension DoggoFinder {
    /// Vets, pet shops, shelters and other help, the nearest first where the area has a point.
    ///
    /// - Parameters:
    ///   - categories: Which kinds; all if there are none.
    ///   - area: Where.
    ///   - limit: How many at most.
    public func help(
        _ categories: PlaceCategory...,
        in area: Search.Area,
        limit: Int? = nil
    ) async throws -> FeaturePage<PointOfInterest> {
        var query = area.parameters
        query.add("category", list: categories)
        query.add("limit", limit)
        return try await send(Call("GET", "/v1/pois", query: query))
    }

    /// The place of a point.
    public func place(at point: Coordinate) async throws -> Address {
        try await send(Call("GET", "/v1/places/reverse", query: point.parameters))
    }
}

/// A vet, a pet shop or other help.
public typealias PointOfInterest = Feature<Int, PointOfInterestProperties>

public struct PointOfInterestProperties: Codable, Hashable, Sendable {
    public let category: PlaceCategory
    public let name: String?
    public let address: String?
    public let street: String?
    public let houseNumber: String?
    public let postalCode: String?
    public let city: String?
    public let phone: String?
    public let phoneE164: String?
    public let website: String?
    /// As OpenStreetMap has them.
    public let openingHours: String?
    public let openingState: OpeningState?
    /// The end of the state, and the state that follows.
    public let openingStateUntil: Date?
    public let openingNext: OpeningState?
    public let openingComment: String?
    public let timeZone: String?
    /// Metres from the point of the search.
    public let distance: Double?
    /// Addresses for maps and navigation.
    public let mapUrl: URL
    public let routeUrl: URL
    public let streetUrl: URL
    public let geoUri: URL
    public let osmId: Int?
    public let osmType: String?
    public let osmUrl: URL?
}

/// The place of a point. It is the open sea if all names are nil.
public struct Address: Codable, Sendable {
    public let place: Place
    /// Other places that it may be.
    public let alternatives: [Place]

    private enum Key: CodingKey { case alternatives }

    public init(from decoder: any Decoder) throws {
        place = try Place(from: decoder)
        alternatives = try decoder.container(keyedBy: Key.self).decode([Place].self, forKey: .alternatives)
    }

    public func encode(to encoder: any Encoder) throws {
        try place.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(alternatives, forKey: .alternatives)
    }
}

public struct Place: Codable, Sendable {
    public let lon: Double
    public let lat: Double
    public let street: String?
    public let houseNumber: String?
    /// In the place of a street.
    public let landmark: String?
    public let precision: AddressPrecision?
    /// The hamlet or quarter.
    public let locality: String?
    public let municipality: String?
    /// The Italian name of `municipality`, and its code.
    public let comune: String?
    public let comuneCode: String?
    public let province: String?
    public let provinceCode: String?
    public let region: String?
    public let country: String?
    public let countryCode: String?
    public let postalCode: String?
    /// How likely it is the right town, from 0 to 1.
    public let confidence: Double?
    /// Metres from the point.
    public let distance: Double?
}
