import Domain
import SQL

/// The end of a confirmed match: the animal is home. The owner of either listing says so, by the status `reunited`, and both
/// listings become `reunited`, with all others whose owners have confirmed the same lost listing, and with all that are joined with
/// one of these.
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

    /// Makes the listings of an animal `reunited`. Does nothing if no match of the listing is confirmed and it is not joined
    /// with others.
    ///
    /// - Parameter isSet: whether the listing itself becomes `reunited` as well.
    static func close(
        with listing: Int64,
        setting isSet: Bool,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        var keys = Set(try takeHome(joinedWith: listing, at: now, db) + [listing])
        let partners = Set(try keys.flatMap { try link(with: $0, at: now, db) }).subtracting(keys)
        keys.formUnion(partners)
        for partner in partners { keys.formUnion(try takeHome(joinedWith: partner, at: now, db)) }
        if !isSet || keys.count == 1 { keys.remove(listing) }
        for key in keys {
            try db.execute(
                "UPDATE listing SET status = 'reunited', version = version + 1, updated_at = ? WHERE id = ?",
                [now, key])
        }
    }

    /// Links the confirmed pairs of a listing, and those of the same lost listing. Returns the listings.
    private static func link(with listing: Int64, at now: Timestamp, _ db: SQLConnection) throws -> [Int64] {
        try db.rows(
            """
            UPDATE match_answer
            SET linked_at = ?2, found_status = (SELECT status FROM listing WHERE listing.id = match_answer.found_id)
            WHERE linked_at IS NULL AND lost_answer = 'yes' AND found_answer = 'yes' AND NOT same_side
                AND lost_id IN (
                    SELECT CAST(?1 AS BIGINT)
                    UNION ALL
                    SELECT agreed.lost_id FROM match_answer AS agreed
                    WHERE agreed.found_id = ?1 AND agreed.lost_answer = 'yes' AND agreed.found_answer = 'yes'
                        AND NOT agreed.same_side)
                AND (SELECT status FROM listing WHERE listing.id = match_answer.lost_id) = 'lost'
                AND (SELECT status FROM listing WHERE listing.id = match_answer.found_id) IN ('found', 'sighted')
            RETURNING lost_id, found_id
            """,
            [listing, now]
        ) { row in [row.integer(0), row.integer(1)] }.flatMap(\.self)
    }

    /// Notes the statuses of the open listings that are joined with a listing, itself included, and returns them.
    private static func takeHome(joinedWith listing: Int64, at now: Timestamp, _ db: SQLConnection) throws -> [Int64] {
        try db.rows(
            """
            UPDATE animal_listing
            SET home_at = ?2, former_status = (SELECT status FROM listing WHERE listing.id = animal_listing.listing_id)
            WHERE animal_id = (SELECT own.animal_id FROM animal_listing AS own WHERE own.listing_id = ?1)
                AND (SELECT status FROM listing WHERE listing.id = animal_listing.listing_id)
                    IN ('lost', 'found', 'sighted')
            RETURNING listing_id
            """,
            [listing, now]
        ) { row in row.integer(0) }
    }

    /// Returns the listings joined with a listing, itself included, that became `reunited` since a time.
    static func home(
        joinedWith listing: Int64,
        since time: Timestamp,
        _ db: SQLConnection
    ) throws -> [(key: Int64, status: String, at: Timestamp)] {
        try db.rows(
            """
            SELECT listing_id, former_status, home_at FROM animal_listing
            WHERE animal_id = (SELECT animal_id FROM animal_listing WHERE listing_id = ?) AND home_at >= ?
            """,
            [listing, time]
        ) { row in (key: row.integer(0), status: try row[1], at: try row[2]) }
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
        let earliest = now.adding(days: -MatchAnswers.undoDays)
        var joined = try home(joinedWith: listing, since: earliest, db)
        let pairs = try Set(joined.map(\.key) + [listing]).flatMap { try links(with: $0, since: earliest, db) }
        joined += try Set(pairs.flatMap { [$0.lost, $0.found] }).flatMap {
            try home(joinedWith: $0, since: earliest, db)
        }
        var formers: [Int64: String] = [:]
        for pair in pairs {
            try db.execute(
                "UPDATE match_answer SET linked_at = NULL, found_status = NULL WHERE lost_id = ? AND found_id = ?",
                [pair.lost, pair.found]
            )
            (formers[pair.lost], formers[pair.found]) = ("lost", pair.status)
        }
        for (key, status, _) in joined {
            try db.execute(
                "UPDATE animal_listing SET home_at = NULL, former_status = NULL WHERE listing_id = ?", [key])
            formers[key] = status
        }
        for (key, former) in formers where isSet || key != listing {
            try db.execute(
                """
                UPDATE listing SET status = ?, version = version + 1, updated_at = ?
                WHERE id = ? AND status = 'reunited'
                """,
                [former, now, key]
            )
        }
    }

    /// Returns the pairs that were linked with those of a listing.
    private static func links(
        with listing: Int64,
        since time: Timestamp,
        _ db: SQLConnection
    ) throws -> [(lost: Int64, found: Int64, status: String)] {
        try db.rows(
            """
            SELECT pair.lost_id, pair.found_id, pair.found_status
            FROM (
                SELECT lost_id, linked_at FROM match_answer WHERE lost_id = ?1 AND linked_at > ?2
                UNION
                SELECT lost_id, linked_at FROM match_answer WHERE found_id = ?1 AND linked_at > ?2) AS reunion
            JOIN match_answer AS pair ON pair.lost_id = reunion.lost_id AND pair.linked_at = reunion.linked_at
            """,
            [listing, time]
        ) { row in (lost: row.integer(0), found: row.integer(1), status: try row[2]) }
    }
}
