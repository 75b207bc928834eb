import Cryptography
import Domain
import Foundation
import SQL
import SpatiaLite

/// The rows of an import in a temporary database file, so that an import of any size needs little memory. The file loses
/// its name when all connections have opened it (`unlink`), so a killed import leaves no contacts.
final class ImportedRows {
    /// A stored listing and the row that changes it.
    struct Change: Sendable {
        let key: Int64
        let record: ListingRecord
    }

    /// The columns of the table `arrival`, which contains the rows in the order of the file.
    private static let columns = ["number", "time", "uuid", "created_at", "lon", "lat"] + ListingRecord.columnNames

    let file: URL
    private let database: StandaloneDatabase
    private let folder: URL
    private var number = 0
    private var hasExtras = false
    private var repeated: Int?
    private(set) var count = 0

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "doggofinder-import-\(UUID().uuidString)")
        // Only this user may read the rows, which contain contacts.
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        file = folder.appending(path: "rows.sqlite")
        database = try StandaloneDatabase(file)
        try database.run { db in
            try db.run(
                script: """
                    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; PRAGMA temp_store = FILE;
                    CREATE TABLE arrival (number INTEGER PRIMARY KEY, \(Self.columns.dropFirst().joined(separator: ", ")));
                    CREATE TABLE sorted (position INTEGER PRIMARY KEY, number INTEGER NOT NULL);
                    CREATE TABLE extra (number INTEGER PRIMARY KEY, extras TEXT NOT NULL);
                    CREATE TABLE source (digest BLOB PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE VIEW draft AS
                        SELECT position, arrival.* FROM sorted CROSS JOIN arrival ON arrival.number = sorted.number;
                    """
            )
        }
    }

    deinit {
        try? database.close()
        try? unlink()
    }

    /// Removes the name of the file. Open connections go on using it, and no other one can be opened.
    func unlink() throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        try FileManager.default.removeItem(at: folder)
    }

    func add(_ rows: [ListingImporter.Row], owner: UUID) throws {
        try database.write { db in
            let blanks = Array(repeating: "?", count: Self.columns.count).joined(separator: ", ")
            let insert = try PreparedStatement(db, "INSERT INTO arrival VALUES (\(blanks))")
            for row in rows {
                let draft = row.draft
                let id = try row.source.map { try Self.id(of: $0, owner, db) } ?? draft.id
                number += 1
                let created = draft.createdAt ?? .now
                let identity: [SQLValue] = [
                    .integer(Int64(number)), .integer(created.milliseconds), .text(id.lowercased),
                    .text(created.text),
                ]
                try insert.run(identity + ListingRecord(draft.content, draft.location, seen: nil).values)
                guard !row.extras.isEmpty else { continue }
                let extras = String(decoding: try JSONEncoder().encode(row.extras), as: UTF8.self)
                try db.execute("INSERT INTO extra VALUES (?, ?)", [number, extras])
                hasExtras = true
            }
        }
    }

    /// Returns an id (UUID version 8, RFC 9562) that depends on the contents of a row and on how many equal rows came before.
    private static func id(of source: String, _ owner: UUID, _ db: SQLConnection) throws -> UUID {
        let digest = Data.sha256(owner.lowercased + source)
        let number: Int? = try db.value(
            "INSERT INTO source VALUES (?, 1) ON CONFLICT (digest) DO UPDATE SET rows = rows + 1 RETURNING rows",
            [digest]
        )
        let bytes = Array(Data.sha256(digest + Array("\(number ?? 0)".utf8)))
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6] & 0x0F | 0x80, bytes[7],
                bytes[8] & 0x3F | 0x80, bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }

    /// Sorts the rows by time and removes rows that a later one replaces. Returns how many were replaced.
    ///
    /// The order of time is the order of the keys of listings: neighbouring rows are then stored in neighbouring pages,
    /// and the full-text index writes its data whenever a smaller key follows a greater one.
    @discardableResult
    func finish() throws -> Int {
        if let repeated { return repeated }
        try database.run { db in
            try db.run(
                script: """
                    CREATE INDEX arrival_uuid ON arrival (uuid, number);
                    CREATE INDEX arrival_reference ON arrival (reference, number) WHERE reference IS NOT NULL;
                    INSERT INTO sorted
                    SELECT row_number() OVER (ORDER BY time, number) - 1, number FROM arrival
                    WHERE NOT EXISTS (
                            SELECT 1 FROM arrival AS later WHERE later.uuid = arrival.uuid AND later.number > arrival.number)
                        AND NOT EXISTS (
                            SELECT 1 FROM arrival AS later
                            WHERE later.reference = arrival.reference AND later.number > arrival.number);
                    """
            )
            count = try db.value("SELECT count(*) FROM sorted") ?? 0
        }
        let result = number - count
        repeated = result
        return result
    }

    /// A row with extras that no later row replaces, after `finish`.
    struct ExtraRow: Sendable {
        let number: Int
        let uuid: String
        let reference: String?
        let extras: ListingImporter.Extras
    }

    /// Returns rows with extras in the order of the file.
    func extras(after last: Int, limit: Int) throws -> [ExtraRow] {
        guard hasExtras else { return [] }
        return try database.write { db in
            try db.run(script: "CREATE INDEX IF NOT EXISTS sorted_number ON sorted (number)")
            return try db.rows(
                """
                SELECT extra.number, uuid, reference, extras
                FROM extra CROSS JOIN sorted ON sorted.number = extra.number
                    CROSS JOIN arrival ON arrival.number = extra.number
                WHERE extra.number > ? ORDER BY extra.number LIMIT ?
                """,
                [last, limit]
            ) { row in
                let extras: String = try row["extras"]
                return ExtraRow(
                    number: Int(row.integer(0)),
                    uuid: try row["uuid"],
                    reference: try row["reference"],
                    extras: try JSONDecoder().decode(ListingImporter.Extras.self, from: Data(extras.utf8))
                )
            }
        }
    }

    /// Returns the rows at these positions as a JSON array of objects. All values are texts, which PostgreSQL converts:
    /// SQLite would write real numbers with 15 digits.
    func json(_ positions: Range<Int>) throws -> String {
        let rows = try database.read { db in
            try db.rows(
                "SELECT * FROM draft WHERE position >= ? AND position < ?",
                [positions.lowerBound, positions.upperBound]
            ) { row in
                var values: [String: String] = [:]
                for column in 0..<row.columnCount { values[row.name(column)] = row.value(column).postgresText }
                return values
            }
        }
        return String(decoding: try JSONEncoder().encode(rows), as: UTF8.self)
    }
}

extension SQLValue {
    /// The value as PostgreSQL reads it from a text. Listings have no binary columns.
    fileprivate var postgresText: String? {
        switch self {
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .blob, .null: nil
        }
    }
}
