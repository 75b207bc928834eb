public import Foundation

extension DoggoFinder {
    /// The saved searches of the account.
    public func alerts() async throws -> [SavedSearch] {
        let list: SavedSearches = try await send(Call("GET", "/v1/me/alerts"))
        return list.alerts
    }

    public func alert(_ id: UUID) async throws -> SavedSearch {
        try await send(Call("GET", "/v1/me/alerts/\(id)"))
    }

    /// Saves a search. The account is told of listings that are posted from now on.
    public func createAlert(_ fields: AlertFields) async throws -> SavedSearch {
        try await send(Call("POST", "/v1/me/alerts", json: fields))
    }

    /// Changes what is not nil. What the alert has found stays.
    public func editAlert(_ id: UUID, _ changes: AlertChanges) async throws -> SavedSearch {
        try await send(Call("PATCH", "/v1/me/alerts/\(id)", json: changes))
    }

    public func deleteAlert(_ id: UUID) async throws {
        try await send(Call("DELETE", "/v1/me/alerts/\(id)"))
    }

    /// The open listings that an alert has found, the newest first.
    public func findings(of alert: UUID, limit: Int? = nil) async throws -> FindingPage {
        var query: [URLQueryItem] = []
        query.add("limit", limit)
        return try await send(Call("GET", "/v1/me/alerts/\(alert)/listings", query: query))
    }
}

/// A new alert: of a search, or of the possible matches of an own listing.
public struct AlertFields: Encodable, Sendable {
    public var name: String?
    public let search: AlertSearch?
    public let matches: SavedSearch.Matches?

    /// - Parameters:
    ///   - search: The search. It needs an area.
    ///   - name: What the account calls it.
    public init(_ search: AlertSearch, name: String? = nil) {
        self.name = name
        self.search = search
        matches = nil
    }

    /// - Parameters:
    ///   - listing: An own listing.
    ///   - minimumProbability: The least probability, at least 0.02.
    ///   - name: What the account calls it.
    public init(matchesOf listing: UUID, minimumProbability: Double, name: String? = nil) {
        self.name = name
        search = nil
        matches = SavedSearch.Matches(listing: listing, minimumProbability: minimumProbability)
    }
}

/// The changes of an alert.
public struct AlertChanges: Encodable, Sendable {
    public var name: String?
    public var paused: Bool?
    public var search: AlertSearch?
    /// For an alert of possible matches.
    public var minimumProbability: Double?

    public init(name: String? = nil, paused: Bool? = nil, search: AlertSearch? = nil, minimumProbability: Double? = nil)
    {
        self.name = name
        self.paused = paused
        self.search = search
        self.minimumProbability = minimumProbability
    }
}

/// The search of an alert, in an area or of an organisation.
public struct AlertSearch: Encodable, Sendable {
    public var lon: Double?
    public var lat: Double?
    /// In metres around the point.
    public var radius: Double?
    /// A ring of at most 101 corners, each with longitude and latitude.
    public var polygon: [[Double]]?
    public var bbox: String?
    public var place: String?
    public var status: Status?
    public var species: Species?
    public var breed: String?
    public var crosses: String?
    /// The text of the search, as people type it.
    public var q: String?
    public var reading: String?
    /// The language of names.
    public var lang: String?
    /// Only the animals of an organisation, wherever they are.
    public var organisation: UUID?

    /// - Parameters:
    ///   - centre: The centre of a circle.
    ///   - radius: In metres.
    ///   - status: Which listings; nil for all open ones.
    public init(around centre: Coordinate, radius: Double, status: Status? = nil) {
        lon = centre.lon
        lat = centre.lat
        self.radius = radius
        self.status = status
    }

    /// - Parameters:
    ///   - place: A town, province, region or country.
    ///   - status: Which listings; nil for all open ones.
    public init(in place: String, status: Status? = nil) {
        self.place = place
        self.status = status
    }
}

/// An alert of the account.
public struct SavedSearch: Codable, Identifiable, Sendable {
    public let id: UUID
    public let name: String?
    public let paused: Bool
    /// The parameters of the search, as `GET /v1/listings` has them.
    public let search: [String: String]?
    public let matches: Matches?
    public let createdAt: Date
    public let updatedAt: Date

    /// The listing whose possible matches are told.
    public struct Matches: Codable, Sendable {
        public let listing: UUID
        public let minimumProbability: Double
    }
}

struct SavedSearches: Codable {
    let alerts: [SavedSearch]
}

/// A page of what an alert has found.
public struct FindingPage: Page, Codable {
    public let listings: [Finding]
    public let links: Links

    public struct Finding: Codable, Identifiable, Sendable {
        public let id: UUID
        public let status: Status
        public let href: URL
        public let foundAt: Date
        /// The probability of a possible match.
        public let probability: Double?
    }
}
