import SQL

extension ListingBatch {
    /// Makes the tables `draft` and `known` for one transaction. Several writes may share it.
    ///
    /// - Parameter drafts: a JSON array of objects with the columns of `draft`.
    static func makeTables(_ drafts: String, _ db: SQLConnection) throws {
        try db.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS draft ON COMMIT DROP AS
            SELECT id AS position, id AS time, uuid, created_at, exact_lon AS lon, exact_lat AS lat,
                \(ListingRecord.columnNames.joined(separator: ", "))
            FROM listing WITH NO DATA
            """
        )
        try db.execute("CREATE UNIQUE INDEX IF NOT EXISTS draft_position ON draft (position)")
        try db.execute(
            "CREATE TEMP TABLE IF NOT EXISTS known (position bigint, id bigint, is_same boolean) ON COMMIT DROP"
        )
        try db.execute("DELETE FROM draft")
        try db.execute("INSERT INTO draft SELECT * FROM json_populate_recordset(CAST(NULL AS draft), ?)", [drafts])
    }
}
