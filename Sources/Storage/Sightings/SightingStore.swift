package import Domain
package import Foundation
import SQL

/// Sightings of the lost animals of listings.
///
/// The owner of a listing sees its sightings as they are. Authors see their own. Others see those that the owner has
/// confirmed, with the centre of the cell instead of the point.
package struct SightingStore: Sendable {
    let database: any Database

    /// The maximum number that `countWaiting` returns.
    package static let maxCounted = 100

    package init(_ database: any Database) { self.database = database }

    /// Returns the sightings of a listing that the reader may see, the latest first.
    ///
    /// - Parameter reader: nil for a client without an account.
    package func findSightings(of listing: Listing, seenBy reader: Account?) throws -> [Sighting] {
        try database.readNow { db in try Self.find(listing.key, reader?.key, db) }
    }

    /// Where and when an animal was seen.
    package struct SeenPlace: Sendable {
        package let coordinate: Coordinate
        /// Whether it is only the centre of a cell.
        package let isCell: Bool
        package let time: Timestamp

        package init(coordinate: Coordinate, isCell: Bool, time: Timestamp) {
            (self.coordinate, self.isCell, self.time) = (coordinate, isCell, time)
        }
    }

    /// Returns the places and the times of the confirmed sightings of which more than a town is known, for computations:
    /// those of the listing are exact, and those of joined listings are what everybody may see. For everybody but the owner of
    /// the listing, the caller has to use the cells of the points.
    package func findConfirmedPlaces(of listing: Listing) throws -> [SeenPlace] {
        try database.readNow { db in
            let joined = try AnimalStore.keys(joinedWith: listing.key, db).filter { $0 != listing.key }
            return
                (try Self.confirmedPlaces(of: listing.key, db) + Self.placesJoinedWithAttached(to: listing.key, db)
                + joined.flatMap { try Self.confirmedPlaces(of: $0, db).map(\.blurred) })
                .sorted { $0.time < $1.time }
        }
    }

    private static func confirmedPlaces(of listing: Int64, _ db: SQLConnection) throws -> [SeenPlace] {
        try db.rows(
            """
            SELECT lon, lat, seen_at
            FROM sighting JOIN account AS author ON author.id = sighting.account_id
                LEFT JOIN listing AS attached ON attached.id = sighting.attached_id
            WHERE listing_id = ? AND state = 'confirmed' AND NOT sighting.approximate AND NOT author.disabled
                AND attached.hidden IS NOT TRUE
            """,
            [listing]
        ) { row in try SeenPlace(row, isCell: false) }.compactMap(\.self)
    }

    /// The places of listings that are joined with those that the owner has attached as sightings.
    private static func placesJoinedWithAttached(to listing: Int64, _ db: SQLConnection) throws -> [SeenPlace] {
        try db.rows(
            """
            SELECT ST_X(geom), ST_Y(geom), last_seen_at, approximate
            FROM listing
            WHERE id IN (
                    SELECT other.listing_id
                    FROM sighting CROSS JOIN animal_listing AS own CROSS JOIN animal_listing AS other
                    WHERE sighting.listing_id = ?1 AND state = 'confirmed' AND own.listing_id = attached_id
                        AND other.animal_id = own.animal_id)
                AND id NOT IN (
                    SELECT attached_id FROM sighting WHERE listing_id = ?1 AND attached_id IS NOT NULL)
                AND NOT hidden AND last_seen_at IS NOT NULL AND (NOT approximate OR exact_lon IS NOT NULL)
            """,
            [listing]
        ) { row in try SeenPlace(row, isCell: row[3]) }.compactMap(\.self)
    }

    /// Throws `notFound` if the reader does not see the sighting.
    package func getSighting(id: UUID, of listing: Listing, seenBy reader: Account) throws -> Sighting {
        try database.readNow { db in try Self.get(id, at: listing, reader.key, db) }
    }

    static func find(_ listing: Int64, _ reader: Int64?, _ db: SQLConnection) throws -> [Sighting] {
        try db.rows(
            """
            \(selection) WHERE sighting.listing_id = ?2 AND \(isVisible)
            ORDER BY (sighting.state = 'dismissed'), sighting.seen_at DESC, sighting.id DESC LIMIT ?3
            """,
            [reader, listing, 2 * Sighting.maxCount],
            Sighting.init
        )
    }

    /// The parameter `?1` is the key of the reader.
    private static let selection = """
        SELECT sighting.*, sighting.account_id IS NOT DISTINCT FROM ?1 AS is_mine,
            sighting.owner_id IS NOT DISTINCT FROM ?1 AS is_owner,
            attached.uuid AS attached_uuid, attached.name AS attached_name, attached.species AS attached_species,
            \(StoredPhoto.columns)
        FROM sighting JOIN account AS author ON author.id = sighting.account_id
            LEFT JOIN listing AS attached ON attached.id = sighting.attached_id
            LEFT JOIN photo ON photo.id = coalesce(
                (SELECT own.id FROM photo AS own WHERE own.sighting_id = sighting.id),
                (SELECT other.id FROM photo AS other WHERE other.listing_id = attached.id ORDER BY other.number LIMIT 1))
        """

    /// Nobody sees an attached listing that a moderator hid, nor what a banned account says.
    static let isVisible = """
        CASE WHEN sighting.account_id = ?1 THEN attached.hidden IS NOT TRUE
            ELSE sighting.is_delivered AND (sighting.owner_id = ?1 OR sighting.state = 'confirmed')
                AND NOT author.disabled AND attached.hidden IS NOT TRUE END
        """

    /// Returns whether the reader sees the sighting on the page of its listing, and so its photo. Admins also see one that
    /// is reported, until they have decided.
    ///
    /// - Parameter reader: nil for a client without an account.
    package func isVisible(_ id: UUID, to reader: Account?) throws -> Bool {
        try database.readNow { db in
            try db.exists(
                """
                SELECT 1
                FROM sighting JOIN listing ON listing.id = sighting.listing_id
                    JOIN account AS author ON author.id = sighting.account_id
                    LEFT JOIN listing AS attached ON attached.id = sighting.attached_id
                WHERE sighting.uuid = ?2
                    AND ((listing.hidden = 0 OR listing.account_id = ?1 OR ?3) AND \(Self.isVisible)
                        OR ?3 AND EXISTS (
                            SELECT 1 FROM report_case
                            WHERE subject_uuid = sighting.uuid AND subject = 'sighting' AND report_case.status = 'open'))
                """, [reader?.key, id.lowercased, reader?.role == .admin])
        }
    }

    /// A listing of the account with sightings to decide on.
    package struct Waiting: Sendable {
        package let listing: UUID
        package let name: String?
        package let species: Species
        package let count: Int
    }

    private static let isWaiting = """
        sighting.state = 'proposed' AND sighting.is_delivered = 1
            AND EXISTS (SELECT 1 FROM account WHERE account.id = sighting.account_id AND NOT disabled)
        """

    /// Returns the number of sightings that wait for a decision of the account, up to `maxCounted`.
    package func countWaiting(for account: Account) throws -> Int {
        try database.readNow { db in
            try db.count(
                "(SELECT 1 FROM sighting WHERE owner_id = ? AND \(Self.isWaiting) LIMIT ?) AS found",
                [account.key, Self.maxCounted])
        }
    }

    /// Returns the listings of the account with sightings to decide on, the last reported one first; at most 50.
    package func findWaiting(for account: Account) throws -> [Waiting] {
        try database.readNow { db in
            try db.rows(
                """
                SELECT uuid, name, species, sightings
                FROM (
                    SELECT listing_id, count(*) AS sightings, max(sighting.id) AS last
                    FROM sighting WHERE owner_id = ? AND \(Self.isWaiting)
                    GROUP BY listing_id ORDER BY last DESC LIMIT 50) AS waiting
                CROSS JOIN listing
                WHERE listing.id = listing_id ORDER BY last DESC
                """,
                [account.key]
            ) { row in
                try Waiting(listing: row["uuid"], name: row["name"], species: row["species"], count: row["sightings"])
            }
        }
    }

    /// Sets the decision of the owner.
    ///
    /// - Parameter id: a sighting of this listing that the owner sees.
    package func setState(
        _ state: Sighting.State,
        of id: UUID,
        at listing: Listing,
        by owner: Account
    ) async throws -> Sighting {
        try await database.write { db in
            guard let sighting = try Self.find(id, at: listing, owner.key, db) else { throw Self.missing }
            guard listing.owner == owner.key else {
                throw ServiceError(.forbidden, "only the owner of the listing decides on a sighting")
            }
            guard sighting.state != state else { return sighting }
            try db.execute("UPDATE sighting SET state = ? WHERE uuid = ?", [state.rawValue, id])
            if sighting.state == .dismissed { try Self.checkCount(of: listing.key, db) }
            return try Self.get(id, at: listing, owner.key, db)
        }
    }

    static func get(_ id: UUID, at listing: Listing, _ reader: Int64, _ db: SQLConnection) throws -> Sighting {
        guard let sighting = try find(id, at: listing, reader, db) else { throw missing }
        return sighting
    }

    private static func find(
        _ id: UUID,
        at listing: Listing,
        _ reader: Int64,
        _ db: SQLConnection
    ) throws -> Sighting? {
        try db.row(
            "\(selection) WHERE sighting.uuid = ?2 AND sighting.listing_id = ?3 AND \(isVisible)",
            [reader, id, listing.key],
            Sighting.init
        )
    }

    /// Throws if the listing has more sightings than its limit, counting those that are about to be added.
    static func checkCount(of listing: Int64, adding more: Int = 0, _ db: SQLConnection) throws {
        let count = try db.count("sighting WHERE listing_id = ? AND state <> 'dismissed' AND is_delivered", [listing])
        guard count + more <= Sighting.maxCount else {
            throw ServiceError(.conflict, "the listing has \(Sighting.maxCount) sightings, which is the maximum")
        }
    }

    static let missing = ServiceError(.notFound, "no such sighting")
}

extension Sighting {
    /// - Parameter row: a row of `SightingStore.selection`.
    fileprivate init(_ row: StatementRow) throws {
        let (isMine, isOwner): (Bool, Bool) = (try row["is_mine"], try row["is_owner"])
        let isWhole = isMine || isOwner
        guard let point = try row.coordinate else { throw UnreadableRow("sighting \(try row["id"] as Int64): point") }
        let attached = try (row["attached_uuid"] as UUID?).map { id in
            try AttachedListing(id: id, name: row["attached_name"], species: row["attached_species"])
        }
        try self.init(
            id: row["uuid"],
            state: row["state"],
            isMine: isMine,
            point: isWhole ? point : point.cellCentre,
            isApproximate: isWhole ? row["approximate"] : true,
            place: row["place"],
            seenAt: row["seen_at"],
            text: row["text"],
            contactPhone: isWhole ? row["contact_phone"] : nil,
            attached: attached,
            photo: StoredPhoto(joined: row),
            createdAt: row["created_at"]
        )
    }
}

extension AccountStore {
    /// Transfers the sightings by a guest to an account.
    static func bringSightings(of guest: Int64, to account: Int64, _ db: SQLConnection) throws {
        try db.execute("UPDATE sighting SET account_id = ? WHERE account_id = ?", [account, guest])
    }
}

extension SightingStore.SeenPlace {
    fileprivate init?(_ row: StatementRow, isCell: Bool) throws {
        guard let coordinate = Coordinate(lon: row.real(0), lat: row.real(1)) else { return nil }
        self.init(coordinate: coordinate, isCell: isCell, time: try row[2])
    }

    fileprivate var blurred: Self { Self(coordinate: coordinate.cellCentre, isCell: true, time: time) }
}
