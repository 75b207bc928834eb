package import Domain
package import Foundation
import SQL

/// Data that operators import to extend the gazetteer: boundaries, settlements and postal codes.
package struct PlaceStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

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

    /// A place to import. The areas are POLYGONs in SpatiaLite's format.
    package struct Entry: Sendable {
        package let place: ImportedPlace
        package let areas: [Data]

        package init(_ place: ImportedPlace, areas: [Data] = []) {
            self.place = place
            self.areas = areas
        }
    }

    /// The number of places per transaction; other writes can run between two transactions.
    private static let batch = 5_000

    /// Returns whether the database's schema already contains places.
    package func isThere() throws -> Bool {
        try database.readNow { db in try db.hasTable("place_source") }
    }

    /// Imports a source, which replaces the source with the same name at once when it is complete. If reading fails,
    /// nothing changes. Waits for imports and removals in other processes.
    ///
    /// - Parameter next: returns the next entries; an empty array at the end.
    /// - Parameter waiting: is called once if the method has to wait.
    /// - Returns: the number of places in the source.
    package func put(
        _ name: String,
        _ kind: Kind,
        next: () throws -> [Entry],
        progress: (Int) -> Void = { _ in },
        waiting: () -> Void = {}
    ) async throws -> Int {
        try await FolderLock.whileImporting(folder, waiting: waiting) {
            try await putLocked(name, kind, next: next, progress: progress)
        }
    }

    private var folder: URL { database.folder }

    private func putLocked(
        _ name: String,
        _ kind: Kind,
        next: () throws -> [Entry],
        progress: (Int) -> Void
    ) async throws -> Int {
        try await removeInactiveSources()
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
            try await activate(key, name, count)
        } catch {
            try? await removeInactiveSources()
            throw error
        }
        // The new source is in use already. If this fails, the next import removes the rows of the former source.
        try? await removeInactiveSources()
        return count
    }

    /// Returns the sources in use, in the order of their names.
    package func sources() async throws -> [Source] {
        try await database.read { db in
            try db.rows("SELECT name, kind, places, imported_at FROM place_source WHERE is_live ORDER BY name") { row in
                try Source(name: row[0], kind: row[1], places: row[2], importedAt: row[3])
            }
        }
    }

    /// Removes a source. Returns false if it does not exist. Waits for imports and removals in other processes.
    ///
    /// - Parameter waiting: is called once if the method has to wait.
    package func remove(_ name: String, waiting: () -> Void = {}) async throws -> Bool {
        try await FolderLock.whileImporting(folder, waiting: waiting) {
            let found = try await database.write { db in
                let count = try db.execute("UPDATE place_source SET is_live = FALSE WHERE is_live AND name = ?", [name])
                guard count > 0 else { return false }
                try AuditLog.record(.gazetteerRemove, name, by: .commandLine, db)
                return true
            }
            try await removeInactiveSources()
            return found
        }
    }

    /// Deletes the rows of interrupted imports and replaced sources. The caller must hold the import lock: only then is
    /// it certain that no import is writing the rows that are not live.
    private func removeInactiveSources() async throws {
        while try await database.write({ db in
            let count = try db.execute(
                """
                DELETE FROM place WHERE id IN (
                    SELECT place.id FROM place_source JOIN place ON source_id = place_source.id
                    WHERE NOT is_live LIMIT \(Self.batch))
                """
            )
            if count > 0 { return true }
            try db.execute("DELETE FROM place_source WHERE NOT is_live")
            try db.execute("DELETE FROM place_word WHERE NOT EXISTS (SELECT 1 FROM place)")
            return false
        }) {}
    }

    private func begin(_ name: String, _ kind: Kind) async throws -> Int64 {
        try await database.write { db in
            try db.insert("INSERT INTO place_source (name, kind) VALUES (?, ?) RETURNING id", [name, kind.rawValue])
        }
    }

    private func activate(_ key: Int64, _ name: String, _ count: Int) async throws {
        try await database.write { db in
            try db.execute("UPDATE place_source SET is_live = FALSE WHERE is_live AND name = ?", [name])
            try db.execute("UPDATE place_source SET is_live = TRUE, places = ? WHERE id = ?", [count, key])
            try AuditLog.record(.gazetteerImport, name, note: "\(count) places", by: .commandLine, db)
        }
    }

    private func insert(_ entries: [Entry], _ source: Int64) async throws -> Int {
        try await database.write { db in
            let first = try db.value("SELECT coalesce(max(id), 0) + 1 FROM place") as Int64? ?? 1
            // One statement inserts all rows, because the full-text index writes its pending data after each statement.
            try db.run(
                script: """
                    CREATE TEMP TABLE IF NOT EXISTS incoming AS SELECT \(Self.columns) FROM place WHERE FALSE;
                    DELETE FROM incoming
                    """
            )
            var words: Set<String> = []
            let rows = zip(first..., entries).map { key, entry in
                let names = Self.searchNames(entry.place)
                words.formUnion(names.unicodeScalars.split(separator: " ").map(String.init))
                return Self.values(entry.place, names, key: key, source)
            }
            try db.insert(rows, into: TableLayout("incoming", db))
            try db.execute(
                """
                INSERT INTO place (\(Self.columns), geom)
                SELECT \(Self.columns), CASE level WHEN 'settlement' THEN MakePoint(lon, lat, 4326) END
                FROM incoming ORDER BY id
                """
            )
            try db.execute(
                "INSERT INTO place_word SELECT value FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING",
                [try words.sorted().json]
            )
            let geometry = db.engine == .postGIS ? "ST_GeomFromEWKB(?)" : "?"
            let area = try PreparedStatement(db, "INSERT INTO place_area (place_id, geom) VALUES (?, \(geometry))")
            for (key, entry) in zip(first..., entries) {
                for polygon in entry.areas { try area.run([key, AreaGeometry.value(of: polygon, on: db.engine)]) }
            }
            return entries.count
        }
    }

    /// Returns the words of all names of the place.
    private static func searchNames(_ place: ImportedPlace) -> String {
        var names = [place.key]
        for other in place.otherNames.map({ $0.nameWords.joined(separator: " ") })
        where !other.isEmpty && !names.contains(other) {
            names.append(other)
        }
        return names.joined(separator: " ")
    }

    private static let columns = """
        id, source_id, lon, lat, level, name, name_key, names, population, locality, comune, comune_code, province,
        province_code, region, country_code, postal_code
        """

    /// Returns the values of the columns.
    private static func values(_ entry: ImportedPlace, _ names: String, key: Int64, _ source: Int64) -> [SQLValue] {
        let place = entry.place
        let values: [any SQLBindable] = [
            key, source, place.coordinate.lon, place.coordinate.lat, entry.level.rawValue, entry.name, entry.key, names,
            place.population, place.locality, place.comune, place.comuneCode, place.province, place.provinceCode,
            place.region, place.countryCode, place.postalCode,
        ]
        return values.map(\.sqlValue)
    }
}

extension PlaceStore.Kind: SQLReadable {}
