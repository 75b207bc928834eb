public import Foundation

extension DoggoFinder {
    /// Searches the board: the nearest first where the area has a point, otherwise the newest first.
    ///
    /// - Parameters:
    ///   - search: What is looked for; the default is every open listing.
    ///   - order: Another order.
    ///   - photo: The id of a `Recognised` photo of the animal that is looked for.
    ///   - limit: The most listings of a page, at most 200.
    public func listings(
        _ search: Search = Search(),
        by order: Search.Order? = nil,
        like photo: UUID? = nil,
        limit: Int? = nil
    ) async throws -> FeaturePage<Listing> {
        var query = search.parameters
        query.add("sort", order)
        query.add("classification", photo)
        query.add("limit", limit)
        return try await send(Call("GET", "/v1/listings", query: query))
    }

    /// The account's own listings of any status, the newest first.
    public func ownListings(_ search: Search = Search(), limit: Int? = nil) async throws -> FeaturePage<Listing> {
        var query = search.parameters
        query.add("limit", limit)
        return try await send(Call("GET", "/v1/me/listings", query: query))
    }

    /// The number of results. It is a lower bound where `exact` is false.
    public func count(_ search: Search = Search()) async throws -> Count {
        try await send(Call("GET", "/v1/listings/count", query: search.parameters))
    }

    public func listing(_ id: UUID) async throws -> Listing {
        try await send(Call("GET", "/v1/listings/\(id)"))
    }

    /// Posts a listing.
    ///
    /// - Parameter key: A post that is sent again with the same key within a day is done once.
    public func post(_ fields: ListingFields, key: UUID = UUID()) async throws -> Listing {
        try await send(Call("POST", "/v1/listings", json: fields).once(key))
    }

    /// Changes the fields of a listing that are not nil.
    public func edit(_ listing: UUID, _ changes: ListingFields) async throws -> Listing {
        try await send(Call("PATCH", "/v1/listings/\(listing)", json: changes))
    }

    public func delete(_ listing: UUID) async throws {
        try await send(Call("DELETE", "/v1/listings/\(listing)"))
    }

    /// Keeps an open listing for another 90 days.
    public func renew(_ listing: UUID) async throws -> Listing {
        try await send(Call("POST", "/v1/listings/\(listing)/renewal"))
    }
}

public struct Count: Codable, Hashable, Sendable {
    public let count: Int
    public let exact: Bool
}
