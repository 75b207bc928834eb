import Crypto
package import Domain
import Foundation
package import GRDB

/// What admins did: a chain, each entry with the digest of the one before.
package struct AuditLog: Sendable {
    private let database: DatabaseFile

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    /// Which entries; every condition narrows.
    package struct Query: Sendable {
        package var action: Audit.Action?
        package var actor: String?
        package var subject: String?
        /// Bounds of the time: from `since` on, before `until`.
        package var since: Timestamp?
        package var until: Timestamp?
        package var limit = 50
        /// Only those before the entry with this number.
        package var before: Int64?

        package init() {}
    }

    /// Writes an entry of its own, for what is done outside of the database; not into one of a time before the audit.
    package func recordIfMigrated(
        _ action: Audit.Action,
        _ subject: String?,
        note: String? = nil,
        by actor: Audit.Actor
    ) async throws {
        try await database.write { db in
            guard try db.tableExists("audit") else { return }
            try Self.record(action, subject, note: note, by: actor, db)
        }
    }

    /// Writes an entry in the transaction of what it tells.
    ///
    /// - Parameters:
    ///   - subject: the UUID of what it was done to, or the name of a source; nothing personal.
    ///   - note: nothing personal either.
    package static func record(
        _ action: Audit.Action,
        _ subject: String?,
        note: String? = nil,
        by actor: Audit.Actor,
        _ db: Database
    ) throws {
        let last = try Row.fetchOne(db, sql: "SELECT id, digest FROM audit ORDER BY id DESC LIMIT 1")
        let previous = last.map { $0["digest"] as Data } ?? AuditChain.start
        let link = AuditChain.Link(
            id: (last?["id"] ?? 0) + 1,
            at: Timestamp.now.text,
            actor: actor.text,
            action: action.rawValue,
            subject: subject,
            note: note
        )
        try db.execute(
            sql: """
                INSERT INTO audit (id, at, actor, action, subject, note, previous, digest)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                link.id, link.at, link.actor, link.action, link.subject, link.note, previous,
                link.digest(after: previous),
            ]
        )
    }

    /// Newest first; one more than asked for where there are more.
    package func entries(_ query: Query) throws -> [Audit.Entry] {
        var (conditions, values) = (["id < ?"], StatementArguments([query.before ?? .max]))
        for (column, value) in [
            ("action = ?", query.action?.rawValue), ("actor = ?", query.actor), ("subject = ?", query.subject),
            ("at >= ?", query.since?.text), ("at < ?", query.until?.text),
        ] {
            guard let value else { continue }
            conditions.append(column)
            values += [value]
        }
        return try database.readNow { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, at, actor, action, subject, note, digest FROM audit
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?
                    """,
                arguments: values + [query.limit + 1]
            ).map { row in
                Audit.Entry(
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

/// How entries hang together.
enum AuditChain {
    /// What the first entry has before it.
    static let start = Data(count: 32)

    struct Link {
        let id: Int64
        let at: String
        let actor: String
        let action: String
        let subject: String?
        let note: String?

        /// SHA-256 of the digest before and the fields, each as its length in bytes, a colon and the text, or `-` for none.
        func digest(after previous: Data) -> Data {
            var hash = SHA256()
            hash.update(data: previous)
            for field in [String(id), at, actor, action, subject, note] {
                hash.update(data: Data((field.map { "\($0.utf8.count):\($0)" } ?? "-").utf8))
            }
            return Data(hash.finalize())
        }
    }

    /// What does not hold; empty where all does. An entry cut off at the end shows by the number that comes next.
    static func problems(_ db: Database) throws -> [String] {
        var (previous, count, problems) = (start, Int64(0), [String]())
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, at, actor, action, subject, note, previous, digest FROM audit ORDER BY id"
        )
        while let row = try rows.next(), problems.count < 20 {
            count += 1
            let link = Link(
                id: row["id"],
                at: row["at"],
                actor: row["actor"],
                action: row["action"],
                subject: row["subject"],
                note: row["note"]
            )
            if link.id != count { problems.append("entry \(count) is missing") }
            if row["previous"] != previous { problems.append("entry \(link.id) does not follow the one before it") }
            let digest = row["digest"] as Data
            if digest != link.digest(after: row["previous"]) { problems.append("entry \(link.id) was changed") }
            (previous, count) = (digest, link.id)
        }
        let last = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'audit'") ?? 0
        if problems.isEmpty, last != count { problems.append("entries \(count + 1) to \(last) are missing") }
        return problems
    }
}
