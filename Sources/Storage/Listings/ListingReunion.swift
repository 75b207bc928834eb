import Domain
import SQL

/// The end of a confirmed match: the animal is home. The owner of either listing says so, by the status `reunited`, and both
/// listings become `reunited`, with all others whose owners have confirmed the same lost listing.
enum ListingReunion {
    /// Closes or reopens the other listings of the animal when the owner of a listing sets its status. The listing itself
    /// still has its former status.
    static func follow(
        _ status: Listing.Status?,
        of listing: Int64,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        if status == .reunited { try close(with: listing, setting: false, at: now, db) }
        if status?.isOpen == true { try undo(with: listing, setting: false, at: now, db) }
    }

    /// Makes the listings of an animal `reunited`. Does nothing if no match of the listing is confirmed.
    ///
    /// - Parameter isSet: whether the listing itself becomes `reunited` as well.
    static func close(
        with listing: Int64,
        setting isSet: Bool,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        let pairs = try db.rows(
            """
            UPDATE match_answer
            SET linked_at = ?2, found_status = (SELECT status FROM listing WHERE listing.id = match_answer.found_id)
            WHERE linked_at IS NULL AND lost_answer = 'yes' AND found_answer = 'yes'
                AND lost_id IN (
                    SELECT CAST(?1 AS BIGINT)
                    UNION ALL
                    SELECT agreed.lost_id FROM match_answer AS agreed
                    WHERE agreed.found_id = ?1 AND agreed.lost_answer = 'yes' AND agreed.found_answer = 'yes')
                AND (SELECT status FROM listing WHERE listing.id = match_answer.lost_id) = 'lost'
                AND (SELECT status FROM listing WHERE listing.id = match_answer.found_id) IN ('found', 'sighted')
            RETURNING lost_id, found_id
            """,
            [listing, now]
        ) { row in [row.integer(0), row.integer(1)] }
        for key in Set(pairs.joined()) where isSet || key != listing {
            try db.execute(
                "UPDATE listing SET status = 'reunited', version = version + 1, updated_at = ? WHERE id = ?",
                [now, key])
        }
    }

    /// Gives the listings of an animal the statuses that they had before its reunion, if that was less than a day ago. A
    /// listing that its owner has changed since keeps its status.
    ///
    /// - Parameter isSet: whether the listing itself gets its former status as well.
    static func undo(
        with listing: Int64,
        setting isSet: Bool,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        let pairs = try db.rows(
            """
            SELECT pair.lost_id, pair.found_id, pair.found_status
            FROM (
                SELECT lost_id, linked_at FROM match_answer WHERE lost_id = ?1 AND linked_at > ?2
                UNION
                SELECT lost_id, linked_at FROM match_answer WHERE found_id = ?1 AND linked_at > ?2) AS reunion
            JOIN match_answer AS pair ON pair.lost_id = reunion.lost_id AND pair.linked_at = reunion.linked_at
            """,
            [listing, now.adding(days: -MatchAnswers.undoDays)]
        ) { row in (lost: row.integer(0), found: row.integer(1), status: try row[2] as String) }
        for pair in pairs {
            try db.execute(
                "UPDATE match_answer SET linked_at = NULL, found_status = NULL WHERE lost_id = ? AND found_id = ?",
                [pair.lost, pair.found]
            )
            for (key, former) in [(pair.lost, "lost"), (pair.found, pair.status)] where isSet || key != listing {
                try db.execute(
                    """
                    UPDATE listing SET status = ?, version = version + 1, updated_at = ?
                    WHERE id = ? AND status = 'reunited'
                    """,
                    [former, now, key]
                )
            }
        }
    }
}
