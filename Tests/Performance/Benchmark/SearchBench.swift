import CSpatiaLite
import Domain
import Formats
import Foundation
import SQL
import SpatiaLite
import Storage

struct SearchBench {
    private let database: DatabaseFile
    private let search: ListingSearch
    /// The positions of listings, so that more searches are made in crowded places.
    private let centres: [Coordinate]
    private let radii = [1000.0, 5000, 25_000]

    init(_ folder: URL) async throws {
        database = try DatabaseFile(directory: folder)
        search = ListingSearch(database)
        let (rows, open, points) = try await database.read { db in
            let rows = try db.value("SELECT count(*) FROM listing") ?? 0
            let open = try db.value("SELECT count(*) FROM board") ?? 0
            let points = try db.rows(
                "SELECT lon, lat FROM board WHERE lat BETWEEN 36 AND 47 ORDER BY (id * 7919) % 1000003 LIMIT 300"
            ) { row in
                Coordinate(lon: row.real(0) + 0.003, lat: row.real(1) + 0.002)
            }
            return (rows, open, points.compactMap(\.self))
        }
        centres = points
        show("\n## \(rows) listings, \(open) open\n\nMicroseconds of CPU, one thread, \(centres.count) centres.\n")
        show("| what | mean | p50 | p99 | most | x floor |\n|---|---:|---:|---:|---:|---:|")
    }

    /// Walks the R*Tree best first, as far as the search does, and does nothing else.
    private func walk(_ centre: Coordinate, radius: Double) throws {
        let reach = try farthest(centre, radius: radius)
        try database.readNow { db in
            try installBareWalk(db)
            let scan = try PreparedStatement(
                db,
                "SELECT pkid FROM idx_board_geom WHERE pkid MATCH bare_walk(?, ?)",
                [.real(centre.lon), .real(centre.lat)]
            )
            var rows = 0
            while rows < reach, try scan.next() { rows += 1 }
        }
    }

    private nonisolated(unsafe) static var reaches: [String: Int] = [:]

    /// The number of tree entries that the search for the nearest 50 lost dogs reads.
    private func farthest(_ centre: Coordinate, radius: Double) throws -> Int {
        let name = "\(centre) \(radius) \(database.url.path)"
        if let known = Self.reaches[name] { return known }
        var query = Self.nearest(centre, radius)
        var lost = 0.0
        _ = try search.find(query) { _, match in lost = max(lost, match.distance ?? 0) }
        query.circle = .init(centre: centre, radius: lost + 10)
        query.statuses = Listing.Status.open
        let count = try search.count(query).count
        Self.reaches[name] = count
        return count
    }

    private static func nearest(_ centre: Coordinate, _ radius: Double) -> ListingQuery {
        var query = ListingQuery()
        query.statuses = [.lost]
        query.order = .distance
        query.limit = 50
        query.circle = .init(centre: centre, radius: radius)
        return query
    }

    private nonisolated(unsafe) static var floors: [Double: Double] = [:]

    func floor() throws {
        for radius in radii {
            let timing = try Timing(centres, rounds: 3) { try walk($0, radius: radius) }
            Self.floors[radius] = timing.mean
            timing.report("the bare R*Tree walk, \(Int(radius / 1000)) km", over: timing.mean)
        }
    }

    func searches() throws {
        for radius in radii {
            let floor = Self.floors[radius]
            let name = "\(Int(radius / 1000)) km"
            try Timing(centres, rounds: 3) { centre in
                _ = try search.findKeys(Self.nearest(centre, radius))
            }.report("nearest 50 lost, found, \(name)", over: floor)
            try Timing(centres, rounds: 3) { centre in
                try write(Self.nearest(centre, radius))
            }.report("nearest 50 lost, written as GeoJSON, \(name)", over: floor)
        }
        for radius in radii {
            for isBox in [false, true] {
                try Timing(centres, rounds: 3) { centre in
                    _ = try search.findKeys(newest(centre, radius, isBox: isBox))
                }.report("newest 50 lost in \(isBox ? "the box of" : "") \(Int(radius / 1000)) km, found")
            }
        }
    }

    private func newest(_ centre: Coordinate, _ radius: Double, isBox: Bool) -> ListingQuery {
        var query = ListingQuery()
        query.statuses = [.lost]
        query.limit = 50
        if isBox {
            // The square has the same area as the circle.
            let half = radius * Double.pi.squareRoot() / 2
            let (dlat, dlon) = (half / 111_200, half / (111_200 * cos(centre.lat * .pi / 180)))
            query.box = Coordinate(lon: centre.lon - dlon, lat: centre.lat - dlat).flatMap { low in
                Coordinate(lon: centre.lon + dlon, lat: centre.lat + dlat).flatMap {
                    BoundingBox(southWest: low, northEast: $0)
                }
            }
        } else {
            query.circle = .init(centre: centre, radius: radius)
        }
        return query
    }

    private func write(_ query: ListingQuery) throws {
        var json = JSONWriter(capacity: 65_536)
        _ = try search.findFeatures(query) { feature, match in
            json.feature(begun: feature, base: "") { json in
                if let distance = match.distance { json.field("distance", distance, decimals: 3) }
            }
        }
    }

    /// SpatialIndex and ST_Distance on the ellipsoid, as in SpatiaLite's manual, on a plain table of all listings.
    func textbook() throws {
        let table = try textbookTable()
        try Timing(centres.prefix(20), rounds: 1) { centre in
            try table.run { db in
                let scan = try PreparedStatement(
                    db,
                    """
                    SELECT id, ST_Distance(geom, MakePoint(?1, ?2, 4326), 1) AS metres FROM animal
                    WHERE status = 'lost' AND metres <= 25000 AND ROWID IN (
                        SELECT ROWID FROM SpatialIndex
                        WHERE f_table_name = 'animal' AND search_frame = BuildCircleMbr(?1, ?2, ?3, 4326))
                    ORDER BY metres LIMIT 50
                    """,
                    [.real(centre.lon), .real(centre.lat), .real(25_000 / 111_200 / cos(centre.lat * .pi / 180))]
                )
                while try scan.next() {}
            }
        }.report("textbook: SpatialIndex, ST_Distance(,1), 25 km", over: Self.floors[25_000])
    }

    /// The table is created once, in a file beside the database.
    private func textbookTable() throws -> StandaloneDatabase {
        let file = database.url.deletingLastPathComponent().appending(path: "textbook.sqlite")
        let isNew = !FileManager.default.fileExists(atPath: file.path)
        let queue = try StandaloneDatabase(file)
        guard isNew else { return queue }
        try queue.run { db in
            try db.execute("ATTACH ? AS board", [database.url.path])
            try db.run(
                script: """
                    PRAGMA synchronous = OFF;
                    SELECT InitSpatialMetaData(1, 'WGS84');
                    CREATE TABLE animal (id INTEGER PRIMARY KEY, status TEXT NOT NULL, geom POINT NOT NULL);
                    SELECT RecoverGeometryColumn('animal', 'geom', 4326, 'POINT', 'XY');
                    INSERT INTO animal SELECT id, status, geom FROM board.listing;
                    SELECT CreateSpatialIndex('animal', 'geom');
                    DETACH board;
                    """
            )
        }
        return queue
    }

    /// SQLite alone, with one row per transaction and each commit synced: the reference for inserts over HTTP.
    func commits() throws {
        let file = database.url.deletingLastPathComponent().appending(path: "commits.sqlite")
        defer {
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
        }
        let connection = try SQLiteConnection(file.path)
        try connection.useWriteAheadLog()
        let db = SQLConnection(connection)
        try db.run(script: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
        let (clock, text) = (ContinuousClock(), String(repeating: "x", count: 500))
        let end = clock.now + .seconds(3)
        var rows = 0
        while clock.now < end {
            try db.execute("INSERT INTO note (text) VALUES (?)", [text])
            rows += 1
        }
        show("\nSQLite by itself, one row of 500 bytes a transaction: \(rows / 3) a second")
    }

    /// Searches with few results, and searches without a suitable index.
    func selective(only: String?) async throws {
        let breeds = try await database.read { db in
            try db.values("SELECT breed_key FROM listing WHERE breed_key IS NOT NULL GROUP BY 1 ORDER BY count(*)")
                as [String]
        }
        guard let rare = breeds.first, let common = breeds.last else { return }
        let middle = breeds[breeds.count / 2]
        let filters: [(String, (inout ListingQuery) -> Void)] = [
            ("all open", { _ in }), ("sighted", { $0.statuses = [.sighted] }), ("cats", { $0.species = .cat }),
            ("dogs", { $0.species = .dog }), ("rare breed", { $0.breed = .key(rare) }),
            ("middling breed", { $0.breed = .key(middle) }), ("common breed", { $0.breed = .key(common) }),
            ("nobody's breed", { $0.breed = .key("nobody") }), ("place=roma", { $0.places = ["roma"] }),
            ("place=lombardia", { $0.places = ["lombardia"] }), ("reunited", { $0.statuses = [.reunited] }),
            (
                "seen on one day",
                {
                    $0.since = Timestamp(parsing: "2025-10-10")
                    $0.until = Timestamp(parsing: "2025-10-11")
                }
            ),
            ("common word", { $0.text = "setter" }), ("rare words", { $0.text = "cirneco etna" }),
            (
                "word and breed",
                {
                    $0.text = "roma"
                    $0.breed = .key(middle)
                }
            ),
        ]
        let italy = try BoundingBox(parsing: "6,36,19,48")
        for (name, change) in filters where only.map(name.contains) ?? true {
            for radius in [5000.0, 25_000, nil] {
                for order in [ListingQuery.Order.distance, .newest] {
                    let timing = try Timing(centres.prefix(60), rounds: 1) { centre in
                        var query = ListingQuery()
                        query.limit = 50
                        query.order = order
                        if order == .distance || radius != nil { query.circle = .init(centre: centre, radius: radius) }
                        if order == .newest, radius == nil { query.box = italy }
                        change(&query)
                        _ = try search.findKeys(query)
                    }
                    let place = radius.map { "\(Int($0 / 1000)) km" } ?? (order == .newest ? "Italy" : "anywhere")
                    timing.report("\(order == .newest ? "newest" : "nearest") 50, \(name), \(place)")
                }
            }
            try Timing(centres.prefix(20), rounds: 1) { _ in
                var query = ListingQuery()
                query.box = italy
                change(&query)
                _ = try search.clusters(query, zoom: 6)
            }.report("clusters of Italy, \(name)")
            try Timing(centres.prefix(60), rounds: 1) { centre in
                var query = newest(centre, 25_000, isBox: true)
                query.statuses = Listing.Status.open
                change(&query)
                _ = try search.count(query)
            }.report("count in the box of 25 km, \(name)")
        }
    }
}

/// The connection on which the function is installed.
private nonisolated(unsafe) var walked: OpaquePointer?

/// Installs SQLite's own best-first walk of an R*Tree, with the cheapest possible score, the distance in a plane.
private func installBareWalk(_ db: SQLConnection) throws {
    let connection = db.sqlite.handle
    guard connection != walked else { return }
    walked = connection
    let code = sqlite3_rtree_query_callback(
        connection,
        "bare_walk",
        { info in
            guard let info, info.pointee.nParam == 2, let box = info.pointee.aCoord, let point = info.pointee.aParam
            else { return SQLITE_ERROR }
            let dx = max(0, box[0] - point[0], point[0] - box[1]) * 0.75
            let dy = max(0, box[2] - point[1], point[1] - box[3])
            info.pointee.rScore = dx * dx + dy * dy
            info.pointee.eWithin = PARTLY_WITHIN
            return SQLITE_OK
        },
        nil,
        nil
    )
    guard code == SQLITE_OK else { throw SQLiteError(code, "bare_walk") }
}
