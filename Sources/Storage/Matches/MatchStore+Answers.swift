package import Domain
import Foundation
import SQL

extension MatchStore {
    /// Stores the answer of the owner of `listing`; nil withdraws it. If both owners say yes, both listings become
    /// `reunited`. If one of them changes the answer afterwards, both get their former status back.
    ///
    /// Throws `notFound` if one owner blocks the other, and `conflict` if the two listings cannot be of one animal.
    package func answer(
        _ answer: MatchAnswer?,
        for listing: Listing,
        other: Listing
    ) async throws -> MatchAnswers {
        let now = Timestamp.now
        return try await database.write { db in
            guard try !Self.areBlocked(listing.owner, other.owner, db) else {
                throw ServiceError(.notFound, "no such listing")
            }
            let pair = try MatchPair(listing, other, db)
            try Self.write(answer, pair, now, db)
            try Self.link(pair, now, db)
            return try Self.answers(of: listing.key, db)[other.key] ?? MatchAnswers()
        }
    }

    /// Returns the answers to the matches of a listing by the `Listing.key` of the other listing.
    static func answers(of listing: Int64, _ db: SQLConnection) throws -> [Int64: MatchAnswers] {
        let rows = try db.rows(
            """
            SELECT found_id, lost_answer, found_answer, linked_at FROM match_answer WHERE lost_id = ?1
            UNION ALL SELECT lost_id, found_answer, lost_answer, linked_at FROM match_answer WHERE found_id = ?1
            """,
            [listing]
        ) { row in
            let answers = MatchAnswers(
                own: row.string(1).flatMap(MatchAnswer.init),
                other: row.string(2).flatMap(MatchAnswer.init),
                linkedAt: row.string(3).map(Timestamp.init(stored:))
            )
            return (row.integer(0), answers)
        }
        return Dictionary(rows) { first, _ in first }
    }

    private static func write(_ answer: MatchAnswer?, _ pair: MatchPair, _ now: Timestamp, _ db: SQLConnection) throws {
        try unlink(pair, unless: answer == .yes, now, db)
        let side = pair.isLost ? "lost" : "found"
        guard let answer else {
            let other = pair.isLost ? "found" : "lost"
            try db.execute(
                "DELETE FROM match_answer WHERE lost_id = ? AND found_id = ? AND \(other)_answer IS NULL",
                [pair.lost, pair.found]
            )
            try db.execute(
                """
                UPDATE match_answer SET \(side)_answer = NULL, \(side)_answered_at = NULL WHERE lost_id = ? AND found_id = ?
                """,
                [pair.lost, pair.found]
            )
            return
        }
        try db.execute(
            """
            INSERT INTO match_answer (lost_id, found_id, \(side)_answer, \(side)_answered_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (lost_id, found_id)
            DO UPDATE SET \(side)_answer = excluded.\(side)_answer, \(side)_answered_at = excluded.\(side)_answered_at
            """,
            [pair.lost, pair.found, answer.rawValue, now.text]
        )
    }

    /// Makes both listings reunited if both answers are yes and both listings are open.
    private static func link(_ pair: MatchPair, _ now: Timestamp, _ db: SQLConnection) throws {
        let isLinked = try db.execute(
            """
            UPDATE match_answer
            SET linked_at = ?3, found_status = (SELECT status FROM listing WHERE id = ?2)
            WHERE lost_id = ?1 AND found_id = ?2 AND lost_answer = 'yes' AND found_answer = 'yes' AND linked_at IS NULL
                AND (SELECT status FROM listing WHERE id = ?1) = 'lost'
                AND (SELECT status FROM listing WHERE id = ?2) IN ('found', 'sighted')
            """,
            [pair.lost, pair.found, now.text]
        )
        guard isLinked > 0 else { return }
        try db.execute(
            "UPDATE listing SET status = 'reunited', version = version + 1, updated_at = ?3 WHERE id IN (?1, ?2)",
            [pair.lost, pair.found, now.text]
        )
    }

    /// Gives both listings their former status back if they are linked. A listing that its owner has changed since keeps
    /// its status.
    private static func unlink(_ pair: MatchPair, unless isYes: Bool, _ now: Timestamp, _ db: SQLConnection) throws {
        guard !isYes else { return }
        let status: String? = try db.value(
            "SELECT found_status FROM match_answer WHERE lost_id = ? AND found_id = ? AND linked_at IS NOT NULL",
            [pair.lost, pair.found]
        )
        guard let status else { return }
        try db.execute(
            "UPDATE match_answer SET linked_at = NULL, found_status = NULL WHERE lost_id = ? AND found_id = ?",
            [pair.lost, pair.found]
        )
        for (key, former) in [(pair.lost, "lost"), (pair.found, status)] {
            try db.execute(
                """
                UPDATE listing SET status = ?, version = version + 1, updated_at = ?
                WHERE id = ? AND status = 'reunited'
                """,
                [former, now.text, key]
            )
        }
    }
}

/// A lost listing and one of a found or sighted animal.
struct MatchPair: Sendable {
    let lost: Int64
    let found: Int64
    /// Whether the asker's listing is the lost one.
    let isLost: Bool

    /// Throws `conflict` unless the listings are visible, open and of two sides of one species, or were so at an earlier
    /// answer.
    init(_ listing: Listing, _ other: Listing, _ db: SQLConnection) throws {
        let wasLost = try Self.isKnown(listing.key, other.key, db)
        if try wasLost || Self.isKnown(other.key, listing.key, db) {
            isLost = wasLost
        } else {
            let (own, others) = (listing.content, other.content)
            guard own.isOpen, others.isOpen, !listing.hidden, !other.hidden, own.species == others.species,
                (own.status == .lost) != (others.status == .lost)
            else {
                throw ServiceError(
                    .conflict,
                    "expected two open listings of one species, one of a lost and one of a found or sighted animal"
                )
            }
            isLost = own.status == .lost
        }
        (lost, found) = isLost ? (listing.key, other.key) : (other.key, listing.key)
    }

    private static func isKnown(_ lost: Int64, _ found: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM match_answer WHERE lost_id = ? AND found_id = ?", [lost, found])
    }
}
