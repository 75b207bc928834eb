import Domain
import SQL

/// Counts listings. If the query has conditions only on status, species and area, the precomputed counts of cells are
/// added, level by level, and only cells that the edge of the area intersects are read. Otherwise listings are read, at
/// most a few thousand.
struct PostGISCounter {
    private let db: SQLConnection
    private let query: ListingQuery
    private let reader: ListReader
    private let space: SearchArea

    /// The maximum number of rows that one count may read, unless the caller states another one.
    static let budget = 4000
    /// Cells with at most so many listings are read row by row.
    private static let few = 150
    private static let maxClusters = 256
    private static let coverLimit = 12

    init(_ db: SQLConnection, _ query: ListingQuery) {
        (self.db, self.query) = (db, query)
        reader = ListReader(db, query, SearchTime(query, db.engine))
        space = reader.space
    }

    private var isEmpty: Bool { query.statuses.isEmpty || space.extents.isEmpty }

    func count(budget: Int) throws -> ListingCount {
        guard !isEmpty else { return ListingCount() }
        guard query.isPlain else {
            let found = try gather(in: space.cover(atMost: Self.coverLimit), budget: budget)
            return ListingCount(count: found.points.count, isExact: found.isAll)
        }
        return ListingCount(count: try countByCells())
    }

    private func countByCells() throws -> Int {
        let counts = PostGISCellCounts(db, query)
        var (count, edge) = (0, [Int64]())
        var cells = CellCover(level: CellCover.levels[0], extents: [.earth]).cells
        while !cells.isEmpty {
            cells.removeAll { !space.touches($0.extent) }
            let tallies = try counts.read(cells.map(\.number))
            var next: [Cell] = []
            for cell in cells {
                guard let all = tallies[cell.number]?.count.count else { continue }
                let children = cell.children
                if space.holds(cell.extent) {
                    count += all
                } else if all > Self.few, !children.isEmpty {
                    next += children
                } else {
                    edge.append(cell.number)
                }
            }
            cells = next
        }
        return try count + counts.listings(edge).count { space.distance(to: $0.point) != nil }
    }

    // MARK: - Clusters

    func clusters(zoom: Int?) throws -> [ListingCluster] {
        guard !isEmpty else { return [] }
        let cover = cover(zoom: zoom)
        if query.isPlain {
            let tallies = try PostGISCellCounts(db, query).read(cover.cells.map(\.number))
            return cover.cells.compactMap { tallies[$0.number]?.cluster($0.extent) }
        }
        // To look up words in all cells of a map takes a second.
        let searched = query.hasWords ? space.cover(atMost: Self.coverLimit) : cover
        return try clusters(zoom: zoom, of: gather(in: searched, budget: Self.budget), budget: Self.budget)
    }

    private func cover(zoom: Int?) -> CellCover {
        let wanted = zoom.map { min(14, max(2, ($0 + 2) / 2 * 2)) } ?? 14
        let most = zoom == nil ? Self.maxClusters / 4 : Self.maxClusters
        return space.cover(atMost: most, upTo: wanted) ?? CellCover(level: 4, extents: [.earth])
    }

    /// Returns clusters for results that were gathered for the area. If these are incomplete, reads a sample of each cell.
    func clusters(zoom: Int?, of found: Gathering, budget: Int) throws -> [ListingCluster] {
        let cover = cover(zoom: zoom)
        let cells = cover.cells
        let parts = Dictionary(grouping: found.points) { Cell(level: cover.level, holding: $0.point) }
        // For words that many listings contain, the newest listings are a sufficient sample, and look-ups by cell are
        // expensive.
        let samples =
            found.isAll || query.hasWords ? [:] : try sample(of: cells, budget: max(2, budget / max(1, cells.count)))
        return cells.compactMap { cell in
            var tally = ListingTally(parts[cell] ?? [], isAll: found.isAll)
            if let sample = samples[cell], sample.count.isExact || sample.count.count > tally.count.count {
                tally = sample
            }
            return tally.cluster(cell.extent)
        }
    }

    private func sample(of cells: [Cell], budget: Int) throws -> [Cell: ListingTally] {
        let list = PostGISPlan(db, query).candidateLists().lazy.compactMap { $0 as? FacetList }.first
        let found = try reader.some(ofEach: cells, of: list ?? FacetList(query, suffixes: [""]), budget: budget)
        return found.mapValues { ListingTally(Self.unique($0.listings), isAll: $0.isAll) }
    }

    // MARK: - By listings

    /// Results in an area, as far as the budget permitted.
    struct Gathering {
        let points: [Candidate]
        /// If false, there may be more results.
        let isAll: Bool
    }

    func gather(in cover: CellCover?, budget: Int) throws -> Gathering {
        guard !isEmpty else { return Gathering(points: [], isAll: true) }
        var lists = PostGISPlan(db, query).candidateLists()
        // Lists by time cannot be read by place.
        if lists.allSatisfy({ $0 is LastSeenList }) {
            lists.insert(query.isOpen ? BoardList(query, isByCell: false) : FacetList(query, suffixes: [""]), at: 0)
        }
        var best = Gathering(points: [], isAll: false)
        for list in lists {
            let factor = list.isSufficient ? 10 : list is BoardList ? 2 : 1
            let found = try reader.some(of: list, in: cover, budget: budget * factor)
            let points = Self.unique(found.listings)
            if found.isAll { return Gathering(points: points, isAll: true) }
            if points.count > best.points.count { best = Gathering(points: points, isAll: false) }
        }
        return best
    }

    /// A listing can appear in the lists of several places.
    private static func unique(_ listings: [FoundListing]) -> [Candidate] {
        var seen: Set<Int64> = []
        return listings.filter { seen.insert($0.key).inserted }.map { Candidate(key: $0.key, point: $0.point) }
    }
}
