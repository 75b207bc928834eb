public import Foundation

extension DoggoFinder {
    /// Listings that may be of the same animal, the likeliest first.
    ///
    /// - Parameters:
    ///   - listing: A lost, found or sighted animal.
    ///   - minimumProbability: The least probability of a match, from 0 to 1.
    ///   - isSameSide: Compares lost animals with lost ones, or found with found.
    ///   - limit: The most matches of a page, at most 100.
    public func matches(
        of listing: UUID,
        minimumProbability: Double? = nil,
        isSameSide: Bool = false,
        limit: Int? = nil
    ) async throws -> MatchPage {
        var query: [URLQueryItem] = []
        query.add("minimum_probability", minimumProbability)
        if isSameSide { query.add("side", "same") }
        query.add("limit", limit)
        return try await send(Call("GET", "/v1/listings/\(listing)/matches", query: query))
    }

    /// The answers of the owners of two listings.
    public func answers(_ listing: UUID, _ other: UUID) async throws -> MatchAnswers {
        try await send(Call("GET", "/v1/listings/\(listing)/matches/\(other)"))
    }

    /// Says as the owner of a listing whether another one is of the same animal.
    public func answer(_ listing: UUID, _ other: UUID, _ answer: Answer) async throws -> MatchAnswers {
        try await send(Call("PUT", "/v1/listings/\(listing)/matches/\(other)", json: ["answer": answer]))
    }

    public func withdrawAnswer(_ listing: UUID, _ other: UUID) async throws -> MatchAnswers {
        try await send(Call("DELETE", "/v1/listings/\(listing)/matches/\(other)"))
    }

    /// Says that the animal of a match on which both agree is home. This closes both listings.
    public func setHome(_ listing: UUID, _ other: UUID) async throws -> MatchAnswers {
        try await send(Call("PUT", "/v1/listings/\(listing)/matches/\(other)/home"))
    }

    /// Takes back that the animal is home, which is possible for a day.
    public func undoHome(_ listing: UUID, _ other: UUID) async throws -> MatchAnswers {
        try await send(Call("DELETE", "/v1/listings/\(listing)/matches/\(other)/home"))
    }
}

/// A page of matches.
public struct MatchPage: Page, Codable {
    public let matches: [Match]
    /// The number of listings that were compared.
    public let considered: Int
    /// The probability that none of the compared listings is of the same animal.
    public let noneProbability: Double
    public let links: Links
}

/// A listing that may be of the same animal.
public struct Match: Codable, Sendable {
    public let listing: Listing
    /// From 0 to 1.
    public let probability: Double
    /// The sum of the evidence.
    public let scoreBits: Double
    /// The strongest first.
    public let evidence: [Evidence]
    /// Metres between the public points, rounded up.
    public let distanceM: Double
    /// From the loss to the find.
    public let days: Int
    /// The owner's own answer.
    public let answer: Answer?
    public let otherAnswer: Answer?
    public let state: MatchState?
    /// When one of the owners said that the animal is home.
    public let linkedAt: Date?
}

public struct MatchAnswers: Codable, Sendable {
    public let answer: Answer?
    public let otherAnswer: Answer?
    public let state: MatchState
    /// When one of the owners said that the animal is home.
    public let linkedAt: Date?
}
