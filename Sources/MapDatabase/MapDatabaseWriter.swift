package import Domain
package import Foundation
import SQL
import SpatiaLite

/// Writes a map database next to the one that it replaces when it is complete.
///
/// Everything that grows with the extract is in the file and in temporary files, so that memory stays the same.
package final class MapDatabaseWriter {
    /// A street, a square, a hamlet or a landmark that searches find.
    package struct NamedPlace {
        /// The tag of OpenStreetMap that says what it is, such as `highway` and `residential`.
        package let tag: (key: String, value: String)
        package let name: String
        /// Names in other languages, former and short ones.
        package let otherNames: [String]
        package let middle: Coordinate
        /// In degrees. The middle of the longest part stands for a street of several.
        package let length: Double

        package init(
            tag: (key: String, value: String),
            name: String,
            otherNames: [String],
            middle: Coordinate,
            length: Double
        ) {
            (self.tag, self.name, self.otherNames) = (tag, name, otherNames)
            (self.middle, self.length) = (middle, length)
        }
    }

    package struct HouseNumber {
        package let number: String
        /// The street, or in villages without streets the place.
        package let street: String
        package let city: String?
        package let postalCode: String?
        package let position: Coordinate

        package init(number: String, street: String, city: String?, postalCode: String?, position: Coordinate) {
            (self.number, self.street, self.city) = (number, street, city)
            (self.postalCode, self.position) = (postalCode, position)
        }
    }

    /// The size of the page cache in MiB. SQLite needs as much again when it sorts.
    private static let cache = 32

    private let file: URL
    private let draft: URL
    private let connection: SQLiteConnection
    let db: SQLConnection
    private let feature: PreparedStatement
    private let featureIndex: PreparedStatement
    private let coastIndex: PreparedStatement
    private let segment: PreparedStatement
    private let house: PreparedStatement
    private let member: PreparedStatement
    private var features: Int64 = 0
    private var extent: BoundingBox?

    /// - Parameter file: of the map database. Nothing is changed until `finish`.
    package init(replacing file: URL, source: String, importedAt: String) throws {
        self.file = file
        draft = file.appendingPathExtension("part")
        try? FileManager.default.removeItem(at: draft)
        connection = try .spatiaLite(draft.path, cache: Self.cache)
        db = SQLConnection(connection)
        // Without a memory map, whose pages would count as memory of the process.
        try db.run(
            script:
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA mmap_size = 0"
        )
        try db.execute("SELECT InitSpatialMetaData(1, 'WGS84')")
        try db.run(script: MapDatabaseSchema.tables + MapDatabaseSchema.indexes + MapDatabaseSchema.work)
        // SpatiaLite's triggers check the type of each geometry.
        try db.disableTriggers()
        try db.run(script: "PRAGMA temp.journal_mode = OFF; BEGIN")
        try db.execute("INSERT INTO extract(source, imported_at) VALUES (?, ?)", [source, importedAt])
        feature = try PreparedStatement(db, "INSERT INTO feature(id, kind, name, geometry) VALUES (?, ?, ?, ?)")
        featureIndex = try PreparedStatement(db, "INSERT INTO feature_index VALUES (?, ?, ?, ?, ?, ?, ?)")
        coastIndex = try PreparedStatement(db, "INSERT INTO coast_index VALUES (?, ?, ?, ?, ?, ?, ?)")
        segment = try PreparedStatement(
            db,
            """
            INSERT INTO segment(osm_key, osm_value, name, key, words, lon, lat, length) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        house = try PreparedStatement(
            db,
            "INSERT INTO house(street, key, number, city, postal_code, lon, lat) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        member = try PreparedStatement(db, "INSERT OR IGNORE INTO member VALUES (?, ?)")
    }

    deinit {
        try? FileManager.default.removeItem(at: draft)
    }

    package func add(_ new: MapFeature) throws {
        guard let box = new.geometry.box, let bytes = bytes(of: new.geometry, in: box) else { return }
        features += 1
        try feature.run([features, new.kind.rawValue, new.name, bytes])
        let entry: [any SQLBindable] = [
            features, box.southWest.lon, box.northEast.lon, box.southWest.lat, box.northEast.lat,
            Double(new.zooms.lowerBound), Double(new.zooms.upperBound),
        ]
        if new.kind == .coastline { try coastIndex.run(entry) } else { try featureIndex.run(entry) }
        extent = extent.map { $0.union(box) } ?? box
    }

    private func bytes(of geometry: MapFeature.Geometry, in box: BoundingBox) -> [UInt8]? {
        switch geometry {
        case .point(let point): CompressedBlob.point(point)
        case .line(let points): points.count > 1 ? CompressedBlob.line(points, in: box) : nil
        case .area(let rings): CompressedBlob.polygon(rings, in: box)
        }
    }

    package func add(_ place: NamedPlace) throws {
        let names = ([place.name] + place.otherNames).map(\.folded)
        guard let key = names.first, !key.isEmpty else { return }
        try segment.run([
            place.tag.key, place.tag.value, place.name, key, Set(names).sorted().joined(separator: " "),
            place.middle.lon, place.middle.lat, place.length,
        ])
    }

    package func add(_ new: HouseNumber) throws {
        let key = new.street.folded
        guard !key.isEmpty else { return }
        try house.run([
            new.street, key, new.number, new.city, new.postalCode, new.position.lon, new.position.lat,
        ])
    }

    /// - Parameter area: rings of one polygon; a town may have several.
    package func addTown(_ name: String, _ area: [[Coordinate]]) throws {
        guard let box = MapFeature.Geometry.area(area).box else { return }
        let id = try db.insert(
            "INSERT INTO municipality(name, rings) VALUES (?, ?) RETURNING id",
            [name, CompressedBlob.polygon(area, in: box)]
        )
        try db.execute(
            "INSERT INTO municipality_index VALUES (?, ?, ?, ?, ?)",
            [id, box.southWest.lon, box.northEast.lon, box.southWest.lat, box.northEast.lat]
        )
    }

    // MARK: - Lines of which areas consist

    package func keep(_ line: [Coordinate], ofWay way: Int64) throws {
        guard line.count > 1, let box = MapFeature.Geometry.line(line).box else { return }
        try member.run([way, CompressedBlob.line(line, in: box)])
    }

    package func line(ofWay way: Int64) throws -> [Coordinate]? {
        try db.row("SELECT line FROM member WHERE way = ?", [way]) { row in
            CompressedBlob.lines(row.blob(0))?.first
        } ?? nil
    }

    // MARK: - The end

    /// Finds the towns, joins the parts of streets, and puts the file in the place of the older one.
    ///
    /// - Parameter place: tells the place at a point, whose names count where the extract has no boundaries.
    package func finish(
        place: @escaping (Coordinate) throws -> Place?,
        progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> MapDatabaseCounts {
        let towns = MapTowns(db, place: place)
        try towns.assign(progress: progress)
        try MapStreets(db).join()
        if let extent {
            try db.execute(
                "UPDATE extract SET west = ?, south = ?, east = ?, north = ?",
                [extent.southWest.lon, extent.southWest.lat, extent.northEast.lon, extent.northEast.lat]
            )
        }
        let counts = try MapDatabaseCounts(db)
        try db.run(
            script: """
                DROP TABLE temp.member; DROP TABLE temp.municipality; DROP TABLE temp.municipality_index;
                DROP TABLE temp.segment; DROP TABLE temp.house;
                PRAGMA user_version = \(MapDatabaseSchema.version); COMMIT
                """
        )
        try MapFolder.replace(file, by: draft)
        return counts
    }
}

/// The numbers of rows in a map database.
package struct MapDatabaseCounts: Sendable {
    package let features: Int
    package let places: Int
    package let addresses: Int
    package let towns: Int

    init(_ db: SQLConnection) throws {
        (features, places) = (try db.count("feature"), try db.count("place"))
        (addresses, towns) = (try db.count("address"), try db.count("town"))
    }
}

extension BoundingBox {
    /// The least box that contains both, neither of which crosses the antimeridian.
    fileprivate func union(_ other: BoundingBox) -> BoundingBox {
        BoundingBox(
            west: min(southWest.lon, other.southWest.lon), south: min(southWest.lat, other.southWest.lat),
            east: max(northEast.lon, other.northEast.lon), north: max(northEast.lat, other.northEast.lat)) ?? self
    }
}
