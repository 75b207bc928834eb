package import Domain
import Foundation
import SQL
import SpatiaLite

/// Vets, pet shops and shelters, imported from files.
package struct PointOfInterestStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    package struct ImportCounts: Equatable, Sendable {
        package var added = 0
        package var updated = 0
        package var removed = 0

        package init(added: Int = 0, updated: Int = 0, removed: Int = 0) {
            (self.added, self.updated, self.removed) = (added, updated, removed)
        }
    }

    package struct Query: Sendable {
        package var categories: [PointOfInterest.Category] = PointOfInterest.Category.allCases
        package var centre: Coordinate?
        /// In metres.
        package var radius: Double?
        package var box: BoundingBox?
        package var limit = 20

        package init() {}
    }

    package struct Entry: Sendable {
        package let key: Int64
        package let poi: PointOfInterest
        /// The distance from the centre in metres on the ellipsoid; nil without a centre.
        package let distance: Double?
    }

    /// Replaces the contents of a source in one transaction: adds new points of interest, updates known ones, and
    /// removes those that are missing.
    ///
    /// An OpenStreetMap element that several sources contain is stored once; it belongs to the source that was imported
    /// last.
    package func put(
        _ pois: [PointOfInterest],
        source: String,
        by actor: Audit.Actor = .commandLine
    ) async throws -> ImportCounts {
        try await database.write { db in
            let (sourceKey, count) = try Self.beginImport(source, db)
            var counts = ImportCounts()
            for poi in pois {
                let ref = poi.reference(in: source)
                let known = try db.exists("SELECT 1 FROM poi WHERE ref = ?", [ref])
                try Self.upsert(poi, ref: ref, source: sourceKey, seen: count, db)
                if known { counts.updated += 1 } else { counts.added += 1 }
            }
            counts.removed = try db.execute("DELETE FROM poi WHERE source_id = ? AND seen < ?", [sourceKey, count])
            let note = "\(counts.added) added, \(counts.updated) updated, \(counts.removed) removed"
            try AuditLog.record(.poisImport, source, note: note, by: actor, db)
            return counts
        }
    }

    package func count(source: String) async throws -> Int {
        try await database.read { db in
            try db.count("poi WHERE source_id = (SELECT id FROM poi_source WHERE name = ?)", [source])
        }
    }

    package func counts() async throws -> [(category: String, count: Int)] {
        try await database.read { db in
            try db.rows("SELECT category, count(*) FROM poi GROUP BY category ORDER BY category") { row in
                (category: try row[0], count: try row[1])
            }
        }
    }

    package var isEmpty: Bool {
        get throws { try database.readNow { db in try !db.exists("SELECT 1 FROM poi") } }
    }

    package func findPointOfInterest(key: Int64) async throws -> Entry? {
        try await database.read { db in
            try db.row("SELECT \(Self.columns) FROM poi WHERE poi.id = ?", [key]) { row in
                Entry(key: key, poi: try PointOfInterest(row), distance: nil)
            }
        }
    }

    /// Returns points of interest, nearest first if a centre is given, otherwise in the order of the import.
    package func findPointsOfInterest(_ query: Query) async throws -> [Entry] {
        try await database.read { db in
            // Without a centre the order does not matter, so that only the limit ends the search.
            guard let centre = query.centre ?? Coordinate(lon: 0, lat: 0) else { return [] }
            let hits = try Self.index.nearest(
                PointIndex.Search(
                    centre: centre,
                    radius: query.centre == nil ? nil : query.radius,
                    box: query.box,
                    condition: Self.condition(query.categories),
                    limit: query.limit
                ),
                db
            )
            let rows = try PreparedStatement(db, "SELECT \(Self.columns) FROM poi WHERE poi.id = ?")
            return try hits.compactMap { hit in
                try rows.restart(hit.key)
                guard try rows.next() else { return nil }
                let distance = query.centre == nil ? nil : hit.distance
                return Entry(key: hit.key, poi: try PointOfInterest(rows.row), distance: distance)
            }
        }
    }

    static let index = PointIndex(table: "poi")

    private static func condition(_ categories: [PointOfInterest.Category]) -> String {
        categories.isEmpty ? "FALSE" : "category IN (\(categories.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    }

    /// Returns the contents of a map tile: single points of interest, and clusters with their counts where there are
    /// many.
    package func findTile(
        _ tile: MapTile,
        _ categories: [PointOfInterest.Category]
    ) throws -> (entries: [Entry], clusters: [MapCluster]) {
        try database.readNow { db in
            let found = try Self.candidates(tile, categories, db)
            let contents = TileContents(found, in: tile, isAll: found.count < Self.maxPerTile)
            var entries: [Entry] = []
            let rows = try PreparedStatement(db, "SELECT \(Self.columns) FROM poi WHERE poi.id = ?")
            for single in contents.singles {
                try rows.restart(single.key)
                if try rows.next() {
                    entries.append(Entry(key: single.key, poi: try PointOfInterest(rows.row), distance: nil))
                }
            }
            return (entries, contents.clusters)
        }
    }

    private static let maxPerTile = 50_000
    /// From this zoom level on, a unit of a tile is smaller than the rounding error of the R*Tree.
    private static let firstExactZoom = 11

    /// Returns at most `maxPerTile` points in a tile.
    private static func candidates(
        _ tile: MapTile,
        _ categories: [PointOfInterest.Category],
        _ db: SQLConnection
    ) throws -> [Candidate] {
        guard let box = tile.box(margin: MapTile.margin + 1) else { return [] }
        let isAll = Set(categories).count == PointOfInterest.Category.allCases.count
        return try index.points(
            in: box,
            where: isAll ? nil : condition(categories),
            isExact: tile.zoom >= firstExactZoom,
            atMost: maxPerTile,
            db
        )
    }

    private static func beginImport(_ source: String, _ db: SQLConnection) throws -> (key: Int64, count: Int) {
        let row = try db.row(
            """
            INSERT INTO poi_source (name) VALUES (?1)
            ON CONFLICT (name) DO UPDATE
            SET imports = poi_source.imports + 1, imported_at = ?2
            RETURNING id, imports
            """,
            [source, Timestamp.now]
        ) { row in (key: try row[0] as Int64, count: try row[1] as Int) }
        guard let row else { throw UnreadableRow("poi_source: nothing returned") }
        return row
    }

    static let columns = """
        poi.id, poi.category, poi.geom, poi.element_type, poi.element_id, poi.name, poi.street, poi.house_number,
        poi.postal_code, poi.city, poi.phone, poi.website, poi.opening_hours
        """

    private static func upsert(
        _ poi: PointOfInterest,
        ref: String,
        source: Int64,
        seen: Int,
        _ db: SQLConnection
    ) throws {
        try db.execute(
            """
            INSERT INTO poi (
                ref, source_id, seen, category, geom, element_type, element_id, name, street, house_number,
                postal_code, city, phone, website, opening_hours)
            VALUES (?, ?, ?, ?, MakePoint(?, ?, 4326), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (ref) DO UPDATE
            SET source_id = excluded.source_id, seen = excluded.seen, category = excluded.category,
                geom = excluded.geom, name = excluded.name, street = excluded.street,
                house_number = excluded.house_number, postal_code = excluded.postal_code, city = excluded.city,
                phone = excluded.phone, website = excluded.website, opening_hours = excluded.opening_hours
            """,
            [
                ref, source, seen, poi.category.rawValue, poi.coordinate.lon, poi.coordinate.lat,
                poi.element?.type.rawValue, poi.element?.id, poi.name, poi.street, poi.houseNumber, poi.postalCode,
                poi.city, poi.phone, poi.website, poi.openingHours,
            ]
        )
    }
}

extension PointOfInterest {
    /// Identifies the same point of interest in later imports: by its OpenStreetMap number, or by category, name and
    /// position.
    fileprivate func reference(in source: String) -> String {
        if let element { return "\(element.type.rawValue)/\(element.id)" }
        return "\(source)#\(category.rawValue)#\(name ?? "")#\(coordinate.lon),\(coordinate.lat)"
    }

    init(_ row: StatementRow) throws {
        guard let category = row.string(1).flatMap(Category.init(rawValue:)),
            let point = Coordinate(geometry: row.blob(2))
        else { throw UnreadableRow("poi \(row.integer(0)): not readable") }
        self.init(category: category, coordinate: point)
        if let type = row.string(3).flatMap(ElementType.init) { element = Element(type: type, id: row.integer(4)) }
        (name, street, houseNumber) = (row.string(5), row.string(6), row.string(7))
        (postalCode, city, phone) = (row.string(8), row.string(9), row.string(10))
        (website, openingHours) = (row.string(11), row.string(12))
    }
}
