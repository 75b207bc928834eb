package import Domain
package import Foundation
import SQL
import SpatiaLite

extension DatabaseFile {
    /// Prepares a migrated copy of a backup for use.
    package static func restore(inCopy copy: URL, by actor: Audit.Actor) throws {
        let database = try StandaloneDatabase(copy)
        try database.write { db in try restore(db, by: actor) }
        try database.close()
    }

    /// Ends the sessions of registered accounts, deletes e-mail tokens and API keys, since they may have been used or
    /// revoked after the backup, and waiting mails and events, since they may have been sent, and records the
    /// restoration in the audit.
    static func restore(_ db: SQLConnection, by actor: Audit.Actor) throws {
        try db.execute("DELETE FROM session WHERE account_id IN (SELECT id FROM account WHERE role <> 'guest')")
        for table in VerificationStore.tables + ["outgoing_mail", "outgoing_event", "api_key"] {
            try db.execute("DELETE FROM \(table)")
        }
        try AuditLog.record(.databaseRestore, nil, by: actor, db)
    }

    /// Deletes the waiting mails and events from the copy of a backup, because they contain links that are still valid.
    static func removeMails(inCopy copy: URL) throws {
        let database = try StandaloneDatabase(copy)
        try database.write { db in
            // Overwrites the deleted bytes, whatever the default of the library is.
            try db.execute("PRAGMA secure_delete = ON")
            for table in ["outgoing_mail", "outgoing_event"] where try db.hasTable(table) {
                try db.execute("DELETE FROM \(table)")
            }
        }
        try database.close()
    }
}
