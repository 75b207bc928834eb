package import Domain
import SQL

/// Answers about listings of the same side: both owners' yes joins the listings, and another answer parts them.
extension MatchStore {
    /// Separates a listing from the others of its animal for its owner, who says of each that it is of another animal.
    ///
    /// Throws `conflict` if it is not joined with others.
    package func part(_ listing: Listing) async throws {
        try await database.write { db in
            guard try Self.part(listing.key, saying: .no, at: .now, db) else {
                throw ServiceError(.conflict, "the listing is not joined with others")
            }
        }
    }

    /// Does for the animals of a pair of the same side what the answer of the owner of `listing` asks for.
    static func follow(
        _ answer: MatchAnswer?,
        _ listing: Listing,
        _ other: Listing,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        let joined = try AnimalStore.keys(joinedWith: listing.key, db)
        guard answer == .yes else {
            if joined.contains(other.key) { try part(listing.key, saying: answer, at: now, db) }
            return
        }
        if listing.owner == other.owner { try write(.yes, MatchPair(ofSameSide: other.key, listing.key), now, db) }
        guard try answers(of: listing.key, db)[other.key]?.state == .agreed else { return }
        try expectNoContradiction(
            joined.isEmpty ? [listing.key] : joined, AnimalStore.keys(joinedWith: other.key, db) + [other.key], db)
        try AnimalStore.join(listing.key, other.key, at: now, db)
    }

    /// Returns whether the listing was joined with others.
    @discardableResult
    private static func part(
        _ listing: Int64,
        saying answer: MatchAnswer?,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws -> Bool {
        let joined = try AnimalStore.keys(joinedWith: listing, db)
        guard !joined.isEmpty else { return false }
        let answers = try answers(of: listing, db)
        for other in joined where other != listing && (answer == .no || answers[other]?.own == .yes) {
            try write(answer, MatchPair(ofSameSide: listing, other), now, db)
        }
        try AnimalStore.part(listing, db)
        return true
    }

    /// Throws `conflict` if an owner has said of a listing of one animal that it is not of the other one.
    private static func expectNoContradiction(_ ones: [Int64], _ others: [Int64], _ db: SQLConnection) throws {
        for one in ones
        where try answers(of: one, db).contains(where: { others.contains($0.key) && $0.value.isRejected }) {
            throw ServiceError(
                .conflict,
                "the owner of another listing of one of the animals has said that they are two: a moderator can join them"
            )
        }
    }
}
