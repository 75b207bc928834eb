package import Domain
import SQL

/// The records that owners keep of the animals of their listings.
package struct AnimalRecordStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// The number of kennels that a filter offers.
    private static let maxKennels = 500
    private static let columns = AnimalRecord.Key.allCases.map(\.rawValue)

    /// Returns the record of a listing; an empty one if nothing is noted.
    package func find(of listing: Listing) throws -> AnimalRecord {
        try find(of: [listing])[listing.key] ?? AnimalRecord()
    }

    /// Returns the records of listings, by the `Listing.key`.
    package func find(of listings: [Listing]) throws -> [Int64: AnimalRecord] {
        guard !listings.isEmpty else { return [:] }
        let list = listings.map { String($0.key) }.joined(separator: ", ")
        return try database.readNow { db in try Self.records("WHERE listing_id IN (\(list))", [], db) }
    }

    /// Returns the records of the found animals of an account, by the `Listing.key`.
    package func findFound(of account: Account) throws -> [Int64: AnimalRecord] {
        try database.readNow { db in
            try Self.records(
                "JOIN listing ON listing.id = listing_id WHERE account_id = ? AND status = 'found'", [account.key], db)
        }
    }

    private static func records(
        _ condition: String, _ values: [any SQLBindable], _ db: SQLConnection
    ) throws -> [Int64: AnimalRecord] {
        let names = columns.map { "animal_record.\($0)" }.joined(separator: ", ")
        let rows = try db.rows("SELECT listing_id, \(names) FROM animal_record \(condition)", values) { row in
            (key: try row["listing_id"] as Int64, record: try AnimalRecord(row))
        }
        return Dictionary(rows.map { ($0.key, $0.record) }) { first, _ in first }
    }

    /// Returns the kennels of the open listings of an account, in the order of their names.
    package func findKennels(of account: Account) throws -> [String] {
        let found: [String] = try database.readNow { db in
            try db.values(
                """
                SELECT DISTINCT kennel FROM animal_record JOIN listing ON listing.id = listing_id
                WHERE account_id = ? AND status IN ('lost', 'found', 'sighted') AND kennel IS NOT NULL
                ORDER BY kennel LIMIT \(Self.maxKennels)
                """,
                [account.key]
            )
        }
        return found.sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    }

    /// Replaces the record of a listing.
    ///
    /// - Parameter member: who writes it for an organisation.
    package func put(_ record: AnimalRecord, of listing: Listing, by member: Account?) async throws {
        try await database.write { db in
            let exists = try db.exists("SELECT 1 FROM listing WHERE id = ?", [listing.key])
            guard exists else { throw ServiceError(.notFound, "no such listing") }
            guard try Self.records("WHERE listing_id = ?", [listing.key], db)[listing.key] ?? .init() != record
            else { return }
            let values = AnimalRecord.Key.allCases.map { ($0, record[$0]) }
            try Self.set(Dictionary(uniqueKeysWithValues: values), of: listing.key, db)
            try OrganisationActionLog.record(.editRecord, listing, by: member, db)
        }
    }

    /// Whether the record of a listing has these values.
    static func has(_ values: [AnimalRecord.Key: String?], of listing: Int64, _ db: SQLConnection) throws -> Bool {
        guard !values.isEmpty else { return true }
        let record = try records("WHERE listing_id = ?", [listing], db)[listing] ?? AnimalRecord()
        return values.allSatisfy { record[$0] == $1 }
    }

    /// Sets some fields of the record of a listing, within the transaction that writes the listing. Nil clears a field.
    ///
    /// - Parameter listing: its `Listing.key`.
    static func set(_ values: [AnimalRecord.Key: String?], of listing: Int64, _ db: SQLConnection) throws {
        guard !values.isEmpty else { return }
        let keys = AnimalRecord.Key.allCases.filter { values[$0] != nil }
        let names = keys.map(\.rawValue)
        let blanks = keys.map { _ in "?" }.joined(separator: ", ")
        let changes = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        try db.execute(
            """
            INSERT INTO animal_record (listing_id, \(names.joined(separator: ", "))) VALUES (?, \(blanks))
            ON CONFLICT (listing_id) DO UPDATE SET \(changes)
            """,
            [listing] + keys.map { key in values[key] ?? nil }
        )
        let isEmpty = columns.map { "\($0) IS NULL" }.joined(separator: " AND ")
        try db.execute("DELETE FROM animal_record WHERE listing_id = ? AND \(isEmpty)", [listing])
    }
}

extension AnimalRecord {
    fileprivate init(_ row: StatementRow) throws {
        self.init()
        for key in Key.allCases { self[key] = try row[key.rawValue] }
    }
}
