import SQL

/// The numbers of events that no event has. A database file has none, unless it is a copy from PostgreSQL, where a write
/// that is taken back leaves a gap. The header of the file contains how many there were then.
enum EventGaps {
    static func count(_ db: SQLConnection) throws -> Int {
        try db.value("SELECT coalesce(max(id) - min(id) + 1 - count(*), 0) FROM event") ?? 0
    }

    static func known(_ db: SQLConnection) throws -> Int { try db.value("PRAGMA application_id") ?? 0 }

    static func set(_ count: Int, _ db: SQLConnection) throws {
        try db.run(script: "PRAGMA application_id = \(min(count, Int(Int32.max)))")
    }
}
