import Cryptography
import Domain
import Foundation
import SQL

/// Changes to the whole target before and after the rows are copied.
extension DatabaseCopy {
    /// Begins a copy in an empty target. Throws `conflict` if the target has other data or is an unfinished copy of
    /// another source.
    func begin() throws {
        let fingerprint = try fingerprint()
        if let known = try UnfinishedCopy.source(target) {
            guard known == fingerprint else {
                throw ServiceError(
                    .conflict,
                    """
                    the target is an unfinished copy of another database, or the source has changed since: make the \
                    target empty and repeat the copy
                    """
                )
            }
            return
        }
        // A command that has opened the target may have written the list of breeds.
        for (table, _) in tables where table.name != "breed" {
            guard try !target.exists("SELECT 1 FROM \(table.name) LIMIT 1") else {
                throw ServiceError(
                    .conflict,
                    "the target is not empty: \(table.name) has rows, and a copy never overwrites: expected a new database"
                )
            }
        }
        try write {
            try UnfinishedCopy.mark(fingerprint, target)
            try target.execute("DELETE FROM breed")
            try setTriggers("DISABLE")
        }
    }

    /// A digest of what changes when somebody writes to the source: numbers of rows, keys and versions. The comparison
    /// at the end reads all rows; this tells earlier that an unfinished copy cannot be continued.
    private func fingerprint() throws -> String {
        var hash = Hash()
        for (count, (table, columns)) in zip(counts, tables) {
            let last = try source.lastKey(in: columns)
            hash.update(Array("\(table.name) \(count) \(last as Any)\n".utf8))
        }
        for sql in ["SELECT sum(version) FROM listing", "SELECT count(*) FROM account WHERE email_confirmed"] {
            hash.update(Array("\(try source.value(sql) ?? 0 as Int)\n".utf8))
        }
        hash.update(try source.value("SELECT digest FROM audit ORDER BY id DESC LIMIT 1") ?? Data())
        return hash.finish().hexadecimal
    }

    /// Ends a copy whose rows are complete.
    func end(_ finish: (SQLConnection) throws -> Void) throws {
        // The commits before were not synced to the disk; the log contains them in order.
        try target.run(
            script: target.engine == .spatiaLite ? "PRAGMA synchronous = FULL" : "SET synchronous_commit = on"
        )
        try target.useTriggers(true)
        try write {
            try setLastKeys()
            try setTriggers("ENABLE")
            try UnfinishedCopy.unmark(target)
            try finish(target)
        }
    }

    /// Keys of removed rows are not used again.
    private func setLastKeys() throws {
        for (table, columns) in tables where columns.key == ["id"] {
            let greatest = try source.value("SELECT max(id) FROM \(table.name)") ?? 0 as Int64
            let last = max(greatest, try source.lastKey(of: table.name) ?? 0)
            // On SQLite, the last number of an event is that of the last one.
            let isEvent = table.name == "event" && target.engine == .spatiaLite
            try target.setLastKey(of: table.name, to: isEvent ? greatest : last)
        }
        try AuditChain.setEnd(try AuditChain.end(source), target)
        guard target.engine == .spatiaLite else { return }
        try EventGaps.set(try source.engine == .spatiaLite ? EventGaps.known(source) : EventGaps.count(source), target)
    }

    /// The triggers would write what is copied. On SQLite, `useTriggers` disables them for the connection. Those that
    /// enforce foreign keys are the server's own and remain.
    private func setTriggers(_ action: String) throws {
        guard target.engine == .postGIS else { return }
        for name in CopiedTable.all.filter({ !$0.keepsTriggers }).map(\.name) + ["board"] {
            try target.run(script: "ALTER TABLE \(name) \(action) TRIGGER USER")
        }
    }
}

extension SQLConnection {
    /// Lets triggers run on this connection to SQLite, or not.
    func useTriggers(_ isEnabled: Bool) throws {
        guard engine == .spatiaLite else { return }
        if isEnabled { try enableTriggers() } else { try disableTriggers() }
    }
}
