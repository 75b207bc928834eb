package import Domain
import Foundation
import SQL

/// Animals of which several listings of one side tell: sighted by several people, or posted by an owner and a neighbour.
/// Each listing keeps its owner and its page. Their owners join them by answers to possible matches, or a moderator does.
package struct AnimalStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// The maximum number of listings of one animal.
    package static let maxListings = 50

    /// Returns the listings of the animal of a listing that everybody may see, in the order in which it was seen; none if the
    /// listing is not joined with others.
    package func findListings(joinedWith listing: Listing) throws -> [Listing] {
        try database.readNow { db in
            try Self.keys(joinedWith: listing.key, db).compactMap { try Listing.fetch(db, key: $0) }
                .filter { !$0.hidden }.sorted { ($0.seenAt, $0.key) < ($1.seenAt, $1.key) }
        }
    }

    /// Returns how many listings `findListings` would return.
    package func countListings(joinedWith listing: Listing) throws -> Int {
        try database.readNow { db in
            try db.count(
                """
                animal_listing CROSS JOIN listing
                WHERE animal_id = (SELECT own.animal_id FROM animal_listing AS own WHERE own.listing_id = ?)
                    AND listing.id = animal_listing.listing_id AND NOT hidden
                """, [listing.key])
        }
    }

    /// Returns the listings of the animal of a listing, itself included, by their `Listing.key`.
    static func keys(joinedWith listing: Int64, _ db: SQLConnection) throws -> [Int64] {
        try db.values(
            """
            SELECT listing_id FROM animal_listing
            WHERE animal_id = (SELECT animal_id FROM animal_listing WHERE listing_id = ?)
            ORDER BY listing_id
            """,
            [listing]
        )
    }

    /// Makes the animals of two listings one. Does nothing if they are one.
    ///
    /// Throws `conflict` if it had more than `maxListings` listings.
    static func join(_ one: Int64, _ other: Int64, at now: Timestamp, _ db: SQLConnection) throws {
        let known = try (one: animal(of: one, db), other: animal(of: other, db))
        guard known.one == nil || known.one != known.other else { return }
        let animal =
            try known.one ?? known.other
            ?? db.insert("INSERT INTO animal (created_at) VALUES (?) RETURNING id", [now])
        if let former = known.other, former != animal {
            try db.execute("UPDATE animal_listing SET animal_id = ? WHERE animal_id = ?", [animal, former])
            try db.execute("DELETE FROM animal WHERE id = ?", [former])
        }
        for key in [one, other] {
            try db.execute(
                """
                INSERT INTO animal_listing (listing_id, animal_id, joined_at) VALUES (?, ?, ?)
                ON CONFLICT (listing_id) DO NOTHING
                """,
                [key, animal, now]
            )
        }
        guard try keys(joinedWith: one, db).count <= maxListings else {
            throw ServiceError(.conflict, "expected at most \(maxListings) listings of one animal")
        }
    }

    static func part(_ listing: Int64, _ db: SQLConnection) throws {
        try db.execute("DELETE FROM animal_listing WHERE listing_id = ?", [listing])
    }

    private static func animal(of listing: Int64, _ db: SQLConnection) throws -> Int64? {
        try db.value("SELECT animal_id FROM animal_listing WHERE listing_id = ?", [listing])
    }
}
