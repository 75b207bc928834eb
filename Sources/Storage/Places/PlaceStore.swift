package import Domain
package import Foundation
import GRDB
import SpatiaLite

/// What operators import to deepen the gazetteer: boundaries, settlements, postal codes.
package struct PlaceStore: Sendable {
    let database: DatabaseFile

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    package enum Kind: String, Sendable {
        case boundaries
        case settlements
        case postalCodes = "postal_codes"
    }

    package struct Source: Sendable {
        package let name: String
        package let kind: Kind
        package let places: Int
        package let importedAt: String
    }

    /// A place to import; the areas are POLYGONs as SpatiaLite stores them.
    package struct Entry: Sendable {
        package let place: ImportedPlace
        package let areas: [Data]

        package init(_ place: ImportedPlace, areas: [Data] = []) {
            self.place = place
            self.areas = areas
        }
    }

    /// Others may write between two batches.
    private static let batch = 5_000

    /// Whether the database's schema has places yet.
    package func isThere() throws -> Bool {
        try database.readNow { db in try db.tableExists("place_source") }
    }

    /// Reads a whole source, which then replaces the one of that name at once. Where reading fails, nothing changes. Waits for
    /// imports and removals that others began.
    ///
    /// - Parameter next: the next entries, none at the end.
    /// - Parameter waiting: is told once, before it waits.
    /// - Returns: how many places it holds.
    package func put(
        _ name: String,
        _ kind: Kind,
        next: () throws -> [Entry],
        progress: (Int) -> Void = { _ in },
        waiting: () -> Void = {}
    ) async throws -> Int {
        try await lock.hold(waiting: waiting) { try await putLocked(name, kind, next: next, progress: progress) }
    }

    private var lock: ImportLock { ImportLock(folder: database.url.deletingLastPathComponent()) }

    private func putLocked(
        _ name: String,
        _ kind: Kind,
        next: () throws -> [Entry],
        progress: (Int) -> Void
    ) async throws -> Int {
        try await removeRemains()
        let key = try await begin(name, kind)
        var count = 0
        do {
            var waiting: [Entry] = []
            while case let entries = try next(), !entries.isEmpty {
                waiting += entries
                guard waiting.count >= Self.batch else { continue }
                count += try await insert(waiting, key)
                waiting.removeAll()
                progress(count)
            }
            count += try await insert(waiting, key)
            guard count > 0 else { throw ServiceError.invalid("file", "holds no place that can be used") }
            try await goLive(key, name, count)
        } catch {
            try? await removeRemains()
            throw error
        }
        // It is live: what is left of the former one goes with the next import at the latest.
        try? await removeRemains()
        return count
    }

    /// The sources in use, in order of name.
    package func sources() async throws -> [Source] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT name, kind, places, imported_at FROM place_source WHERE is_live ORDER BY name"
            )
            .compactMap { row in
                Kind(rawValue: row[1]).map { Source(name: row[0], kind: $0, places: row[2], importedAt: row[3]) }
            }
        }
    }

    /// False where there is no such source. Waits for imports and removals that others began.
    ///
    /// - Parameter waiting: is told once, before it waits.
    package func remove(_ name: String, waiting: () -> Void = {}) async throws -> Bool {
        try await lock.hold(waiting: waiting) {
            let found = try await database.write { db in
                try db.execute(sql: "UPDATE place_source SET is_live = 0 WHERE is_live AND name = ?", arguments: [name])
                guard db.changesCount > 0 else { return false }
                try AuditLog.record(.gazetteerRemove, name, by: .commandLine, db)
                return true
            }
            try await removeRemains()
            return found
        }
    }

    /// Removes what is not in use: of an import that was cut off, of one that was replaced. Whoever holds the lock may take all
    /// that is not live for that.
    private func removeRemains() async throws {
        while try await database.write({ db in
            try db.execute(
                sql: """
                    DELETE FROM place WHERE id IN (
                        SELECT place.id FROM place_source JOIN place ON source_id = place_source.id
                        WHERE NOT is_live LIMIT \(Self.batch))
                    """
            )
            if db.changesCount > 0 { return true }
            try db.execute(sql: "DELETE FROM place_source WHERE NOT is_live")
            try db.execute(sql: "DELETE FROM place_word WHERE NOT EXISTS (SELECT 1 FROM place)")
            return false
        }) {}
    }

    private func begin(_ name: String, _ kind: Kind) async throws -> Int64 {
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO place_source (name, kind) VALUES (?, ?)",
                arguments: [name, kind.rawValue]
            )
            return db.lastInsertedRowID
        }
    }

    private func goLive(_ key: Int64, _ name: String, _ count: Int) async throws {
        try await database.write { db in
            try db.execute(sql: "UPDATE place_source SET is_live = 0 WHERE is_live AND name = ?", arguments: [name])
            try db.execute(
                sql: "UPDATE place_source SET is_live = 1, places = ? WHERE id = ?",
                arguments: [count, key]
            )
            try AuditLog.record(.gazetteerImport, name, note: "\(count) places", by: .commandLine, db)
        }
    }

    private func insert(_ entries: [Entry], _ source: Int64) async throws -> Int {
        try await database.write { db in
            // One statement brings in all of them: the text index writes out what it holds whenever one ends.
            try db.execute(
                sql: "CREATE TEMP TABLE IF NOT EXISTS incoming AS SELECT * FROM place WHERE 0; DELETE FROM incoming"
            )
            let word = try db.cachedStatement(sql: "INSERT OR IGNORE INTO place_word VALUES (?)")
            let first = try Int64.fetchOne(db, sql: "SELECT coalesce(max(id), 0) + 1 FROM place") ?? 1
            for (key, entry) in zip(first..., entries) {
                let names = Self.searchNames(entry.place)
                try Self.insert(entry.place, names, key: key, source, db)
                for part in names.unicodeScalars.split(separator: " ") { try word.execute(arguments: [String(part)]) }
            }
            try db.execute(sql: "INSERT INTO place SELECT * FROM incoming ORDER BY id")
            let area = try db.cachedStatement(sql: "INSERT INTO place_area (place_id, geom) VALUES (?, ?)")
            for (key, entry) in zip(first..., entries) {
                for polygon in entry.areas { try area.execute(arguments: [key, polygon]) }
            }
            return entries.count
        }
    }

    /// The words of all its names.
    private static func searchNames(_ place: ImportedPlace) -> String {
        var names = [place.key]
        for other in place.otherNames.map({ $0.nameWords.joined(separator: " ") })
        where !other.isEmpty && !names.contains(other) {
            names.append(other)
        }
        return names.joined(separator: " ")
    }

    private static func insert(
        _ entry: ImportedPlace,
        _ names: String,
        key: Int64,
        _ source: Int64,
        _ db: Database
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO incoming (
                    source_id, geom, lon, lat, level, name, name_key, names, population, locality, comune, comune_code, province,
                    province_code, region, country_code, postal_code, id)
                VALUES (?1, CASE ?4 WHEN 'settlement' THEN MakePoint(?2, ?3, 4326) END, ?2, ?3, ?4, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        let place = entry.place
        try statement.execute(arguments: [
            source, place.coordinate.lon, place.coordinate.lat, entry.level.rawValue, entry.name, entry.key,
            names, place.population, place.locality, place.comune, place.comuneCode,
            place.province, place.provinceCode, place.region, place.countryCode, place.postalCode, key,
        ])
    }
}
