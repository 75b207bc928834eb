import SQL

extension ListingBatch {
    /// The number of pages that one step of a merge writes.
    private static let mergedPages = 250

    /// The connection of an import: without triggers, because `ListingDerivation` does their work.
    static func onSpatiaLite(_ rows: ImportedRows) -> WriteBatch {
        let file = rows.file.path
        return WriteBatch(name: "import of \(file)", cache: 64, finish: ListingDerivation.run) { db in
            // The last write of an import, on another connection, syncs the log with all that the import wrote.
            try db.run(script: "PRAGMA synchronous = NORMAL")
            try db.execute("ATTACH ? AS import", [file])
            try db.run(
                script: """
                    PRAGMA import.cache_size = -4096;
                    CREATE TEMP TABLE known (position INTEGER PRIMARY KEY, id INTEGER NOT NULL, is_same INTEGER NOT NULL);
                    """
            )
            try ListingDerivation.prepare(db)
        }
    }

    /// Merges some pages of a full-text index. Returns whether there is more to merge.
    static func merge(_ index: String, isFirst: Bool, _ db: SQLConnection) throws -> Bool {
        let before = db.totalChanges
        // A negative number begins to merge all segments; a positive one continues a merge.
        let pages = isFirst ? -mergedPages : mergedPages
        try db.execute("INSERT INTO \(index) (\(index), rank) VALUES ('merge', ?)", [pages])
        // FTS5 changes fewer than two rows if nothing is left to merge.
        return db.totalChanges - before >= 2
    }
}
