import Domain
import SQL
import SpatiaLite

/// Searches with the indexes of SQLite and SpatiaLite: R*Trees, FTS5, and the lists of cells and facets. Statements
/// without a network between them are cheap, so plans read a little of several lists before they choose one.
struct SpatiaLiteSearch: SearchEngine {
    func find(_ query: ListingQuery, withFeatures: Bool, _ db: SQLConnection) throws -> HitPage {
        try SearchPlan(db, query).run()
    }

    func count(_ query: ListingQuery, budget: Int?, _ db: SQLConnection) throws -> ListingCount {
        try ListingCounter(db, query).count(budget: budget ?? ListingCounter.budget)
    }

    func clusters(_ query: ListingQuery, zoom: Int?, _ db: SQLConnection) throws -> [ListingCluster] {
        try ListingCounter(db, query).clusters(zoom: zoom)
    }

    func contents(of tile: MapTile, _ query: ListingQuery, _ db: SQLConnection) throws -> TileContents {
        try TileSearch(db, query, tile).run()
    }

    func wordsOnBoard(among words: [String], _ db: SQLConnection) throws -> [String] {
        try words.filter { word in
            try db.exists("SELECT 1 FROM board_text WHERE board_text MATCH ?", ["- {tags stems} : \(word)"])
        }
    }

    func extent(_ db: SQLConnection) throws -> BoundingBox? {
        try RTreeWalk.extent(db, table: "idx_board_geom")
    }

    /// Rebuilds the spatial index and merges the segments of the full-text indexes.
    ///
    /// An R*Tree that is filled in the order of time has overlapping nodes: a search takes nearly 1.5 times as long as
    /// in an R*Tree that is filled in spatial order. Each write adds segments to the full-text indexes, and every
    /// search must read all segments.
    var optimizations: [(name: String, script: String)] {
        [
            (
                "spatial index",
                """
                DELETE FROM idx_board_geom;
                INSERT INTO idx_board_geom (pkid, xmin, xmax, ymin, ymax)
                SELECT id, lon, lon, lat, lat FROM board ORDER BY zone;
                """
            ), ("words of open listings", "INSERT INTO board_text (board_text) VALUES ('optimize');"),
            ("words of closed listings", "INSERT INTO archive_text (archive_text) VALUES ('optimize');"),
        ]
    }
}
