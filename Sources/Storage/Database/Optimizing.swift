import GRDB

extension DatabaseFile {
    /// As many new listings as leave the indexes worth arranging.
    package static let manyListings = 10_000

    /// Arranges anew what many changes have left in disorder.
    ///
    /// An R*Tree filled in order of time has nodes that overlap: walking it takes nearly half as long again as walking
    /// one that was filled neighbour by neighbour. The text indexes are in many pieces, each of which a search must look into.
    package func optimize() async throws {
        try await write { db in
            try db.execute(
                sql: """
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
