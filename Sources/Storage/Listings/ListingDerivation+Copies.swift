import SQL

extension ListingDerivation {
    /// Writes what searches read, for listings that were inserted without triggers.
    static func writeSearchEntries(of keys: ClosedRange<Int64>, _ db: SQLConnection) throws {
        let keys: [any SQLBindable] = [keys.lowerBound, keys.upperBound]
        switch db.engine {
        case .spatiaLite:
            try db.execute("INSERT INTO temp.fresh SELECT id FROM listing WHERE id BETWEEN ? AND ?", keys)
            try run(searchEntries, db)
        case .postGIS: for sql in searchEntriesOnPostGIS { try db.execute(sql, keys) }
        }
    }

    /// The rows that `index_listing` and `board_insert` write for the listings with keys from ?1 to ?2. Each view
    /// is read by key (`OFFSET 0`), because PostgreSQL would join its parts for all listings.
    private static let searchEntriesOnPostGIS = [
        """
        INSERT INTO facet (name)
        SELECT DISTINCT entry.name FROM \(each("listing_facet_name", "listing_id"))
        WHERE NOT EXISTS (SELECT 1 FROM facet WHERE facet.name = entry.name) ORDER BY 1
        """,
        """
        INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
        SELECT facet.id, zone_of(ST_X(listing.geom), ST_Y(listing.geom)), listing.id, ST_X(listing.geom),
            ST_Y(listing.geom)
        FROM \(each("listing_facet_name", "listing_id")) JOIN facet ON facet.name = entry.name ORDER BY 1, 2, 3
        """,
        """
        INSERT INTO board (id, geom, lon, lat, zone, status, species, last_seen_at, feature)
        SELECT entry.id, entry.geom, entry.lon, entry.lat, entry.zone, entry.status, entry.species, entry.last_seen_at,
            entry.feature
        FROM \(each("listing_on_board", "listing_id"))
        """,
        """
        INSERT INTO board_cell (cell, status, id, species, lon, lat)
        SELECT (level << 28) | (zone >> shift), status, id >> 4, species, lon, lat
        FROM cell_level CROSS JOIN board
        WHERE id BETWEEN CAST(?1 AS bigint) << 4 AND (CAST(?2 AS bigint) << 4) | 15 ORDER BY 1, 2, 3
        """,
        """
        INSERT INTO board_count (cell, status, species, listings, lon_sum, lat_sum)
        SELECT (level << 28) | (zone >> shift), status, species, count(*), sum(CAST(trunc(lon * 1e7) AS bigint)),
            sum(CAST(trunc(lat * 1e7) AS bigint))
        FROM cell_level CROSS JOIN board
        WHERE id BETWEEN CAST(?1 AS bigint) << 4 AND (CAST(?2 AS bigint) << 4) | 15 GROUP BY 1, 2, 3
        ON CONFLICT (cell, status, species) DO UPDATE
        SET listings = board_count.listings + excluded.listings, lon_sum = board_count.lon_sum + excluded.lon_sum,
            lat_sum = board_count.lat_sum + excluded.lat_sum
        """,
        words("board"), words("archive"),
    ]

    private static func words(_ index: String) -> String {
        """
        INSERT INTO \(index)_text (id, words)
        SELECT entry.id,
            listing_lexemes(
                concat_ws(' ', entry.name, entry.colour, entry.marks, entry.description, entry.place, entry.province),
                entry.breed, entry.tags, entry.stems)
        FROM \(each("\(index)_words", "id"))
        """
    }

    private static func each(_ view: String, _ key: String) -> String {
        """
        (SELECT id, geom FROM listing WHERE id BETWEEN ?1 AND ?2 ORDER BY id) AS listing
        CROSS JOIN LATERAL (SELECT * FROM \(view) WHERE \(key) = listing.id OFFSET 0) AS entry
        """
    }
}
