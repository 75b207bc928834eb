import Domain
import SQL
import SpatiaLite

/// A result of a query: a listing inside the area that fulfils all conditions.
struct FoundListing {
    let key: Int64
    let point: Coordinate
    /// The distance from the centre in metres on the ellipsoid; 0 without a centre.
    let distance: Double
    let feature: [UInt8]?
}

/// Reads the results among the rows of a list with one statement.
///
/// The statement numbers the rows of the list before it filters them, and returns the row with the last number always.
/// So a list is read only as far as results or a budget of rows require, and the caller knows whether it has ended.
struct ListReader {
    private let db: SQLConnection
    private let query: ListingQuery
    private let check: ListingMatcher
    private let withFeatures: Bool
    private let time: SearchTime

    init(_ db: SQLConnection, _ query: ListingQuery, withFeatures: Bool = false, _ time: SearchTime) {
        (self.db, self.query, self.withFeatures, self.time) = (db, query, withFeatures, time)
        check = ListingMatcher(query)
    }

    var space: SearchArea { check.space }

    /// Returns the results among the rows of a list; nil if it has `budget` rows or more.
    func all(of list: any CandidateList, in cover: CellCover?, budget: Int) throws -> [FoundListing]? {
        let found = try some(of: list, in: cover, budget: budget)
        return found.isAll ? found.listings : nil
    }

    /// Returns the results among the first rows of a list, and whether these are all its rows.
    func some(
        of list: any CandidateList,
        in cover: CellCover?,
        budget: Int
    ) throws -> (listings: [FoundListing], isAll: Bool) {
        let rows: SQLText = "\(list.rows(in: cover)) LIMIT \(.integer(Int64(budget)))"
        let found = try read(rows, of: list, budget: budget, limit: nil)
        return (found.listings, found.next == nil)
    }

    /// Returns the results among the first rows of a list in each cell, with one statement for all cells.
    func some(
        ofEach cells: [Cell],
        of list: FacetList,
        budget: Int
    ) throws -> [Cell: (listings: [FoundListing], isAll: Bool)] {
        var found: [Cell: (listings: [FoundListing], isAll: Bool)] = [:]
        for cell in cells { found[cell] = ([], true) }
        let statement = statement(list.rows(ofEach: cells, limit: budget), of: list, budget: budget, limit: nil, "cell")
        let scan = try PreparedStatement(db, statement.sql, statement.values, isKept: query.filter == nil)
        while try scan.next() {
            let row = scan.row
            // Cells are counted from 1.
            let cell = cells[Int(row.integer(first + 4)) - 1]
            if row.integer(first + 3) == budget {
                found[cell]?.isAll = false
            } else if let listing = try self.found(row) {
                found[cell]?.listings.append(listing)
            }
        }
        return found
    }

    /// Returns the page of a list in the order of time, plus one more listing if there are more; nil if the budget of
    /// rows was used up before the page was full.
    ///
    /// The list is read in parts, because PostgreSQL would sort the whole list if a statement could read all of it.
    func page(of list: any TimeOrderedList, in cover: CellCover?, budget: Int) throws -> [ListingHit]? {
        let order: TimeOrder = query.order == .oldest ? .oldest : .newest
        var (start, left) = (query.cursor?.key, budget)
        var part = max(Self.firstPart, 4 * query.limit)
        var hits: [ListingHit] = []
        while hits.count <= query.limit {
            guard left > 0 else { return nil }
            if let start, start != query.cursor?.key, time.isOver(behind: start) { break }
            let rows: SQLText = """
                SELECT * FROM (\(list.rows(order, after: start, in: cover))) AS lists
                LIMIT \(.integer(Int64(min(part, left))))
                """
            // Some rows near the edge of a circle are outside of it.
            let limit = (query.limit + 1 - hits.count) * 9 / 8 + 2
            let found = try read(rows, of: list, budget: min(part, left), limit: limit)
            // A listing can appear in the lists of several places.
            for one in found.listings where one.key != hits.last?.key && hits.count <= query.limit {
                hits.append(ListingHit(one))
            }
            if let next = found.next {
                start = order == .newest ? next + 1 : next - 1
                left -= min(part, left)
                part = min(8 * part, Self.largestPart)
            } else if found.count == limit {
                start = found.last
            } else {
                break
            }
        }
        return hits
    }

    /// Rows; more than the largest part would take a large share of the time of a search.
    private static let (firstPart, largestPart) = (500, 32_000)

    /// The rows of a statement; `count` counts also those that only the exact conditions exclude.
    private struct Rows {
        var listings: [FoundListing] = []
        /// The first row beyond the budget; nil if there is none.
        var next: Int64?
        var count = 0
        var last: Int64?
    }

    private func read(_ rows: SQLText, of list: any CandidateList, budget: Int, limit: Int?) throws -> Rows {
        let numbered: SQLText = "SELECT *, row_number() OVER () AS n FROM (\(rows)) AS rows"
        let statement = statement(numbered, of: list, budget: budget, limit: limit)
        let scan = try PreparedStatement(db, statement.sql, statement.values, isKept: query.filter == nil)
        var result = Rows()
        while try scan.next() {
            let row = scan.row
            guard row.integer(first + 3) < budget else {
                result.next = row.integer(first)
                break
            }
            result.count += 1
            result.last = row.integer(first)
            if let found = try found(row) { result.listings.append(found) }
        }
        return result
    }

    /// - Parameters:
    ///   - rows: a statement with the columns of the list and `n`.
    ///   - limit: the number of results; nil for all, which have no features then, because most are not on the page.
    ///   - extra: a further column of it.
    private func statement(
        _ rows: SQLText,
        of list: any CandidateList,
        budget: Int,
        limit: Int?,
        _ extra: String? = nil
    ) -> SQLText {
        let conditions = RowConditions(query: query).sql(over: list.columns)
        let hasPoint = list.columns.contains(.point)
        let place = hasPoint ? "found" : "listing"
        let area = space.condition(over: place) ?? "true"
        let needsListing = !hasPoint || conditions.readsListing && !list.isSufficient
        return """
            SELECT \(sql: columns(place, extra, withFeatures: limit != nil && withFeatures)) FROM (\(rows)) AS found \(needsListing ? Self.listing : "")
            WHERE found.n = \(.integer(Int64(budget)))
                OR (\(area) AND \(list.isSufficient ? "true" : conditions.text))
            \(limit.map { "LIMIT \(.integer(Int64($0)))" } ?? "")
            """
    }

    /// The columns that `ListingMatcher` reads come first.
    private var first: CInt { query.hasWords ? CInt(ListingRow.checkedColumns.count) : 0 }

    private func columns(_ place: String, _ extra: String?, withFeatures: Bool) -> String {
        let checked = query.hasWords ? ListingRow.checkedColumns : []
        let feature = "(SELECT feature FROM board WHERE board.id BETWEEN found.id << 4 AND (found.id << 4) | 15)"
        let own = ["found.id", "\(place).lon", "\(place).lat", "found.n"]
        let last = extra.map { ["found.\($0)"] } ?? (withFeatures ? [feature] : [])
        return (checked + own + last).joined(separator: ", ")
    }

    /// A subquery with `OFFSET` keeps the order of `found`, and its rows are looked up one by one by their keys.
    static let listing: SQLText = """
        CROSS JOIN LATERAL (
            SELECT listing.*, ST_X(listing.geom) AS lon, ST_Y(listing.geom) AS lat FROM listing
            WHERE listing.id = found.id OFFSET 0) AS listing
        """

    private func found(_ row: StatementRow) throws -> FoundListing? {
        guard let point = Coordinate(lon: row.real(first + 1), lat: row.real(first + 2)) else { return nil }
        let distance = query.hasWords ? try check.distance(of: ListingRow(row)) : space.distance(to: point)
        guard let distance else { return nil }
        let feature = row.columnCount > first + 4 ? row.text(first + 4).map(Array.init) : nil
        return FoundListing(key: row.integer(first), point: point, distance: distance, feature: feature)
    }
}

extension ListingHit {
    init(_ found: FoundListing) {
        self.init(key: found.key, distance: found.distance, feature: found.feature)
    }
}
