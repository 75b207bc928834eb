package import Migrations
package import SQL

/// Applies numbered migrations, each in its own transaction.
package struct Migrator {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let migrations: [Migration]

    package init(_ migrations: [Migration]) { self.migrations = migrations }

    /// Applies the missing migrations in one transaction, so that a failure or an interruption leaves the former
    /// schema, which the former program can use. Returns the migrations that were applied. If two processes start at
    /// once, the second one waits and finds nothing left to do.
    ///
    /// - Parameters:
    ///   - beginning: is called before the first statement with the present schema and the missing migrations, while
    ///     nobody else can write.
    ///   - progress: is called before each statement of a migration with its number. One statement can take minutes for
    ///     a large database.
    ///   - committing: is called when all migrations are done.
    package func migrate(
        _ db: SQLConnection,
        beginning: (_ schema: Int, _ missing: [Migration]) throws -> Void = { _, _ in },
        progress: (_ migration: Migration, _ statement: Int) throws -> Void = { _, _ in },
        committing: () throws -> Void = {}
    ) throws -> [Migration] {
        guard try !missing(db).isEmpty else { return [] }
        return try db.sqlite.transaction {
            // Another process may have applied some since the first look.
            let missing = try missing(db)
            guard !missing.isEmpty else { return [] }
            try beginning(try db.schemaVersion, missing)
            for migration in missing {
                try run(migration, on: db) { try progress(migration, $0) }
                try db.run(script: "PRAGMA user_version = \(migration.number)")
            }
            try committing()
            return missing
        }
    }

    private func missing(_ db: SQLConnection) throws -> [Migration] {
        let version = try db.schemaVersion
        guard version <= migrations.count else { throw Self.newer(version, than: migrations.count) }
        return Array(migrations.dropFirst(version))
    }

    private static func newer(_ version: Int, than latest: Int) -> Failure {
        Failure(
            description: """
                the database has schema \(version), from a newer version of the program; this version knows \
                schema \(latest): start the newer version, or go back to a copy of this schema or an older one
                """
        )
    }

    private func run(_ migration: Migration, on db: SQLConnection, _ progress: (Int) throws -> Void) throws {
        var number = 0
        try db.forEachStatement(of: migration.sql) { statement in
            number += 1
            try progress(number)
            while try statement.next() {
                // SpatiaLite functions report a failure with the result 0 instead of an error.
                guard statement.row.value(0) == .integer(0) else { continue }
                let sql = statement.sql ?? ""
                throw Failure(description: "\(migration.number) \(migration.name): answered 0: \(sql)")
            }
        }
    }
}

extension SQLConnection {
    /// The number of the last migration that was applied.
    var schemaVersion: Int {
        get throws {
            switch engine {
            case .spatiaLite: try value("PRAGMA user_version") ?? 0
            case .postGIS:
                try hasTable("schema_version") ? value("SELECT number FROM schema_version") ?? 0 : 0
            }
        }
    }
}

extension Migrator {
    /// Applies the missing migrations to a PostgreSQL database, in one transaction.
    static func migratePostGIS(_ db: SQLConnection, _ progress: (Migration) throws -> Void) throws -> [Migration] {
        let migrations = Migration.postGIS
        let latest = migrations.last?.number ?? 0
        guard try db.schemaVersion != latest else { return [] }
        try db.run(script: "BEGIN")
        do {
            // Another node may be migrating.
            try db.run(script: "SELECT pg_advisory_xact_lock(\(PostgresWriter.lock))")
            let version = try db.schemaVersion
            guard version <= latest else { throw newer(version, than: latest) }
            let missing = migrations.filter { $0.number > version }
            for migration in missing {
                try progress(migration)
                try db.run(script: migration.sql)
            }
            try db.run(script: "COMMIT")
            return missing
        } catch {
            try? db.run(script: "ROLLBACK")
            throw error
        }
    }
}
