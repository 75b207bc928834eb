package import CQL2
package import Domain
import Foundation
import GRDB
import SpatiaLite

/// All known places as a feature collection: first the places of the bundled gazetteer, then the imported ones.
///
/// The bundled tables are not in an SQL database. The first request for places copies them into a separate database
/// file beside the main one, which remains in use until the tables change.
package actor PlaceCatalogue {
    /// Passes each bundled place and its number to a function.
    package typealias Bundled = @Sendable ((Int, Place) throws -> Void) throws -> Void

    private static let layout = 1
    /// The first key of imported places. The keys of bundled places are their numbers.
    private static let firstImported: Int64 = 1 << 32

    private let database: DatabaseFile
    private let url: URL
    private let bundled: Bundled
    private var opening: Task<ReadConnections, any Error>?

    /// - Parameter stamp: a fingerprint of the bundled tables, which changes with each version.
    package init(_ database: DatabaseFile, stamp: UInt64, bundled: @escaping Bundled) {
        self.database = database
        self.bundled = bundled
        url = database.url.deletingLastPathComponent()
            .appending(path: "gazetteer-\(String(stamp, radix: 16))-\(Self.layout).sqlite")
    }

    /// Returns access to the places. The first call waits until the copy of the bundled tables is complete.
    package func open() async throws -> Reading {
        let opening = opening ?? Task.detached { [url, bundled] in try Self.readers(url, bundled) }
        self.opening = opening
        do {
            return Reading(database: database, bundled: try await opening.value)
        } catch {
            // Another caller may have started a new attempt meanwhile.
            if self.opening == opening { self.opening = nil }
            throw error
        }
    }

    private static func readers(_ url: URL, _ bundled: Bundled) throws -> ReadConnections {
        if !FileManager.default.fileExists(atPath: url.path) { try make(url, bundled) }
        var configuration = Configuration.spatiaLite()
        configuration.readonly = true
        return ReadConnections(path: url.path, configuration)
    }

    /// Writes under another name first, so that the final name always refers to a complete file.
    private static func make(_ url: URL, _ bundled: Bundled) throws {
        let folder = url.deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("gazetteer-") && name.hasSuffix(".sqlite") {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        let draft = folder.appending(path: "gazetteer-draft-\(UUID()).sqlite")
        do {
            try fill(draft, bundled)
            try FileManager.default.moveItem(at: draft, to: url)
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw error
        }
    }

    private static func fill(_ url: URL, _ bundled: Bundled) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        }
        let file = try DatabaseQueue(path: url.path, configuration: configuration)
        try file.write { db in
            try db.execute(sql: schema)
            try bundled { number, place in
                let key = SQLValue.integer(Int64(number))
                try PreparedStatement.run(db, insertion, [key] + place.values)
                let point = [place.coordinate.lon, place.coordinate.lat].map(SQLValue.real)
                try PreparedStatement.run(db, "INSERT INTO place_tree VALUES (?1, ?2, ?2, ?3, ?3)", [key] + point)
            }
        }
        try file.close()
    }

    fileprivate static let columns = [
        "lon", "lat", "level", "name", "locality", "comune", "comune_code", "province", "province_code", "region",
        "country_code", "postal_code", "population",
    ]

    private static let schema = """
        CREATE TABLE place (
            id INTEGER PRIMARY KEY, lon REAL NOT NULL, lat REAL NOT NULL, level TEXT NOT NULL, name TEXT NOT NULL,
            locality TEXT, comune TEXT, comune_code TEXT, province TEXT, province_code TEXT, region TEXT,
            country_code TEXT, postal_code TEXT, population INTEGER
        );
        CREATE VIRTUAL TABLE place_tree USING rtree (id, west, east, south, north);
        """

    private static let insertion = """
        INSERT INTO place (id, \(columns.joined(separator: ", "))) VALUES (?\(String(repeating: ", ?", count: columns.count)))
        """
}

extension PlaceCatalogue {
    package static let queryables: [Queryable] =
        [
            Queryable(name: "geometry", type: .geometry, sql: "MakePoint(place.lon, place.lat, 4326)"),
            Queryable(name: "id", type: .integer, sql: "place.id"),
            Queryable(name: "population", type: .integer, sql: "place.population"),
        ] + columns[2..<12].map { Queryable(name: $0, type: .text, sql: "place.\($0)") }

    /// A place as a row of the collection.
    package struct Entry: Sendable {
        package let key: Int64
        package let coordinate: Coordinate
        /// For example `comune` or `settlement`.
        package let level: String
        package let name: String
        package let place: Place
    }

    /// Read access to all places.
    package struct Reading: Sendable {
        fileprivate let database: DatabaseFile
        fileprivate let bundled: ReadConnections
    }
}

extension PlaceCatalogue.Reading {
    private static let maxReadTime = Duration.seconds(10)
    private static let bundledPlaces = table(
        from: "place",
        tree: ("place_tree", ["id", "west", "east", "south", "north"])
    )
    /// Boundaries and postal codes have no R*Tree of points.
    private static let importedPlaces = table(
        from: "place JOIN place_source ON place_source.id = place.source_id AND place_source.is_live",
        tree: nil
    )

    private static func table(from: String, tree: (name: String, columns: [String])?) -> ItemTable {
        ItemTable(
            from: from,
            key: "place.id",
            columns: (["id"] + PlaceCatalogue.columns).map { "place.\($0)" }.joined(separator: ", "),
            lon: "place.lon",
            lat: "place.lat",
            queryables: PlaceCatalogue.queryables,
            tree: tree
        )
    }

    /// - Returns: the key of the last item if more follow; otherwise nil.
    package func findItems(_ query: ItemQuery, _ body: (PlaceCatalogue.Entry) throws -> Void) throws -> Int64? {
        var (rest, last) = (query, query.after)
        func take(_ row: StatementRow, from first: Int64) throws {
            let entry = try PlaceCatalogue.Entry(row, key: first + row.integer(0))
            last = entry.key
            rest.limit -= 1
            try body(entry)
        }
        if query.after ?? .min < PlaceCatalogue.firstImported {
            let isMore = try bundled.read(within: Self.maxReadTime) { db in
                try Self.bundledPlaces.read(query, db) { row in try take(row, from: 0) }
            }
            if isMore { return last }
            rest.after = nil
        }
        rest.after = rest.after.map { $0 - PlaceCatalogue.firstImported }
        let imported = rest
        let isMore = try database.readNow { db in
            try Self.importedPlaces.read(imported, db) { row in try take(row, from: PlaceCatalogue.firstImported) }
        }
        return isMore ? last : nil
    }

    /// Returns the total number of matching places; nil if counting takes too long (50 milliseconds for each of the two
    /// tables).
    package func countItems(_ query: ItemQuery) throws -> Int? {
        let limit = Duration.milliseconds(50)
        guard let own = try bundled.read(atMost: limit, { try Self.bundledPlaces.count(query, $0) }) else { return nil }
        return try database.readNow(atMost: limit) { db in own + (try Self.importedPlaces.count(query, db)) }
    }

    package func findItem(key: Int64) throws -> PlaceCatalogue.Entry? {
        guard key >= 0 else { return nil }
        var query = ItemQuery()
        query.after = key - 1
        query.limit = 1
        var found: PlaceCatalogue.Entry?
        _ = try findItems(query) { found = $0 }
        return found?.key == key ? found : nil
    }
}

extension PlaceCatalogue.Entry {
    fileprivate init(_ row: StatementRow, key: Int64) throws {
        guard let coordinate = Coordinate(lon: row.real(1), lat: row.real(2)) else {
            throw DatabaseError(message: "place \(key): not readable")
        }
        self.key = key
        self.coordinate = coordinate
        level = row.string(3) ?? ""
        name = row.string(4) ?? ""
        var place = Place(coordinate: coordinate, row, areasFrom: 5)
        place.population = row.isNull(13) ? nil : Int(row.integer(13))
        self.place = place
    }
}

extension Place {
    /// The values in the order of the columns.
    fileprivate var values: [SQLValue] {
        [
            .real(coordinate.lon), .real(coordinate.lat), .text("\(level)"), .text(name ?? ""), SQLValue(locality),
            SQLValue(comune), SQLValue(comuneCode), SQLValue(province), SQLValue(provinceCode), SQLValue(region),
            SQLValue(countryCode), SQLValue(postalCode), population.map { .integer(Int64($0)) } ?? .null,
        ]
    }
}
