import Domain
import SQL

/// Searches with the indexes of PostgreSQL and PostGIS: a GiST index in the order of distance, GIN indexes of words, and
/// the lists of cells and facets.
///
/// A statement costs a round trip, so most pages are one statement, which says all conditions and reads until the page is
/// full or a budget of rows is used up.
struct PostGISSearch: SearchEngine {
    func find(_ query: ListingQuery, withFeatures: Bool, _ db: SQLConnection) throws -> HitPage {
        try PostGISPlan(db, query, withFeatures: withFeatures).page()
    }

    func count(_ query: ListingQuery, budget: Int?, _ db: SQLConnection) throws -> ListingCount {
        try PostGISCounter(db, query).count(budget: budget ?? PostGISCounter.budget)
    }

    func clusters(_ query: ListingQuery, zoom: Int?, _ db: SQLConnection) throws -> [ListingCluster] {
        try PostGISCounter(db, query).clusters(zoom: zoom)
    }

    func contents(of tile: MapTile, _ query: ListingQuery, _ db: SQLConnection) throws -> TileContents {
        try PostGISTile(db, query, tile).contents()
    }

    func wordsOnBoard(among words: [String], _ db: SQLConnection) throws -> [String] {
        let scan = try PreparedStatement(
            db, "SELECT word FROM words_on_board(CAST(? AS text[])) AS word", [.array(words)])
        var found: [String] = []
        while try scan.next() { found.append(try scan.row[0]) }
        return found
    }

    func extent(_ db: SQLConnection) throws -> BoundingBox? {
        // The index gives the points that are nearest to each edge of the map. `ST_EstimatedExtent` would be one look at
        // its root, which still contains listings that were hidden and points that were made less precise.
        let sides: [Double]? = try db.row(
            """
            SELECT west, south, east, north
            FROM (\(Self.nearest("lon", "-180 -90, -180 90"))) AS a (west),
                (\(Self.nearest("lat", "-180 -90, 180 -90"))) AS b (south),
                (\(Self.nearest("lon", "180 -90, 180 90"))) AS c (east),
                (\(Self.nearest("lat", "-180 90, 180 90"))) AS d (north)
            """
        ) { row in (0..<4).map { row.real($0) } }
        guard let sides, let southWest = Coordinate(lon: sides[0], lat: sides[1]),
            let northEast = Coordinate(lon: sides[2], lat: sides[3])
        else { return nil }
        return BoundingBox(southWest: southWest, northEast: northEast)
    }

    private static func nearest(_ column: String, _ edge: String) -> String {
        "SELECT \(column) FROM board ORDER BY geom <-> ST_GeomFromText('LINESTRING(\(edge))', 4326) LIMIT 1"
    }

    /// Updates the statistics of the planner, and moves new entries of the indexes of words into their trees: every
    /// search reads the list of those that are not there yet.
    var optimizations: [(name: String, script: String)] {
        [
            ("statistics", "ANALYZE board, board_cell, board_count, facet, listing, listing_facet"),
            ("words of open listings", "SELECT gin_clean_pending_list('board_text_words'); ANALYZE board_text"),
            ("words of closed listings", "SELECT gin_clean_pending_list('archive_text_words'); ANALYZE archive_text"),
        ]
    }
}
