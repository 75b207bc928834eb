package import Domain
package import Foundation
import GRDB
import SpatiaLite

extension DatabaseFile {
    /// Makes a copy of a backup, migrated, which nobody uses yet, what goes on from it: who has an account is signed out, tokens that were
    /// mailed open nothing, since they may have been used since, and the audit tells of it.
    package static func restore(inCopy copy: URL, by actor: Audit.Actor) throws {
        let queue = try DatabaseQueue(path: copy.path, configuration: .spatiaLite())
        try queue.write { db in
            try db.execute(
                sql: "DELETE FROM session WHERE account_id IN (SELECT id FROM account WHERE role <> 'guest')"
            )
            for table in VerificationStore.tables { try db.execute(sql: "DELETE FROM \(table)") }
            try AuditLog.record(.databaseRestore, nil, by: actor, db)
        }
        try queue.close()
    }
}
