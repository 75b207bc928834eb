import GRDB
package import Migrations
package import SpatiaLite

/// Applies numbered migrations, each in its own transaction.
package struct Migrator {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let migrations: [Migration]

    package init(_ migrations: [Migration]) {
        self.migrations = migrations
    }

    /// Returns the migrations that were applied. If two processes start at once, the second one waits and finds nothing
    /// left to do.
    ///
    /// - Parameter progress: is called before each statement of a migration with its number. One statement can take minutes
    ///   for a large database.
    package func migrate(
        _ db: SQLConnection,
        progress: (_ migration: Migration, _ statement: Int) -> Void = { _, _ in }
    ) throws -> [Migration] {
        var done: [Migration] = []
        while let migration = try next(db) {
            try db.database.inTransaction(.immediate) {
                // Another process may have applied it since `next` read the version.
                guard try next(db)?.number == migration.number else { return .rollback }
                try run(migration, on: db) { progress(migration, $0) }
                try db.run(script: "PRAGMA user_version = \(migration.number)")
                done.append(migration)
                return .commit
            }
        }
        return done
    }

    private func next(_ db: SQLConnection) throws -> Migration? {
        let version = try db.schemaVersion
        guard version <= migrations.count else {
            throw Failure(description: "the database is at version \(version), this program knows \(migrations.count)")
        }
        return version == migrations.count ? nil : migrations[version]
    }

    private func run(_ migration: Migration, on db: SQLConnection, _ progress: (Int) -> Void) throws {
        let statements = try db.database.allStatements(sql: migration.sql)
        var number = 0
        while let statement = try statements.next() {
            number += 1
            progress(number)
            // SpatiaLite functions report a failure with the result 0 instead of an error.
            let answer = try Row.fetchOne(statement)
            if answer?.first?.1 == 0.databaseValue {
                throw Failure(description: "\(migration.number) \(migration.name): answered 0: \(statement.sql)")
            }
        }
    }
}

extension SQLConnection {
    /// The number of the last migration that was applied.
    var schemaVersion: Int { get throws { try value("PRAGMA user_version") ?? 0 } }
}
