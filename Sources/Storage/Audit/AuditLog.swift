import Cryptography
package import Domain
import Foundation
package import SQL

/// The log of what admins did. Each entry contains the digest of the previous entry, so the entries form a hash chain.
package struct AuditLog: Sendable {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Selects entries; all conditions must hold.
    package struct Query: Sendable {
        package var action: Audit.Action?
        package var actor: String?
        package var subject: String?
        /// Bounds of the time: at or after `since`, and before `until`.
        package var since: Timestamp?
        package var until: Timestamp?
        package var limit = 50
        /// Only entries before the one with this number.
        package var before: Int64?

        package init() {}
    }

    /// Writes an entry in its own transaction, for actions outside of the database. Does nothing if the schema is older
    /// than the audit table.
    package func recordIfMigrated(
        _ action: Audit.Action,
        _ subject: String?,
        note: String? = nil,
        by actor: Audit.Actor
    ) async throws {
        try await database.write { db in
            guard try db.hasTable("audit") else { return }
            try Self.record(action, subject, note: note, by: actor, db)
        }
    }

    /// Writes an entry in the transaction of the action that it describes.
    ///
    /// - Parameters:
    ///   - subject: the UUID of the object of the action, or the name of a source; no personal data.
    ///   - note: a text without personal data.
    package static func record(
        _ action: Audit.Action,
        _ subject: String?,
        note: String? = nil,
        by actor: Audit.Actor,
        _ db: SQLConnection
    ) throws {
        let previous = try db.value("SELECT digest FROM audit ORDER BY id DESC LIMIT 1") ?? AuditChain.start
        let link = AuditChain.Link(
            id: try AuditChain.end(db) + 1, at: Timestamp.now.text, actor: actor.text, action: action.rawValue,
            subject: subject, note: note)
        try db.execute(
            """
            INSERT INTO audit (id, at, actor, action, subject, note, previous, digest)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                link.id, link.at, link.actor, link.action, link.subject, link.note, previous,
                link.digest(after: previous),
            ]
        )
    }

    /// Returns entries, newest first. If there are more, returns one more than the limit.
    package func entries(_ query: Query) throws -> [Audit.Entry] {
        var conditions = ["id < ?"]
        var values: [any SQLBindable] = [query.before ?? .max]
        for (column, value) in [
            ("action = ?", query.action?.rawValue), ("actor = ?", query.actor), ("subject = ?", query.subject),
            ("at >= ?", query.since?.text), ("at < ?", query.until?.text),
        ] {
            guard let value else { continue }
            conditions.append(column)
            values.append(value)
        }
        return try database.readNow { db in
            try db.rows(
                """
                SELECT id, at, actor, action, subject, note, digest FROM audit
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?
                """,
                values + [query.limit + 1]
            ) { row in
                try Audit.Entry(
                    id: row["id"],
                    at: row["at"],
                    actor: row["actor"],
                    action: row["action"],
                    subject: row["subject"],
                    note: row["note"],
                    digest: row["digest"]
                )
            }
        }
    }
}

/// The hash chain of the entries.
enum AuditChain {
    /// The digest that the first entry has as its predecessor's.
    static let start = Data(count: 32)

    struct Link {
        let id: Int64
        let at: String
        let actor: String
        let action: String
        let subject: String?
        let note: String?

        /// Returns the SHA-256 digest of the previous digest and the fields. Each field is written as its length in
        /// bytes, a colon and the text, or as `-` if it is nil.
        func digest(after previous: Data) -> Data {
            var hash = Hash()
            hash.update(previous)
            for field in [String(id), at, actor, action, subject, note] {
                hash.update(Array((field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8))
            }
            return hash.finish()
        }
    }

    /// Returns the errors in the chain. Entries that were removed from the end are detected by the number of the last
    /// entry that was ever written.
    static func problems(_ db: SQLConnection) throws -> [String] {
        var (previous, count, problems) = (start, Int64(0), [String]())
        let scan = try PreparedStatement(
            db,
            "SELECT id, at, actor, action, subject, note, previous, digest FROM audit ORDER BY id"
        )
        while problems.count < 20, try scan.next() {
            let row = scan.row
            count += 1
            let link = try Link(
                id: row["id"],
                at: row["at"],
                actor: row["actor"],
                action: row["action"],
                subject: row["subject"],
                note: row["note"]
            )
            if link.id != count { problems.append("entry \(count) is missing") }
            let stated: Data = try row["previous"]
            if stated != previous { problems.append("entry \(link.id) does not follow the one before it") }
            let digest: Data = try row["digest"]
            if digest != link.digest(after: stated) { problems.append("entry \(link.id) was changed") }
            (previous, count) = (digest, link.id)
        }
        let last = try end(db)
        if problems.isEmpty, last != count {
            problems.append(
                last > count
                    ? "entries \(count + 1) to \(last) are missing"
                    : "the last entry is \(count), but \(last) were counted"
            )
        }
        return problems
    }

    /// Returns the number of the last entry that was ever written; 0 if there was none.
    static func end(_ db: SQLConnection) throws -> Int64 {
        switch db.engine {
        case .spatiaLite: try db.lastKey(of: "audit") ?? 0
        case .postGIS: try db.value("SELECT last FROM audit_end") ?? 0
        }
    }

    /// Stores the number of the last entry of the source of a copy.
    static func setEnd(_ last: Int64, _ db: SQLConnection) throws {
        switch db.engine {
        case .spatiaLite: try db.setLastKey(of: "audit", to: last)
        case .postGIS: try db.execute("UPDATE audit_end SET last = ?", [last])
        }
    }
}
