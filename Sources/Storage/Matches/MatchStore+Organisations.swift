package import Domain
import Foundation
package import Matching
import SQL

/// The likeliest owners of all animals of an organisation. A job compares each open found and sighted animal of organisations when
/// its texts were read, when a lost animal like it is posted, and once a day. Pages read what it has stored.
extension MatchStore {
    /// Less likely matches are not worth a look.
    package static let likely = 0.05
    /// The most matches of one animal that are stored.
    package static let maxOfAnimal = 5
    /// The animals that one step of the job compares. Comparing one takes up to 10 ms on a board of 100,000 listings.
    package static let animalsAtOnce = 20
    /// The days after which an animal is compared again.
    private static let days = 1
    /// Organisations of more animals see only how many that many have likely owners.
    private static let maxCounted = 5_000

    private static let isShown = """
        animal.status IN ('found', 'sighted') AND NOT animal.hidden AND lost.status = 'lost' AND NOT lost.hidden
            AND NOT EXISTS (
                SELECT 1 FROM match_answer WHERE match_answer.lost_id = lost.id AND found_id = animal.id
                    AND (lost_answer = 'no' OR found_answer = 'no'))
            AND NOT EXISTS (
                SELECT 1 FROM block WHERE (blocker_id = animal.account_id AND blocked_id = lost.account_id)
                    OR (blocker_id = lost.account_id AND blocked_id = animal.account_id))
        """

    /// Returns the likeliest owners of the open animals of an organisation, the likeliest first. Pairs that an owner has answered
    /// with no are left out, and so are those of accounts that block each other.
    ///
    /// - Parameter read: extracts a value from the rows of both listings.
    package func findMatches<Value>(
        of organisation: Account,
        limit: Int,
        after last: OrganisationMatchCursor? = nil,
        _ read: (ListingRow) throws -> Value
    ) throws -> (matches: [OrganisationMatch<Value>], next: OrganisationMatchCursor?) {
        try database.readNow { db in
            let pairs = try Self.pairs(of: organisation, limit: limit + 1, after: last, db)
            let matches = try pairs.prefix(limit).compactMap { pair in try pair.match(db, read) }
            return (matches, pairs.count > limit ? pairs[limit - 1].cursor : nil)
        }
    }

    /// Returns how many open animals of an organisation have a likely owner.
    package func countAnimals(withMatchesOf organisation: Account) throws -> Int {
        try database.readNow { db in
            try db.value(
                """
                SELECT count(DISTINCT listing_id) FROM (
                    SELECT listing_id FROM organisation_match CROSS JOIN listing AS animal CROSS JOIN listing AS lost
                    WHERE organisation_id = ? AND animal.id = listing_id AND lost.id = lost_id AND \(Self.isShown)
                    LIMIT \(Self.maxCounted)) AS pair
                """, [organisation.key]) ?? 0
        }
    }

    private static func pairs(
        of organisation: Account,
        limit: Int,
        after last: OrganisationMatchCursor?,
        _ db: SQLConnection
    ) throws -> [StoredPair] {
        try db.rows(
            """
            SELECT organisation_match.* FROM organisation_match CROSS JOIN listing AS animal CROSS JOIN listing AS lost
            WHERE organisation_id = ?1 AND (probability, listing_id, lost_id) < (?2, ?3, ?4)
                AND animal.id = listing_id AND lost.id = lost_id AND \(isShown)
            ORDER BY probability DESC, listing_id DESC, lost_id DESC LIMIT ?5
            """,
            [organisation.key, last?.probability ?? 2, last?.animal ?? 0, last?.lost ?? 0, limit],
            StoredPair.init
        )
    }

    /// A row of the table.
    private struct StoredPair {
        let cursor: OrganisationMatchCursor
        private let bits, distance: Double
        private let days: Int
        private let evidence: [Evidence]

        init(_ row: StatementRow) throws {
            cursor = try OrganisationMatchCursor(
                probability: row["probability"],
                animal: row["listing_id"],
                lost: row["lost_id"]
            )
            (bits, distance, days) = (try row["bits"], try row["distance"], try row["days"])
            evidence = try [Evidence](json: row["evidence"])
        }

        /// Returns nil if one of the listings was deleted.
        func match<Value>(
            _ db: SQLConnection,
            _ read: (ListingRow) throws -> Value
        ) throws -> OrganisationMatch<Value>? {
            func listing(_ key: Int64) throws -> Value? {
                try db.row("\(ListingRow.select) WHERE listing.id = ?", [key]) { row in try read(ListingRow(row)) }
            }
            guard let animal = try listing(cursor.animal), let lost = try listing(cursor.lost) else { return nil }
            let match = PossibleMatch(
                key: cursor.lost,
                probability: cursor.probability,
                bits: bits,
                distance: distance,
                days: days,
                evidence: evidence,
                answers: try MatchStore.answers(of: cursor.animal, db)[cursor.lost] ?? MatchAnswers(),
                value: lost
            )
            return OrganisationMatch(animal: animal, match: match)
        }
    }

    /// Compares the animals that are due. Returns their number, at most `animalsAtOnce`.
    package func compareAnimals(at now: Timestamp) async throws -> Int {
        let due = try database.readNow { db in
            try db.rows(
                "SELECT listing_id, due_at FROM organisation_match_search WHERE due_at <= ? ORDER BY due_at LIMIT ?",
                [now, Self.animalsAtOnce]
            ) { row in try DueAnimal(key: row["listing_id"], dueAt: row["due_at"]) }
        }
        guard !due.isEmpty else { return 0 }
        let compared = try due.map { animal in
            var animal = animal
            guard let listing = try findListing(key: animal.key), Self.isCompared(listing) else { return animal }
            animal.owner = listing.owner
            animal.matches = try find(
                for: listing, asOwner: true, minProbability: Self.likely, limit: Self.maxOfAnimal, { _ in () }
            ).matches.map(StoredMatch.init)
            return animal
        }
        try await database.write { db in
            for animal in compared { try Self.store(animal, next: now.adding(days: Self.days), db) }
        }
        return due.count
    }

    private static func isCompared(_ listing: Listing) -> Bool {
        listing.content.isOpen && listing.content.status != .lost && !listing.hidden
    }

    private struct DueAnimal: Sendable {
        let key: Int64
        let dueAt: Timestamp
        /// Nil if the animal is not compared any more.
        var owner: Int64?
        var matches: [StoredMatch] = []
    }

    private struct StoredMatch: Sendable {
        let lost: Int64
        let probability, bits, distance: Double
        let days: Int
        let evidence: String

        init(_ match: PossibleMatch<Void>) throws {
            (lost, probability, bits) = (match.key, min(1, match.probability), match.bits)
            (distance, days, evidence) = (match.distance, match.days, try match.evidence.json)
        }
    }

    private static func store(_ animal: DueAnimal, next: Timestamp, _ db: SQLConnection) throws {
        try db.execute("DELETE FROM organisation_match WHERE listing_id = ?", [animal.key])
        guard let owner = animal.owner else {
            try db.execute(
                "DELETE FROM organisation_match_search WHERE listing_id = ? AND due_at = ?",
                [animal.key, animal.dueAt]
            )
            return
        }
        // If the animal has changed since, it stays due.
        try db.execute(
            "UPDATE organisation_match_search SET due_at = ? WHERE listing_id = ? AND due_at = ?",
            [next, animal.key, animal.dueAt]
        )
        for match in animal.matches {
            // Each of the listings and the organisation may have been deleted since they were compared.
            try db.execute(
                """
                INSERT INTO organisation_match (
                    listing_id, lost_id, organisation_id, probability, bits, distance, days, evidence)
                SELECT animal.id, lost.id, organisation.account_id, ?4, ?5, ?6, ?7, ?8
                FROM listing AS animal CROSS JOIN listing AS lost CROSS JOIN organisation
                WHERE animal.id = ?1 AND lost.id = ?2 AND organisation.account_id = ?3
                """,
                [
                    animal.key, match.lost, owner, match.probability, match.bits, match.distance, match.days,
                    match.evidence,
                ]
            )
        }
    }

    /// Notes that an open listing is to be compared, if it is a found or sighted animal of an organisation.
    static func noteAnimal(_ key: Int64, at now: Timestamp, _ db: SQLConnection) throws {
        try db.execute(
            """
            INSERT INTO organisation_match_search (listing_id, due_at)
            SELECT listing.id, ?2 FROM listing CROSS JOIN organisation
            WHERE listing.id = ?1 AND organisation.account_id = listing.account_id AND status IN ('found', 'sighted')
            ON CONFLICT (listing_id) DO UPDATE SET due_at = excluded.due_at
            """,
            [key, now]
        )
    }

    /// Notes that animals of organisations are to be compared again, because something like them was posted.
    package func noteAnimals(_ keys: [Int64], at now: Timestamp) async throws {
        let keys = try database.readNow { db in
            try keys.filter { try db.exists("SELECT 1 FROM organisation_match_search WHERE listing_id = ?", [$0]) }
        }
        guard !keys.isEmpty else { return }
        try await database.write { db in
            for key in keys { try Self.noteAnimal(key, at: now, db) }
        }
    }
}

extension [Evidence] {
    /// The form of a reason in the database.
    private struct Row: Codable {
        let kind, level: String
        let bits: Double
    }

    fileprivate var json: String {
        get throws { try map { Row(kind: $0.kind.rawValue, level: $0.level, bits: $0.bits) }.json }
    }

    /// Leaves out kinds that a later version of the program has written.
    fileprivate init(json: String) throws {
        self = try JSONDecoder().decode([Row].self, from: Data(json.utf8)).compactMap { row in
            EvidenceKind(rawValue: row.kind).map { Evidence(kind: $0, level: row.level, bits: row.bits) }
        }
    }
}
