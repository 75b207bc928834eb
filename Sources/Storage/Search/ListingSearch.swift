package import Domain
import SQL
import SpatiaLite

/// Searches listings. Code outside this folder uses only this type to search.
package struct ListingSearch: Sendable {
    let database: any Database

    package init(_ database: any Database) {
        self.database = database
    }

    package func find(_ query: ListingQuery) async throws -> ListingResults {
        var entries: [ListingResults.Entry] = []
        let next = try find(query) { row, match in
            entries.append(ListingResults.Entry(listing: try Listing(row), distance: match.distance))
        }
        return ListingResults(entries: entries, next: next)
    }

    /// Passes the rows of a page to `body` without decoding them, and returns the cursor of the next page.
    package func find(
        _ query: ListingQuery,
        _ body: (ListingRow, ListingMatch) throws -> Void
    ) throws -> ListingQuery.Cursor? {
        try database.readNow { db in
            let found = try db.searchEngine.page(query, db)
            try Self.read(ListingRow.byKeys, found.hits.prefix(query.limit), key: \.key, db) { hit, row in
                try body(ListingRow(row), hit.match(query))
            }
            return found.next(query)
        }
    }

    /// Passes the prepared public form of each listing to `body`: a GeoJSON Feature in UTF-8 without its last two
    /// braces. The query must be `isOpen`. This method costs a fifth of what reading the columns costs.
    ///
    /// - Parameters:
    ///   - owner: an `Account.key`. A page with a listing of this account, whose owner sees more fields, is passed to
    ///     `rows` instead.
    package func findFeatures(
        _ query: ListingQuery,
        exceptOf owner: Int64? = nil,
        rows: (ListingRow, ListingMatch) throws -> Void = { _, _ in },
        _ body: (UnsafeBufferPointer<UInt8>, ListingMatch) throws -> Void
    ) throws -> ListingQuery.Cursor? {
        try database.readNow { db in
            let found = try db.searchEngine.page(query, withFeatures: true, db)
            let page = found.hits.prefix(query.limit)
            var feature: [UInt8] = []
            func expand(_ short: UnsafeBufferPointer<UInt8>, _ hit: ListingHit) throws {
                ShortFeature.expand(short, into: &feature)
                try feature.withUnsafeBufferPointer { try body($0, hit.match(query)) }
            }
            if let owner, try Self.isAny(page.map(\.key), of: owner, db) {
                try Self.read(ListingRow.byKeys, page, key: \.key, db) { hit, row in
                    try rows(ListingRow(row), hit.match(query))
                }
            } else if page.contains(where: { $0.feature == nil }) {
                try Self.read(Self.features, page, key: \.key, db) { hit, row in
                    if let short = row.text(0) { try expand(short, hit) }
                }
            } else {
                for hit in page { try hit.feature?.withUnsafeBufferPointer { try expand($0, hit) } }
            }
            return found.next(query)
        }
    }

    /// Returns the contents of a map tile: listings, and clusters with their counts where listings are dense. Hidden
    /// listings are always excluded.
    package func findTile(
        _ tile: MapTile,
        _ query: ListingQuery
    ) throws -> (listings: [MapListing], clusters: [MapCluster]) {
        try database.readNow { db in
            let found = try db.searchEngine.contents(of: tile, query.removingIneffectiveBounds(db), db)
            var listings: [MapListing] = []
            try Self.read(MapListing.byKeys, found.singles, key: \.key, db) { single, row in
                listings.append(MapListing(row, at: single.point))
            }
            return (listings, found.clusters)
        }
    }

    private static let features = """
        SELECT feature FROM json_each(?) AS wanted
        CROSS JOIN board WHERE board.id BETWEEN CAST(wanted.value AS BIGINT) << 4
            AND (CAST(wanted.value AS BIGINT) << 4) | 15
        """

    /// Reads all rows with one statement that takes a JSON array of keys. Restarting a statement per row would free and
    /// allocate memory for every column.
    private static func read<Found>(
        _ select: String,
        _ page: some Sequence<Found>,
        key: (Found) -> Int64,
        _ db: SQLConnection,
        _ body: (Found, StatementRow) throws -> Void
    ) throws {
        // SQLite reads the array first and in its order; PostgreSQL may join in another order.
        let order = db.engine == .postGIS ? " ORDER BY wanted.key" : ""
        let scan = try PreparedStatement(db, select + order, [.text(list(page.map(key)))])
        for hit in page where try scan.next() { try body(hit, scan.row) }
    }

    private static func isAny(_ keys: [Int64], of owner: Int64, _ db: SQLConnection) throws -> Bool {
        let sql = """
            SELECT 1 FROM json_each(?) AS wanted CROSS JOIN listing
            WHERE listing.id = CAST(wanted.value AS BIGINT) AND listing.account_id = ? LIMIT 1
            """
        return try db.exists(sql, [list(keys), owner])
    }

    /// Returns the keys as a JSON array.
    private static func list(_ keys: [Int64]) -> String {
        "[" + keys.map { String($0) }.joined(separator: ",") + "]"
    }

    /// Returns the public position of the listing that has a code; nil if there is none, or if it is hidden.
    package func findPosition(of code: ListingCode) throws -> Coordinate? {
        try database.readNow { db in
            let sql = "SELECT ST_X(geom), ST_Y(geom) FROM listing WHERE code = ? AND NOT hidden"
            return try db.row(sql, [code.text]) { row in Coordinate(lon: try row[0], lat: try row[1]) } ?? nil
        }
    }

    /// Returns the `Listing.key`s of a page, plus one more if there are more listings.
    package func findKeys(_ query: ListingQuery) throws -> [Int64] {
        try database.readNow { db in try db.searchEngine.find(query, withFeatures: false, db).hits.map(\.key) }
    }

    /// Returns the number of listings that fulfil the query. Its order, limit and cursor are ignored.
    ///
    /// - Parameter budget: The maximum number of rows to read; nil for some thousands.
    package func count(_ query: ListingQuery, budget: Int? = nil) throws -> ListingCount {
        try database.readNow { db in
            try db.searchEngine.count(query.removingIneffectiveBounds(db), budget: budget, db)
        }
    }

    /// The same; nil if it takes more processor time than `limit`, in seconds.
    package func count(_ query: ListingQuery, budget: Int, atMost limit: Double) throws -> ListingCount? {
        try database.readNow(atMost: limit) { db in
            try db.searchEngine.count(query.removingIneffectiveBounds(db), budget: budget, db)
        }
    }

    /// Returns the number of listings by cells of the map. The cell size depends on the zoom level of a web map or, if
    /// it is nil, on the area of the query.
    package func clusters(_ query: ListingQuery, zoom: Int?) throws -> [ListingCluster] {
        try database.readNow { db in
            try db.searchEngine.clusters(query.removingIneffectiveBounds(db), zoom: zoom, db)
        }
    }
}

extension ListingHit {
    fileprivate func match(_ query: ListingQuery) -> ListingMatch {
        let group = query.photo.map { ListingMatch.Photo(bits: 0, breed: $0.groups[rank].probability, evidence: []) }
        return ListingMatch(distance: query.circle == nil ? nil : distance, photo: photo ?? group)
    }
}
