package import Domain
import SQL
package import Storage

extension TestDatabase {
    /// The moment `hours` after the beginning of 2026-05-01, a Friday.
    package static func may(_ hours: Double) -> Timestamp {
        Timestamp(stored: "2026-05-01T00:00:00.000Z").adding(seconds: hours * 3_600)
    }

    /// Posts a listing at a time, and makes it reunited after some days.
    ///
    /// - Parameters:
    ///   - change: changes the draft.
    ///   - days: since the animal was seen last, which is when it was posted; nil if it is not reunited.
    @discardableResult
    package func post(
        _ status: Listing.Status,
        _ time: Timestamp,
        reunitedAfter days: Int? = nil,
        _ change: (inout ListingStore.Draft) -> Void = { _ in }
    ) async throws -> Listing {
        var draft = try ListingStore.Draft.at(14.79, 40.77, status, createdAt: time) { $0.lastSeenAt = time }
        draft.location.region = "Campania"
        change(&draft)
        draft.content.readBreeds(try Bundled.breeds())
        let listing = try await listings.create(draft, owner: try await guest())
        guard let days else { return listing }
        try await makeReunited([listing], at: time.adding(days: days))
        return listing
    }

    /// Makes listings reunited at a time of the past.
    package func makeReunited(_ listings: [Listing], at time: Timestamp) async throws {
        for listing in listings {
            try await database.write { db in
                try db.execute("UPDATE listing SET status = 'reunited' WHERE id = ?", [listing.key])
                try db.execute(
                    "UPDATE listing_history SET at = ? WHERE listing_id = ? AND status = 'reunited'",
                    [time.text, listing.key]
                )
            }
        }
    }

    /// Links a lost and a found listing, as the answers of both owners do.
    package func link(_ lost: Listing, _ found: Listing, at time: Timestamp) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO match_answer (lost_id, found_id, lost_answer, lost_answered_at, found_answer, found_answered_at,
                    found_status, linked_at)
                VALUES (?1, ?2, 'yes', ?3, 'yes', ?3, 'found', ?3)
                """,
                [lost.key, found.key, time.text]
            )
        }
        try await makeReunited([lost, found], at: time)
    }
}
