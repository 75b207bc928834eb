package import Domain
package import Foundation
import SQL

/// The alerts of accounts, with the listings that they have found.
package struct AlertStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Returns the alerts of an account, oldest first.
    package func findAlerts(of account: Account) throws -> [Alert] {
        try database.readNow { db in
            try db.rows("\(Self.select) WHERE alert.account_id = ? ORDER BY alert.id", [account.key], Alert.init)
        }
    }

    /// Throws `notFound` if the account has no such alert.
    package func getAlert(id: UUID, of account: Account) throws -> Alert {
        try database.readNow { db in try Self.get(id, account, db) }
    }

    static let select =
        "SELECT alert.*, listing.uuid AS listing FROM alert LEFT JOIN listing ON listing.id = listing_id"

    /// Saves a search.
    ///
    /// - Parameter query: the search that the values of `search` mean, which gives the area or the organisation.
    package func create(
        name: String?,
        search: [String: String],
        _ query: ListingQuery,
        by account: Account,
        at now: Timestamp = .now
    ) async throws -> Alert {
        let id = UUID()
        return try await database.write { db in
            try ListingDerivation.throwIfBanned(account.key, db)
            guard try db.count("alert WHERE account_id = ? AND search IS NOT NULL", [account.key]) < Alert.maxCount
            else {
                throw ServiceError(
                    .quotaExceeded,
                    "an account has at most \(Alert.maxCount) saved searches: delete one first"
                )
            }
            let key = try db.insert(
                """
                INSERT INTO alert (uuid, account_id, name, search, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?5, ?5) RETURNING id
                """,
                [id.lowercased, account.key, name, try search.json, now.text]
            )
            try Self.writeArea(of: key, query, db)
            return try Self.get(id, account, db)
        }
    }

    /// Changes an alert. What it has found stays.
    ///
    /// - Parameters:
    ///   - change: returns what the alert becomes.
    package func edit(
        id: UUID,
        of account: Account,
        at now: Timestamp = .now,
        _ change: @escaping @Sendable (Alert) throws -> AlertChange
    ) async throws -> Alert {
        try await database.write { db in
            let alert = try Self.get(id, account, db)
            let change = try change(alert)
            try db.execute(
                "UPDATE alert SET name = ?, paused = ?, version = version + 1, updated_at = ? WHERE id = ?",
                [change.name, change.isPaused, now.text, alert.key]
            )
            if let (search, query) = change.search {
                try db.execute("UPDATE alert SET search = ? WHERE id = ?", [try search.json, alert.key])
                try Self.writeArea(of: alert.key, query, db)
            }
            if let probability = change.minProbability {
                try db.execute("UPDATE alert SET min_probability = ? WHERE id = ?", [probability, alert.key])
            }
            return try Self.get(id, account, db)
        }
    }

    /// Throws `notFound` if the account has no such alert.
    package func remove(id: UUID, of account: Account, _ check: @escaping @Sendable (Alert) throws -> Void) async throws
    {
        try await database.write { db in
            let alert = try Self.get(id, account, db)
            try check(alert)
            try db.execute("DELETE FROM alert WHERE id = ?", [alert.key])
        }
    }

    /// Returns the listings that an alert has found and that are open and not hidden, newest first.
    ///
    /// - Parameters:
    ///   - last: the `Listing.key` at which the previous page ended.
    ///   - read: extracts a value from the row of the listing.
    package func findFindings<Value>(
        of alert: Alert,
        before last: Int64? = nil,
        limit: Int,
        _ read: (ListingRow) throws -> Value
    ) throws -> (findings: [AlertFinding<Value>], next: Int64?) {
        let found = try database.readNow { db in
            try db.rows(
                """
                SELECT listing_id, alert_listing.status, probability, found_at FROM alert_listing
                    JOIN listing ON listing.id = listing_id
                WHERE alert_id = ? AND listing_id < ? AND NOT hidden AND listing.status IN ('lost', 'found', 'sighted')
                ORDER BY listing_id DESC LIMIT ?
                """,
                [alert.key, last ?? .max, limit + 1]
            ) { row in
                (
                    listing: row.integer(0), status: try row["status"] as Listing.Status,
                    probability: try row["probability"] as Double?, at: try row["found_at"] as Timestamp
                )
            }.map { found in
                try db.row("\(ListingRow.select) WHERE listing.id = ?", [found.listing]) { row in
                    AlertFinding(
                        listing: found.listing,
                        status: found.status,
                        probability: found.probability,
                        foundAt: found.at,
                        value: try read(ListingRow(row))
                    )
                }
            }
        }.compactMap(\.self)
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last?.listing : nil)
    }

    /// Returns the number of accounts whose saved searches have found a listing, at most `Alert.maxCountedReaders`.
    package func countReaders(of listing: Listing) throws -> Int {
        try database.readNow { db in
            try db.count(
                """
                (SELECT DISTINCT account_id FROM alert_listing JOIN alert ON alert.id = alert_id
                WHERE alert_listing.listing_id = ? AND search IS NOT NULL LIMIT ?) AS reader
                """, [listing.key, Alert.maxCountedReaders])
        }
    }

    /// Returns how many messages about a listing its readers have got, by channel.
    package func findTold(of listing: Listing) throws -> [ToldReaders] {
        try database.readNow { db in
            try db.rows("SELECT * FROM listing_told WHERE listing_id = ? ORDER BY channel", [listing.key]) { row in
                let channel: String = try row["channel"]
                return ToldReaders(
                    ToldReaders.Channel(rawValue: channel) ?? .mail, messages: try row["messages"],
                    firstAt: try row["first_at"], lastAt: try row["last_at"])
            }
        }
    }

    // MARK: -

    static func get(_ id: UUID, _ account: Account, _ db: SQLConnection) throws -> Alert {
        let found = try db.row(
            "\(Self.select) WHERE alert.uuid = ? AND alert.account_id = ?",
            [id.lowercased, account.key],
            Alert.init
        )
        guard let found else { throw ServiceError(.notFound, "no such alert") }
        return found
    }

    private static func writeArea(of alert: Int64, _ query: ListingQuery, _ db: SQLConnection) throws {
        try db.execute("DELETE FROM alert_area WHERE id IN (?, ?)", [2 * alert, 2 * alert + 1])
        try db.execute("UPDATE alert SET organisation_id = ? WHERE id = ?", [query.owner, alert])
        // The alerts of an organisation are found by it, wherever the animal is.
        guard query.owner == nil else { return }
        for (index, box) in SearchArea(circle: query.circle, box: query.box).extents.prefix(2).enumerated() {
            try db.execute(
                "INSERT INTO alert_area (id, west, east, south, north) VALUES (?, ?, ?, ?, ?)",
                [2 * alert + Int64(index), box.west, box.east, box.south, box.north]
            )
        }
    }

}

/// A change of an alert.
package struct AlertChange: Sendable {
    package let name: String?
    package let isPaused: Bool
    /// Nil if the search stays.
    package let search: (values: [String: String], query: ListingQuery)?
    /// Nil if it stays.
    package let minProbability: Double?

    package init(
        name: String?,
        isPaused: Bool,
        search: (values: [String: String], query: ListingQuery)? = nil,
        minProbability: Double? = nil
    ) {
        (self.name, self.isPaused, self.search, self.minProbability) = (name, isPaused, search, minProbability)
    }
}

extension Alert {
    init(_ row: StatementRow) throws {
        let subject: Subject
        if let search: String = try row["search"] {
            guard let values = try? JSONDecoder().decode([String: String].self, from: Data(search.utf8)) else {
                throw UnreadableRow("alert: search")
            }
            subject = .search(values)
        } else {
            subject = .matches(listing: try row["listing"], minProbability: try row["min_probability"])
        }
        self.init(
            key: try row["id"],
            id: try row["uuid"],
            name: try row["name"],
            subject: subject,
            isPaused: try row["paused"],
            version: try row["version"],
            createdAt: try row["created_at"],
            updatedAt: try row["updated_at"]
        )
    }
}
