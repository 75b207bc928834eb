import Domain
import SQL

/// Searches with the indexes of PostgreSQL and PostGIS: a GiST index in the order of distance, GIN indexes of words, and
/// the lists of cells and facets.
///
/// A statement costs a round trip, so most pages are one statement, which says all conditions and reads until the page is
/// full or a budget of rows is used up.
struct PostGISSearch: SearchEngine {
    func find(_ query: ListingQuery, withFeatures: Bool, _ db: SQLConnection) throws -> [ListingHit] {
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

    func extent(_ db: SQLConnection) throws -> BoundingBox? {
        // The function reads the root of the index.
        let sides: [Double]? = try db.row(
            """
            SELECT ST_XMin(box), ST_YMin(box), ST_XMax(box), ST_YMax(box)
            FROM (SELECT ST_EstimatedExtent('board', 'geom') AS box) AS board WHERE box IS NOT NULL
            """
        ) { row in (0..<4).map { row.real($0) } }
        guard let sides, let southWest = Coordinate(lon: max(sides[0], -180), lat: max(sides[1], -90)),
            let northEast = Coordinate(lon: min(sides[2], 180), lat: min(sides[3], 90))
        else { return nil }
        return BoundingBox(southWest: southWest, northEast: northEast)
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
