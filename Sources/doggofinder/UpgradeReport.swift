import ArgumentParser
import Foundation
import Migrations
import Storage

extension DataOptions {
    /// Brings the schema up to date. An upgrade is announced on standard error even if that is no terminal, because
    /// nobody can write meanwhile. SIGINT and SIGTERM end it without changes.
    ///
    /// - Parameters:
    ///   - database: the database, of any schema up to the present one.
    ///   - keepingCopy: whether a copy of the former database stays beside it.
    func migrate(_ database: any Database, keepingCopy: Bool = true) throws -> [Migration] {
        switch database {
        case let file as DatabaseFile: try migrate(file, keepingCopy: keepingCopy)
        case let server as PostgresDatabase: try migrate(server)
        default: []
        }
    }

    /// Reads the breeds and telephone numbers of the listings that an earlier version has not read. Returns how many these were.
    func readListings(_ database: any Database) async throws -> Int {
        let total = try ListingRereading.count(database)
        guard total > 0 else { return 0 }
        let progress = makeProgress()
        defer { progress.end() }
        let breeds = try breeds()
        try await BreedStore(database).put(breeds)
        let rereading = ListingRereading(database, breeds)
        var (seen, read) = (0, 0)
        progress.begin("reading the breeds and telephone numbers of listings", total: total)
        while true {
            let step = try await rereading.advance(by: 1_000)
            guard step.seen > 0 else { return read }
            (seen, read) = (seen + step.seen, read + step.read)
            progress.update(seen)
        }
    }

    private func migrate(_ database: PostgresDatabase) throws -> [Migration] {
        let progress = makeProgress()
        defer { progress.end() }
        progress.begin("upgrading")
        return try database.migrate { progress.update(part: "migration \($0.number) \($0.name)") }
    }

    private func migrate(_ database: DatabaseFile, keepingCopy: Bool) throws -> [Migration] {
        let progress = makeProgress()
        defer { progress.end() }
        // A database that is released closes, which removes the write-ahead log.
        let signals = InterruptSignals { [weak database] in database?.interruptMigration() }
        defer { withExtendedLifetime(signals) {} }
        let begin = ContinuousClock.now
        var upgrade: Upgrade?
        do {
            let done = try database.migrate(keepingCopy: keepingCopy) { step in
                try signals.check()
                if case .begins(let new) = step {
                    upgrade = new
                    announce(new, database.url)
                }
                progress.show(step, expectedSeconds: upgrade?.expectedSeconds)
            }
            progress.end()
            if let upgrade {
                let seconds = ProgressStep.words((ContinuousClock.now - begin) / .seconds(1))
                tell("upgraded to schema \(upgrade.newSchema) in \(seconds)")
            }
            // A signal that came while the upgrade was being written was too late.
            if let signal = signals.signalNumber { throw ExitCode(128 + signal) }
            return done
        } catch let error as ExitCode {
            throw error
        } catch  where signals.signalNumber != nil {
            progress.end()
            let schema = upgrade.map { "schema \($0.schema)" } ?? "its schema"
            printError("interrupted: the database keeps \(schema), and nothing was changed")
            throw ExitCode(128 + (signals.signalNumber ?? 0))
        }
    }

    private func announce(_ upgrade: Upgrade, _ file: URL) {
        let copy = upgrade.copy.map {
            "; first it is copied to \($0.path), \(UpgradeCopy.megabytes(upgrade.bytes))"
        }
        tell(
            """
            \(file.path): upgrade from schema \(upgrade.schema) to \(upgrade.newSchema), \
            \(counted(upgrade.listings, "listing")), about \(ProgressStep.words(max(1, upgrade.expectedSeconds)))\(copy ?? "")
            """
        )
    }

    /// Programs that read JSON lines get no other ones.
    private func tell(_ text: String) {
        if progressFormat != .json { printError(text) }
    }
}

extension ProgressReporter {
    /// - Parameters:
    ///   - step: what the upgrade does next.
    ///   - expectedSeconds: how long the migrations probably take.
    func show(_ step: UpgradeProgress, expectedSeconds: Double?) {
        switch step {
        case .begins(let upgrade): if upgrade.copy != nil { begin("copying the database") }
        case .copying(let fraction): update(fraction: fraction)
        case .migrating(let migration, let number, let statement):
            if number == 1 && statement == 1 { begin("upgrading", expectedSeconds: expectedSeconds) }
            update(part: "migration \(migration.number) \(migration.name), statement \(statement)")
        case .committing: begin("writing the upgraded database to the disk")
        }
    }
}
