import Domain
import GRDB
import SpatiaLite

/// Searches what is open by space and time alone: the hot path, which reads no row that it does not show.
///
/// Rows that are met and not wanted count against a budget too: a filter that nearly nothing passes is for other plans.
struct BoardSearch {
    private let db: Database
    private let query: ListingQuery
    private let space: ListingSpace

    init(_ db: Database, _ check: ListingCheck) {
        self.db = db
        query = check.query
        space = check.space
    }

    /// Walks the R*Tree best first. Nil where more than so many entries were met before the page was full.
    func nearest(budget: Int) throws -> [ListingHit]? {
        guard let circle = space.circle else { return [] }
        var search = NearestSearch<Int64, Void>(
            centre: circle.centre,
            radius: circle.radius,
            limit: query.limit + 1,
            after: query.cursor.flatMap { cursor in Double(cursor.value).map { (distance: $0, key: cursor.key) } }
        )
        let wanted = condition(of: "board", tellsStatus: true)
        var filter = "tree.pkid MATCH nearest(?, ?, ?, ?)"
        var values = wanted.values + search.treeValues
        if let box = space.box {
            filter += " AND tree.pkid MATCH in_box(?, ?, ?, ?)"
            values += [box.southWest.lon, box.southWest.lat, box.northEast.lon, box.northEast.lat].map(SQLValue.real)
        }
        // CROSS JOIN keeps the tree outermost: its order is the answer's.
        let scan = try Scan(
            db,
            """
            SELECT board.id, board.lon, board.lat, \(wanted.sql)
            FROM idx_board_geom AS tree CROSS JOIN board ON board.id = tree.pkid
            WHERE \(filter)
            """,
            values
        )
        var read = 0
        while try scan.next() {
            guard read < budget else { return nil }
            read += 1
            guard scan.integer(3) != 0, let point = Coordinate(lon: scan.real(1), lat: scan.real(2)),
                space.box?.contains(point) ?? true
            else { continue }
            guard search.take(point, key: scan.integer(0), value: {}) else { break }
        }
        return search.hits.map { ListingHit(key: $0.key, distance: $0.distance) }
    }

    /// Merges the lists of the cells; without a space the board is the list. Nil as above.
    func byTime(_ cover: CellCover?, budget: Int) throws -> [ListingHit]? {
        let descending = query.order == .newest
        var merge = TimeMerge(descending: descending)
        if let cover {
            try addCells(cover, to: &merge)
        } else {
            try merge.add(boardByTime())
        }
        var hits: [ListingHit] = []
        var read = 0
        while let key = merge.head, hits.count <= query.limit {
            guard read < budget else { return nil }
            read += 1
            if merge.row.integer(3) != 0, let point = Coordinate(lon: merge.row.real(1), lat: merge.row.real(2)),
                let distance = space.distance(to: point)
            {
                hits.append(ListingHit(key: key, distance: distance))
            }
            try merge.advance()
        }
        return hits
    }

    private func addCells(_ cover: CellCover, to merge: inout TimeMerge) throws {
        let wanted = condition(of: query.hasWindow ? "board" : "list", tellsStatus: false)
        // A cell knows all but when they were seen.
        let list = query.hasWindow ? "board_cell AS list CROSS JOIN board ON board.id = list.id" : "board_cell AS list"
        let sql = """
            SELECT list.id, list.lon, list.lat, \(wanted.sql) FROM \(list)
            WHERE list.cell = ? AND list.status = ? AND list.id \(behind) ? ORDER BY list.id \(direction)
            """
        var slot = 0
        for cell in cover.cells {
            for status in query.statuses {
                let place: [SQLValue] = [.integer(cell.number), .text(status.rawValue), .integer(start)]
                try merge.add(Scan(db, sql, wanted.values + place, slot: slot))
                slot += 1
            }
        }
    }

    private func boardByTime() throws -> Scan {
        let wanted = condition(of: "board", tellsStatus: true)
        return try Scan(
            db,
            "SELECT id, lon, lat, \(wanted.sql) FROM board WHERE id \(behind) ? ORDER BY id \(direction)",
            wanted.values + [.integer(start)]
        )
    }

    private var behind: String { query.order == .newest ? "<" : ">" }
    private var direction: String { query.order == .newest ? "DESC" : "ASC" }
    private var start: Int64 { query.cursor?.key ?? (query.order == .newest ? .max : .min) }

    /// What the table's own columns tell, as an expression: 1 for those that are wanted.
    private func condition(of table: String, tellsStatus: Bool) -> (sql: String, values: [SQLValue]) {
        var (conditions, values) = ([String](), [SQLValue]())
        let open = Listing.Status.open
        let names = open.filter(query.statuses.contains).map { "'\($0.rawValue)'" }
        if tellsStatus, names.count < open.count {
            conditions.append("\(table).status IN (\(names.joined(separator: ", ")))")
        }
        if query.species == .dog { conditions.append("\(table).species = 'dog'") }
        if let since = query.since {
            conditions.append("\(table).last_seen_at >= ?")
            values.append(.text(since.text))
        }
        if let until = query.until {
            conditions.append("\(table).last_seen_at < ?")
            values.append(.text(until.text))
        }
        return (conditions.isEmpty ? "1" : conditions.joined(separator: " AND "), values)
    }
}
