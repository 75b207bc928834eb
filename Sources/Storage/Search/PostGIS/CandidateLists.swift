import Domain
import SQL

/// A list of listings with a common property that an index contains.
protocol CandidateList {
    /// The columns of the rows besides `id`.
    var columns: RowConditions.Columns { get }
    /// Whether the common property is the only condition of the query apart from its area.
    var isSufficient: Bool { get }

    /// Returns the rows in any order and possibly with duplicates.
    ///
    /// - Parameter cover: a hint: rows outside of these cells are not needed.
    func rows(in cover: CellCover?) -> SQLText
}

/// A list that can also be read in the order of time, so that a page needs only the beginning of it.
protocol TimeOrderedList: CandidateList {
    /// Returns the rows in the order of `id` after the key `start`.
    func rows(_ order: TimeOrder, after start: Int64?, in cover: CellCover?) -> SQLText
}

/// The order of keys, which is the order of time.
enum TimeOrder {
    case newest, oldest

    var direction: String { self == .newest ? "DESC" : "ASC" }

    /// Returns the condition that a column comes after a key, or `true`.
    func isAfter(_ start: Int64?, _ column: String) -> SQLText {
        guard let start else { return "true" }
        return "\(sql: column) \(sql: self == .newest ? "<" : ">") \(.integer(start))"
    }
}

extension [SQLText] {
    /// Returns lists that have an order as one list, which PostgreSQL merges as far as rows are needed.
    fileprivate func merged(_ order: TimeOrder) -> SQLText {
        guard count > 1 else { return self[0] }
        return "SELECT * FROM (\(joined(" UNION ALL "))) AS lists ORDER BY id \(sql: order.direction)"
    }
}

/// The lists of one or several facets, for all statuses of the query.
struct FacetList: TimeOrderedList {
    let names: [String]
    let isSufficient: Bool
    let columns = RowConditions.Columns.point

    /// - Parameter suffixes: the part of the facet name after the status, as the view `listing_facet_name` writes it;
    ///   empty for the status alone.
    init(_ query: ListingQuery, suffixes: [String]) {
        names = query.facetNames(suffixes)
        isSufficient = query.conditions == (suffixes == [""] ? 0 : 1)
    }

    func rows(in cover: CellCover?) -> SQLText {
        guard let zones = cover?.zones else {
            return """
                SELECT listing_facet.listing_id AS id, listing_facet.lon, listing_facet.lat
                FROM facet JOIN listing_facet ON listing_facet.facet_id = facet.id
                WHERE facet.name = ANY(\(.array(names)))
                """
        }
        return rows(in: zones.table)
    }

    /// Returns the rows of each cell separately, at most `limit` of each and their number in `n`.
    func rows(ofEach cells: [Cell], limit: Int) -> SQLText {
        let zones = cells.map { CellCover($0).zones.first ?? 0...0 }
        return """
            SELECT rows.*, zones.number AS cell
            FROM \(zones.table) CROSS JOIN LATERAL (
                SELECT *, row_number() OVER () AS n FROM (
                    SELECT listing_facet.listing_id AS id, listing_facet.lon, listing_facet.lat
                    FROM facet JOIN listing_facet ON listing_facet.facet_id = facet.id
                    WHERE facet.name = ANY(\(.array(names))) AND listing_facet.zone BETWEEN zones.low AND zones.high
                    LIMIT \(.integer(Int64(limit)))) AS rows) AS rows
            """
    }

    /// The subquery makes PostgreSQL read a range of each list, instead of whole lists.
    private func rows(in zones: SQLText) -> SQLText {
        """
        SELECT rows.id, rows.lon, rows.lat FROM facet CROSS JOIN \(zones) CROSS JOIN LATERAL (
            SELECT listing_id AS id, lon, lat FROM listing_facet
            WHERE facet_id = facet.id AND zone BETWEEN zones.low AND zones.high OFFSET 0) AS rows
        WHERE facet.name = ANY(\(.array(names)))
        """
    }

    func rows(_ order: TimeOrder, after start: Int64?, in cover: CellCover?) -> SQLText {
        guard !names.isEmpty else { return "SELECT listing_id AS id, lon, lat FROM listing_facet WHERE false" }
        return names.map { name in
            """
            (SELECT listing_id AS id, lon, lat FROM listing_facet
            WHERE facet_id = (SELECT id FROM facet WHERE name = \(.text(name)))
                AND \(order.isAfter(start, "listing_id"))
            ORDER BY listing_id \(sql: order.direction))
            """
        }.merged(order)
    }
}

extension [ClosedRange<Int64>] {
    /// The ranges as the table `zones` with the columns low, high and number, counted from 1.
    fileprivate var table: SQLText {
        """
        unnest(CAST(\(.array(map(\.lowerBound))) AS bigint[]), CAST(\(.array(map(\.upperBound))) AS bigint[]))
            WITH ORDINALITY AS zones (low, high, number)
        """
    }
}

/// Listings that contain the words of the query, from the index of words. The index has no order: its result is read as
/// a whole and sorted, also for its first rows.
struct TextList: TimeOrderedList {
    private let text: TextQuery
    let isSufficient = false
    let columns: RowConditions.Columns = []

    init?(_ query: ListingQuery) {
        guard let text = TextQuery(query) else { return nil }
        self.text = text
    }

    /// PostgreSQL would read the whole table to find the first matching rows, were the subquery not materialized.
    func rows(in cover: CellCover?) -> SQLText {
        let found = text.tables.map { table -> SQLText in
            "SELECT id FROM \(sql: table) WHERE words @@ \(text.expression(in: cover))"
        }
        return "(WITH texts AS MATERIALIZED (\(found.joined(" UNION ALL "))) SELECT id FROM texts)"
    }

    func rows(_ order: TimeOrder, after start: Int64?, in cover: CellCover?) -> SQLText {
        """
        SELECT id FROM \(rows(in: cover)) AS texts WHERE \(order.isAfter(start, "id"))
        ORDER BY id \(sql: order.direction)
        """
    }

    /// All listings with texts, for words that many listings contain.
    var all: AllTexts { AllTexts(tables: text.tables) }

    struct AllTexts: TimeOrderedList {
        fileprivate let tables: [String]
        let isSufficient = false
        let columns: RowConditions.Columns = []

        func rows(in cover: CellCover?) -> SQLText {
            tables.map { "SELECT id FROM \(sql: $0)" }.joined(" UNION ALL ")
        }

        func rows(_ order: TimeOrder, after start: Int64?, in cover: CellCover?) -> SQLText {
            tables.map { table in
                "(SELECT id FROM \(sql: table) WHERE \(order.isAfter(start, "id")) ORDER BY id \(sql: order.direction))"
            }.merged(order)
        }
    }
}

/// The listings of one account.
struct OwnerList: TimeOrderedList {
    private let owner: Int64
    let isSufficient = false
    let columns = RowConditions.Columns.point

    init?(_ query: ListingQuery) {
        guard let owner = query.owner else { return nil }
        self.owner = owner
    }

    func rows(in cover: CellCover?) -> SQLText {
        "SELECT id, ST_X(geom) AS lon, ST_Y(geom) AS lat FROM listing WHERE account_id = \(.integer(owner))"
    }

    func rows(_ order: TimeOrder, after start: Int64?, in cover: CellCover?) -> SQLText {
        """
        SELECT id, ST_X(geom) AS lon, ST_Y(geom) AS lat FROM listing
        WHERE account_id = \(.integer(owner)) AND \(order.isAfter(start, "id"))
        ORDER BY id \(sql: order.direction)
        """
    }
}

/// Listings by the time of the last sighting: open ones from `board_seen`, closed ones from `listing_archive_seen`.
struct LastSeenList: CandidateList {
    private let query: ListingQuery
    let isSufficient: Bool
    let columns: RowConditions.Columns = [.point, .status, .species, .lastSeenAt]

    /// Returns nil if the query includes hidden listings or has no time range.
    init?(_ query: ListingQuery) {
        guard query.hasWindow, !query.includesHidden else { return nil }
        self.query = query
        isSufficient = query.conditions == (query.species == nil ? 1 : 2)
    }

    func rows(in cover: CellCover?) -> SQLText {
        let range: SQLText = """
            last_seen_at >= \(.text(query.since?.text ?? "")) AND last_seen_at < \(.text(query.until?.text ?? "~"))
            """
        let kind = query.species.map { species -> SQLText in " AND species = \(.text(species.rawValue))" } ?? ""
        let (open, closed) = (query.statuses.filter(\.isOpen), query.statuses.filter { !$0.isOpen })
        // The order makes PostgreSQL read the index only as far as rows are needed.
        let parts: [SQLText] = [
            """
            (SELECT id >> 4 AS id, lon, lat, status, species, last_seen_at FROM board
            WHERE status = ANY(\(.array(open.map(\.rawValue)))) AND \(range)\(kind) ORDER BY last_seen_at)
            """,
            """
            (SELECT id, ST_X(geom) AS lon, ST_Y(geom) AS lat, status, species, last_seen_at FROM listing
            WHERE status IN ('reunited', 'closed') AND NOT hidden
                AND status = ANY(\(.array(closed.map(\.rawValue)))) AND \(range)\(kind) ORDER BY last_seen_at)
            """,
        ]
        return [open.isEmpty ? nil : parts[0], closed.isEmpty ? nil : parts[1]].compactMap(\.self)
            .joined(" UNION ALL ")
    }
}

/// All open listings that are not hidden.
struct BoardList: TimeOrderedList {
    private let query: ListingQuery
    private let isByCell: Bool
    let isSufficient = false

    /// - Parameter isByCell: whether a cover is given.
    init(_ query: ListingQuery, isByCell: Bool) {
        (self.query, self.isByCell) = (query, isByCell)
    }

    var columns: RowConditions.Columns {
        isByCell ? [.point, .status, .species] : [.point, .status, .species, .lastSeenAt]
    }

    /// Returns the listings in the boxes of the query's area, from the spatial index.
    func rows(in cover: CellCover?) -> SQLText {
        let space = SearchArea(circle: query.circle, box: query.box)
        let boxes = space.isEverywhere ? [] : space.extents.map { "geom && \($0.envelope)" as SQLText }
        let area: SQLText = boxes.isEmpty ? "" : "WHERE \(boxes.joined(" OR "))"
        return "SELECT id >> 4 AS id, lon, lat, status, species, last_seen_at FROM board \(area)"
    }

    func rows(_ order: TimeOrder, after start: Int64?, in cover: CellCover?) -> SQLText {
        guard let cover else {
            let edge = start.map { order == .newest ? $0 << 4 : $0 << 4 | 15 }
            return """
                SELECT id >> 4 AS id, lon, lat, status, species, last_seen_at FROM board
                WHERE \(order.isAfter(edge, "board.id")) ORDER BY board.id \(sql: order.direction)
                """
        }
        // One list for each, which PostgreSQL merges. It would sort the rows of a single list.
        let lists = cover.cells.flatMap { cell in
            query.statuses.map { status -> SQLText in
                """
                (SELECT id, lon, lat, status, species FROM board_cell
                WHERE cell = \(.integer(cell.number)) AND status = \(.text(status.rawValue))
                    AND \(order.isAfter(start, "id"))
                ORDER BY id \(sql: order.direction))
                """
            }
        }
        guard !lists.isEmpty else {
            return "SELECT id, lon, lat, status, species FROM board_cell WHERE false"
        }
        return lists.merged(order)
    }
}
