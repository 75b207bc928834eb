package import Domain
package import Foundation
import SQL

/// A listing that is being compared with the alerts around it.
package struct AlertFanOut: Equatable, Sendable {
    package let listing: Int64
    /// How many batches were compared.
    package let turn: Int
    /// The last alert that was compared; 0 for none.
    package let lastAlert: Int64

    /// Returns the alerts behind the last one. If that one is gone, all are compared again, which finds nothing twice.
    package func remaining(_ alerts: [Int64]) -> [Int64] {
        alerts.firstIndex(of: lastAlert).map { Array(alerts[($0 + 1)...]) } ?? alerts
    }
}

extension AlertStore {
    /// Returns the listings that are still to be compared, those with the fewest turns first, and the newest of them, so that a
    /// post does not wait for a large import.
    package func findFanOuts(limit: Int) throws -> [AlertFanOut] {
        try database.readNow { db in
            try db.rows(
                "SELECT listing_id, turn, last_alert_id FROM alert_fan_out ORDER BY turn, listing_id DESC LIMIT ?",
                [limit]
            ) { row in AlertFanOut(listing: row.integer(0), turn: Int(row.integer(1)), lastAlert: row.integer(2)) }
        }
    }

    /// Returns the keys of the alerts that are still to be compared: those whose boxes contain the public point of the listing,
    /// the one with the nearest middle first, and then those that follow the organisation which owns it.
    package func findAlerts(around fanOut: AlertFanOut) throws -> [Int64] {
        try database.readNow { db in
            let listing = try db.row("\(ListingRow.select) WHERE listing.id = ?", [fanOut.listing]) { row in
                (point: try ListingRow(row).coordinate(), owner: ListingRow(row).owner)
            }
            guard let listing else { return [] }
            let following: [Int64] = try db.values("SELECT id FROM alert WHERE organisation_id = ?", [listing.owner])
            let around = try Self.alerts(around: listing.point, db)
            return fanOut.remaining(around + Set(following).subtracting(around).sorted())
        }
    }

    private static func alerts(around point: Coordinate, _ db: SQLConnection) throws -> [Int64] {
        // The index of PostgreSQL contains the boxes as values of the type `box`.
        let isInside =
            db.engine == .postGIS
            ? "box(point(west, south), point(east, north)) @> point(?1, ?2)"
            : "west <= ?1 AND east >= ?1 AND south <= ?2 AND north >= ?2"
        var found: [(distance: Double, key: Int64)] = []
        try db.forEachRow(
            "SELECT id, west + east, south + north FROM alert_area WHERE \(isInside)",
            [point.lon, point.lat]
        ) { row in
            let middle = Coordinate(lon: row.real(1) / 2, lat: row.real(2) / 2)
            found.append((middle?.distance(to: point) ?? 0, row.integer(0) / 2))
        }
        found.sort(by: <)
        // The two boxes of one alert may touch on the antimeridian.
        var known: Set<Int64> = []
        return found.map(\.key).filter { known.insert($0).inserted }
    }

    /// Compares a listing with some alerts, and stores those that have found it.
    ///
    /// - Parameters:
    ///   - alerts: in the order of `findAlerts`.
    ///   - isLast: whether there are no more alerts.
    ///   - zone: returns the time zone of a point in a country.
    ///   - matcher: returns how to decide whether an alert has found a listing.
    /// - Returns: the number of alerts that had not found the listing with this status before.
    package func advance(
        _ fanOut: AlertFanOut,
        _ alerts: [Int64],
        isLast: Bool,
        at now: Timestamp = .now,
        zone: (Coordinate, String?) -> TimeZone,
        _ matcher: @escaping @Sendable (Alert) -> ListingMatcher?
    ) async throws -> Int {
        let found = try database.readNow { db in try Self.matches(fanOut, alerts, db, zone, matcher) }
        return try await database.write { db in
            // The status may have changed since; then the comparison begins again.
            let next = try db.row(
                "SELECT turn, last_alert_id FROM alert_fan_out WHERE listing_id = ?",
                [fanOut.listing]
            ) { row in AlertFanOut(listing: fanOut.listing, turn: Int(row.integer(0)), lastAlert: row.integer(1)) }
            guard next == fanOut else { return 0 }
            var count = 0
            let schedule = NotificationSchedule(at: now, in: found.zone)
            for alert in found.alerts {
                let finding = Finding(
                    alert: alert,
                    listing: fanOut.listing,
                    status: found.status,
                    probability: nil,
                    turn: fanOut.turn,
                    notedAt: found.notedAt
                )
                if try Self.add(finding, schedule, at: now, db) { count += 1 }
            }
            if isLast {
                try db.execute("DELETE FROM alert_fan_out WHERE listing_id = ?", [fanOut.listing])
            } else {
                try db.execute(
                    "UPDATE alert_fan_out SET turn = turn + 1, last_alert_id = ? WHERE listing_id = ?",
                    [alerts.last ?? fanOut.lastAlert, fanOut.listing]
                )
            }
            return count
        }
    }

    /// Owners are not told of their own listings, nor are accounts that are disabled or that the owner has blocked, or
    /// that have blocked the owner.
    private static func matches(
        _ fanOut: AlertFanOut,
        _ alerts: [Int64],
        _ db: SQLConnection,
        _ zone: (Coordinate, String?) -> TimeZone,
        _ matcher: (Alert) -> ListingMatcher?
    ) throws -> (status: String, alerts: [Int64], zone: TimeZone, notedAt: Timestamp) {
        let scan = try PreparedStatement(db, "\(ListingRow.select) WHERE listing.id = ?", [.integer(fanOut.listing)])
        guard try scan.next() else { return ("", [], .gmt, .now) }
        let listing = ListingRow(scan.row)
        let words = ListingWords(listing)
        let noted = try Self.notedAt(fanOut.listing, db)
        let owner = listing.owner
        let found: [(key: Int64, distance: Double)] = try alerts.compactMap { key in
            let alert = try db.row(
                """
                SELECT alert.*, NULL AS listing FROM alert JOIN account ON account.id = account_id
                WHERE alert.id = ?1 AND alert.created_at <= ?3 AND NOT paused AND account_id <> ?2 AND NOT disabled AND NOT EXISTS (
                    SELECT 1 FROM block
                    WHERE blocker_id = account_id AND blocked_id = ?2 OR blocker_id = ?2 AND blocked_id = account_id)
                """,
                [key, owner, noted?.text ?? ""],
                Alert.init
            )
            return try alert.flatMap(matcher)?.distance(of: listing, words).map { (key, $0) }
        }
        let place = zone(try listing.coordinate(), listing.string(.countryCode))
        // The nearest readers are told first.
        let nearest = found.sorted { ($0.distance, $0.key) < ($1.distance, $1.key) }.map(\.key)
        return (listing.string(.status) ?? "", nearest, place, noted ?? .now)
    }

    static func notedAt(_ listing: Int64, _ db: SQLConnection) throws -> Timestamp? {
        let text: String? = try db.value("SELECT noted_at FROM alert_fan_out WHERE listing_id = ?", [listing])
        return text.map(Timestamp.init(stored:))
    }

    /// That an alert has found a listing.
    struct Finding {
        let alert: Int64
        let listing: Int64
        let status: String
        let probability: Double?
        /// How many batches of alerts were compared with the listing before.
        let turn: Int
        /// When the listing was posted, or its status changed.
        let notedAt: Timestamp
    }

    /// Stores a finding, and notes that its reader is to be told.
    ///
    /// - Returns: false if the alert had found the listing with this status before.
    @discardableResult
    static func add(
        _ finding: Finding,
        _ schedule: NotificationSchedule,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws -> Bool {
        let account: Int64? = try db.value("SELECT account_id FROM alert WHERE id = ?", [finding.alert])
        guard let account else { return false }
        let isNew =
            try db.execute(
                """
                INSERT INTO alert_listing (alert_id, listing_id, status, probability, found_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (alert_id, listing_id) DO UPDATE
                SET status = excluded.status, probability = excluded.probability, found_at = excluded.found_at
                WHERE alert_listing.status <> excluded.status
                """,
                [finding.alert, finding.listing, finding.status, finding.probability, now.text]
            ) > 0
        if isNew { try NotificationStore.add(finding, to: account, schedule, at: now, db) }
        return isNew
    }
}
