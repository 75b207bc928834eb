import Domain
import SQL
import SpatiaLite

/// Counts listings. If the query has conditions only on status, species and area, the precomputed counts of cells are
/// added, and only cells that the edge of the area intersects are read. Otherwise listings are read, at most a few
/// thousand.
struct ListingCounter {
    private let db: SQLConnection
    private let query: ListingQuery
    private let search: SearchPlan
    private let space: SearchArea

    /// The maximum number of rows that one count may read, unless the caller states another one.
    static let budget = 4000
    /// Cells with at most so many listings are read row by row.
    private static let few = 150
    private static let maxClusters = 256

    init(_ db: SQLConnection, _ query: ListingQuery) {
        self.db = db
        self.query = query
        search = SearchPlan(db, query)
        space = SearchArea(circle: query.circle, box: query.box)
    }

    func count(budget: Int = Self.budget) throws -> ListingCount {
        guard query.isPlain else { return try tally(in: space.cover(atMost: 12), budget: budget).count }
        let counts = try CellCounts(db, query)
        let start = CellCover(level: CellCover.levels[0], extents: [.earth]).cells
        return ListingCount(count: try count(in: start, counts))
    }

    /// Returns clusters by cells. A cell is about 64 pixels wide at `zoom`, a zoom level of web maps with tiles of 256
    /// pixels.
    func clusters(zoom: Int?) throws -> [ListingCluster] {
        let cover = cover(zoom: zoom)
        if query.isPlain { return try clusters(cover) }
        return try clusters(zoom: zoom, of: search.gather(in: cover, budget: Self.budget), budget: Self.budget)
    }

    private func clusters(_ cover: CellCover) throws -> [ListingCluster] {
        let counts = try CellCounts(db, query)
        var tallies: [Int64: ListingTally] = [:]
        for range in cover.numbers { try counts.read(range) { tallies[$0.cell] = ListingTally($0) } }
        return cover.cells.compactMap { cell in tallies[cell.number]?.cluster(cell.extent) }
    }

    private func cover(zoom: Int?) -> CellCover {
        let wanted = zoom.map { min(14, max(2, ($0 + 2) / 2 * 2)) } ?? 14
        let most = zoom == nil ? Self.maxClusters / 4 : Self.maxClusters
        return space.cover(atMost: most, upTo: wanted) ?? CellCover(level: 4, extents: [.earth])
    }

    /// Returns clusters for candidates that were gathered for the area. If these are incomplete, gathers more per cell
    /// within the budget.
    func clusters(zoom: Int?, of found: SearchPlan.Gathering, budget: Int) throws -> [ListingCluster] {
        let cover = cover(zoom: zoom)
        // For words that many listings contain, the newest listings are a sufficient sample, and look-ups by cell are
        // expensive.
        let isLast = found.isAll || query.hasWords
        let points = try isLast || found.isSufficient ? search.points(of: found) : []
        let parts = Dictionary(grouping: points) { Cell(level: cover.level, holding: $0.point) }
        let cells = cover.cells
        return try cells.compactMap { cell in
            let known = ListingTally(parts[cell] ?? [], isAll: found.isAll)
            let share = budget / cells.count
            return try (isLast ? known : more(than: known, in: cell, budget: share)).cluster(cell.extent)
        }
    }

    private func more(than known: ListingTally, in cell: Cell, budget: Int) throws -> ListingTally {
        let found = try search.gather(in: CellCover(cell), budget: budget, isByPlace: true)
        // If this is false, the new sample cannot contain more results than the known one.
        guard found.isAll || known.count.count < found.candidates.count else { return known }
        let tally = ListingTally(try search.points(of: found), isAll: found.isAll)
        return found.isAll || tally.count.count > known.count.count ? tally : known
    }

    /// Returns the number of listings in the parts of the cells that are inside the area.
    private func count(in cells: [Cell], _ counts: borrowing CellCounts) throws -> Int {
        var count = 0
        for cell in cells { count += try self.count(in: cell, counts) }
        return count
    }

    private func count(in cell: Cell, _ counts: borrowing CellCounts) throws -> Int {
        let extent = cell.extent
        guard space.touches(extent) else { return 0 }
        let all = try counts.count(of: cell)
        guard all > 0, !space.holds(extent) else { return all }
        let children = cell.children
        if all > Self.few, !children.isEmpty { return try count(in: children, counts) }
        return try inspect(cell)
    }

    /// Counts the listings of a cell by reading each one.
    private func inspect(_ cell: Cell) throws -> Int {
        var count = 0
        for status in query.statuses {
            let species = query.species.map { "AND species = '\($0.rawValue)'" } ?? ""
            let scan = try PreparedStatement(
                db,
                """
                SELECT lon, lat FROM board_cell WHERE cell = ? AND status = ? \(species)
                """,
                [.integer(cell.number), .text(status.rawValue)]
            )
            while try scan.next() {
                guard let point = Coordinate(lon: scan.real(0), lat: scan.real(1)) else { continue }
                if space.distance(to: point) != nil { count += 1 }
            }
        }
        return count
    }

    /// Counts the results within the cells, as far as the budget permits.
    private func tally(in cover: CellCover?, budget: Int) throws -> ListingTally {
        let found = try search.gather(in: cover, budget: budget)
        return ListingTally(try search.points(of: found), isAll: found.isAll)
    }
}
