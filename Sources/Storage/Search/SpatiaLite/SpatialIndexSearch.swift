import Domain
import SQL
import SpatiaLite

/// Searches open listings by area and time alone. This is the most frequent search, and it reads only rows that it
/// returns.
///
/// Rows that are read but do not fulfil the query count against a budget. Filters that few rows pass need another plan.
struct SpatialIndexSearch {
    private let db: SQLConnection
    private let query: ListingQuery
    private let space: SearchArea
    private let rows: RowChecker
    private let time: SearchTime

    init(_ db: SQLConnection, _ check: ListingMatcher, _ rows: RowChecker, _ time: SearchTime) {
        self.db = db
        self.rows = rows
        self.time = time
        query = check.query
        space = check.space
    }

    /// The result of a walk through the R*Tree.
    struct Walk {
        var hits: [ListingHit] = []
        /// Whether the hits are the whole page.
        var isComplete = true
        /// The share of results among the entries that were read.
        var share = 0.0
    }

    /// Reads the R*Tree best first. Returns nil if the budget of entries was used up before the page was full.
    func nearest(budget: Int) throws -> [ListingHit]? {
        let walk = try walk(budget: (budget, budget), rows.fulfilsRowCondition)
        return walk.isComplete ? walk.hits : nil
    }

    /// Reads the R*Tree best first, until the page is full or the budget of entries is used up.
    ///
    /// - Parameters:
    ///   - budget: the number of entries and nodes that are read, and a larger one that is read if the share of results so far
    ///     shows that the page will be full before it.
    ///   - isWanted: decides about conditions that the board does not know.
    func walk(budget: (least: Int, most: Int), _ isWanted: (Int64) throws -> Bool) throws -> Walk {
        guard let circle = space.circle else { return Walk() }
        var search = NearestSearch<Int64, [UInt8]?>(
            centre: circle.centre,
            radius: circle.radius,
            limit: query.limit + 1,
            after: query.cursor.flatMap { cursor in Double(cursor.value).map { (distance: $0, key: cursor.key) } }
        )
        let kinds = query.kinds
        var walk = try search.walk(db, table: "idx_board_geom", box: space.box) { kinds >> ($0 & 15) & 1 == 1 }
        let wanted = window()
        let board = try PreparedStatement(
            db,
            "SELECT lon, lat, feature FROM board WHERE id = ?\(wanted.sql)",
            [.integer(0)] + wanted.values
        )
        var (read, found) = (0, 0)
        var isComplete = true
        while let id = try walk.next() {
            let cost = read + walk.nodesRead
            guard cost < budget.least || cost < budget.most && found * budget.most > cost * (query.limit + 1) else {
                isComplete = false
                break
            }
            read += 1
            try board.restart(id)
            guard try board.next(), let point = Coordinate(lon: board.real(0), lat: board.real(1)),
                space.box?.contains(point) ?? true, try isWanted(id >> 4)
            else { continue }
            found += 1
            search.take(point, key: id >> 4, from: &walk) { board.row.text(2).map(Array.init) }
        }
        return Walk(
            hits: search.hits.map { ListingHit(key: $0.key, distance: $0.distance, feature: $0.value) },
            isComplete: isComplete,
            share: (Double(found) + 0.5) / Double(read + 1)
        )
    }

    /// Merges the lists of the cells in the order of time; without an area, reads the whole `board` table. Returns nil
    /// if the budget of rows was used up before the page was full.
    func byTime(_ cover: CellCover?, budget: Int) throws -> [ListingHit]? {
        let descending = query.order == .newest
        var merge = MergedCursor(descending: descending)
        if let cover {
            try addCells(cover, to: &merge)
        } else {
            try merge.add(boardByTime())
        }
        var hits: [ListingHit] = []
        var read = 0
        time.begin()
        while let key = merge.head, hits.count <= query.limit {
            guard read < budget else { return nil }
            if time.isOver(before: key) { break }
            read += 1
            if merge.row.integer(3) != 0, let point = Coordinate(lon: merge.row.real(1), lat: merge.row.real(2)),
                let distance = space.distance(to: point), try rows.fulfilsRowCondition(key)
            {
                hits.append(ListingHit(key: key, distance: distance))
            }
            try merge.advance()
        }
        return hits
    }

    private func addCells(_ cover: CellCover, to merge: inout MergedCursor) throws {
        let wanted = window()
        let species = query.species.map { " AND list.species = '\($0.rawValue)'" } ?? ""
        // The table `board_cell` contains everything that the query needs except the time of the sighting.
        let board = "CROSS JOIN board ON board.id BETWEEN list.id << 4 AND (list.id << 4) | 15"
        let sql = """
            SELECT list.id, list.lon, list.lat, 1\(species)\(wanted.sql)
            FROM board_cell AS list \(query.hasWindow ? board : "")
            WHERE list.cell = ? AND list.status = ? AND list.id \(behind) ? ORDER BY list.id \(direction)
            """
        let start = query.cursor?.key ?? (query.order == .newest ? .max : .min)
        for cell in cover.cells {
            for status in query.statuses {
                let place: [SQLValue] = [.integer(cell.number), .text(status.rawValue), .integer(start)]
                try merge.add(PreparedStatement(db, sql, wanted.values + place))
            }
        }
    }

    private func boardByTime() throws -> PreparedStatement {
        let wanted = window()
        let start = query.cursor.map { query.order == .newest ? $0.key << 4 : $0.key << 4 | 15 }
        return try PreparedStatement(
            db,
            """
            SELECT id >> 4, lon, lat, (? >> (id & 15)) & 1\(wanted.sql)
            FROM board WHERE id \(behind) ? ORDER BY id \(direction)
            """,
            [.integer(query.kinds)] + wanted.values + [.integer(start ?? (query.order == .newest ? .max : .min))]
        )
    }

    private var behind: String { query.order == .newest ? "<" : ">" }
    private var direction: String { query.order == .newest ? "DESC" : "ASC" }

    /// The condition on the time of the sighting, which only the `board` table contains.
    private func window() -> (sql: String, values: [SQLValue]) {
        var (sql, values) = ("", [SQLValue]())
        if let since = query.since {
            sql += " AND board.last_seen_at >= ?"
            values.append(.text(since.text))
        }
        if let until = query.until {
            sql += " AND board.last_seen_at < ?"
            values.append(.text(until.text))
        }
        return (sql, values)
    }
}

extension ListingQuery {
    /// The requested combinations of species and status, one bit each, numbered as in `listing_on_board`.
    fileprivate var kinds: Int64 {
        let all: [Species] = [.dog, .cat, .other]
        var kinds: Int64 = 0
        for (number, one) in all.enumerated() where species == nil || species == one {
            for (bit, status) in Listing.Status.open.enumerated() where statuses.contains(status) {
                kinds |= 1 << (4 * number + bit)
            }
        }
        return kinds
    }
}
