package import Domain
package import Foundation
import SQL

/// Joining and separating listings of one animal, whatever their owners have said.
extension ModerationStore {
    /// Joins two listings though their owners have not agreed, or have said no.
    ///
    /// Throws `notFound` if there is no such listing, and `conflict` if they cannot be of one animal or are joined already.
    ///
    /// - Parameter push: makes the notifications for the browsers of the owners.
    /// - Returns: the notices for the owners.
    @discardableResult
    package func join(
        _ id: UUID,
        with other: UUID,
        note: String? = nil,
        by actor: Audit.Actor,
        push: ChannelStore.Push? = nil
    ) async throws -> [Notice] {
        try await database.write { db in
            let (one, other) = (try Self.joinable(id, "id", db), try Self.joinable(other, "listing", db))
            guard MatchPair.side(of: one, other) == .same else {
                throw ServiceError(
                    .conflict,
                    "expected two open listings of one species, both of lost animals or both of found or sighted ones"
                )
            }
            guard try !AnimalStore.keys(joinedWith: one.key, db).contains(other.key) else {
                throw ServiceError(.conflict, "the listings are joined already")
            }
            try AnimalStore.join(one.key, other.key, at: .now, db)
            let words = [other.id.lowercased, note].compactMap(\.self).joined(separator: ": ")
            try AuditLog.record(.listingJoin, id.lowercased, note: words, by: actor, db)
            let told = one.owner == other.owner ? [(one, other)] : [(one, other), (other, one)]
            return try told.compactMap { try MatchStore.tell(.matchJoined, $0, of: $1, push, db) }
        }
    }

    /// Separates a listing from the others of its animal. What their owners have said about it is taken back, so that they are
    /// asked again.
    ///
    /// Throws `notFound` if there is no such listing, and `conflict` if it is not joined with others.
    package func part(_ id: UUID, note: String? = nil, by actor: Audit.Actor) async throws {
        try await database.write { db in
            let listing = try Self.joinable(id, "id", db)
            let keys = try AnimalStore.keys(joinedWith: listing.key, db)
            guard !keys.isEmpty else { throw ServiceError(.conflict, "the listing is not joined with others") }
            for key in keys where key != listing.key {
                try db.execute(
                    "DELETE FROM match_answer WHERE lost_id = ? AND found_id = ? AND same_side",
                    [min(key, listing.key), max(key, listing.key)]
                )
            }
            try AnimalStore.part(listing.key, db)
            try AuditLog.record(.listingPart, id.lowercased, note: note, by: actor, db)
        }
    }

    private static func joinable(_ id: UUID, _ field: String, _ db: SQLConnection) throws -> Listing {
        let found = try Listing.fetch(db, "listing.uuid = ?", [id]).first
        guard let found else { throw ServiceError(.notFound, "no such listing", field: field) }
        return found
    }
}
