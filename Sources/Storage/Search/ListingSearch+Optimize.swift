import SpatiaLite

extension ListingSearch {
    /// The number of new listings after which `optimize()` is worthwhile.
    package static let manyListings = 10_000

    /// Rebuilds the spatial index and merges the segments of the full-text indexes.
    ///
    /// An R*Tree that is filled in the order of time has overlapping nodes: a search takes nearly 1.5 times as long as
    /// in an R*Tree that is filled in spatial order. Each write adds segments to the full-text indexes, and every
    /// search must read all segments.
    package func optimize() async throws {
        try await database.write { db in
            try db.run(
                script: """
                    DELETE FROM idx_board_geom;
                    INSERT INTO idx_board_geom (pkid, xmin, xmax, ymin, ymax)
                    SELECT id, lon, lon, lat, lat FROM board ORDER BY zone;
                    INSERT INTO board_text (board_text) VALUES ('optimize');
                    INSERT INTO archive_text (archive_text) VALUES ('optimize');
                    """
            )
        }
    }
}
