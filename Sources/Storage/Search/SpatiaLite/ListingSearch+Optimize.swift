import SQL

extension ListingSearch {
    /// The number of new listings after which `optimize()` is worthwhile.
    package static let manyListings = 10_000

    /// Rebuilds the spatial index and merges the segments of the full-text indexes.
    ///
    /// An R*Tree that is filled in the order of time has overlapping nodes: a search takes nearly 1.5 times as long as
    /// in an R*Tree that is filled in spatial order. Each write adds segments to the full-text indexes, and every
    /// search must read all segments.
    ///
    /// - Parameter progress: is called for each index that is next.
    package func optimize(_ progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }) async throws {
        try await database.write { db in
            for (number, (name, script)) in Self.optimizations.enumerated() {
                progress(TaskProgress(name: name, finished: number, total: Self.optimizations.count))
                try db.run(script: script)
            }
        }
    }

    private static let optimizations = [
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
