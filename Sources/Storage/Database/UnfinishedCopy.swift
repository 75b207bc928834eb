import Domain
import SQL

/// The mark of a database into which another one is being copied. Only the copy may use such a database.
enum UnfinishedCopy {
    static let table = "unfinished_copy"

    static let advice: ErrorMessage =
        "repeat doggofinder copy, which goes on, or begin anew with an empty database"

    /// Returns the fingerprint of the source; nil if the database is no unfinished copy.
    static func source(_ db: SQLConnection) throws -> String? {
        guard try db.hasTable(table) else { return nil }
        return try db.value("SELECT source FROM \(table)") ?? ""
    }

    static func mark(_ source: String, _ db: SQLConnection) throws {
        try db.execute("CREATE TABLE \(table) (source text NOT NULL)")
        try db.execute("INSERT INTO \(table) VALUES (?)", [source])
    }

    static func unmark(_ db: SQLConnection) throws { try db.execute("DROP TABLE \(table)") }

    static func throwIfPresent(_ db: SQLConnection) throws {
        guard try db.hasTable(table) else { return }
        throw ServiceError(.conflict, "the database is an unfinished copy: \(advice)")
    }
}

extension Database {
    /// Throws `conflict` if another database is being copied into this one, or if such a copy was interrupted.
    package func throwIfUnfinishedCopy() throws { try readNow(UnfinishedCopy.throwIfPresent) }
}
