import Domain
import HeapModule

/// Finds the nearest listings of a candidate list, best first: it always examines the nearest known cell or listing
/// next. Therefore neither an empty region around the centre nor many listings beyond the result cost more than a few
/// look-ups.
struct CellSearch {
    private let check: ListingMatcher
    private let few: Int
    private let time: SearchTime
    private let read: (Cell, Int) throws -> [Candidate]?

    private enum Step {
        case cell(Cell)
        /// The distance of the entry is still a lower bound.
        case candidate(Candidate)
        case listing(Int64)
    }

    private struct Entry: Comparable {
        /// In metres: a lower bound for cells and candidates, the exact distance for listings.
        let distance: Double
        let step: Step

        static func < (a: Entry, b: Entry) -> Bool { (a.distance, a.rank, a.key) < (b.distance, b.rank, b.key) }

        static func == (a: Entry, b: Entry) -> Bool { (a.distance, a.rank, a.key) == (b.distance, b.rank, b.key) }

        /// At equal distance, entries that may still contain a nearer listing come first.
        private var rank: Int {
            switch step {
            case .cell: 0
            case .candidate: 1
            case .listing: 2
            }
        }

        private var key: Int64 {
            switch step {
            case .cell(let cell): cell.number
            case .candidate(let candidate): candidate.key
            case .listing(let key): key
            }
        }
    }

    /// - Parameters:
    ///   - few: the search reads cells with fewer candidates directly, and divides others into their children.
    ///   - read: returns the candidates in a cell; nil if there are as many as the limit or more.
    init(
        _ check: ListingMatcher,
        few: Int,
        _ time: SearchTime,
        _ read: @escaping (Cell, Int) throws -> [Candidate]?
    ) {
        self.check = check
        self.few = few
        self.time = time
        self.read = read
    }

    /// - Parameter isWanted: returns whether a listing fulfils the query, apart from its location.
    func run(_ isWanted: (Int64) throws -> Bool) throws -> [ListingHit] {
        let roots = CellCover(level: CellCover.levels[0], extents: [.earth]).cells
        return try Self.nearest(roots.compactMap(entry), in: check.space, check.query, time, isWanted, contents)
    }

    /// Returns the nearest of the given candidates. The exact distance and `isWanted` are evaluated only for candidates
    /// that may be on the page.
    static func nearest(
        _ candidates: [Candidate],
        in space: SearchArea,
        _ query: ListingQuery,
        _ time: SearchTime,
        _ isWanted: (Int64) throws -> Bool
    ) throws -> [ListingHit] {
        try nearest(candidates.map { entry($0, in: space) }, in: space, query, time, isWanted) { _ in [] }
    }

    /// - Parameter contents: returns the entries in a cell.
    private static func nearest(
        _ start: [Entry],
        in space: SearchArea,
        _ query: ListingQuery,
        _ time: SearchTime,
        _ isWanted: (Int64) throws -> Bool,
        _ contents: (Cell) throws -> [Entry]
    ) throws -> [ListingHit] {
        var next = Heap(start)
        var hits: [ListingHit] = []
        var last: Int64?
        time.begin()
        while hits.count <= query.limit, let entry = next.popMin() {
            switch entry.step {
            case .cell(let cell):
                if time.isOver(beyond: entry.distance) { return hits }
                next.insert(contentsOf: try contents(cell))
            case .candidate(let candidate):
                guard let distance = space.distance(to: candidate.point) else { continue }
                next.insert(Entry(distance: distance, step: .listing(candidate.key)))
            case .listing(let key):
                let hit = ListingHit(key: key, distance: entry.distance)
                // A listing can appear in the lists of several places.
                guard key != last, query.isAfterCursor(hit) else { continue }
                if time.isOver(before: key, distance: hit.distance) { return hits }
                last = key
                if try isWanted(key) { hits.append(hit) }
            }
        }
        return hits
    }

    /// Returns the candidates in a cell, or its children if there are many candidates.
    private func contents(of cell: Cell) throws -> [Entry] {
        let children = cell.children
        let limit = children.isEmpty ? .max : few
        guard let found = try read(cell, limit) else { return children.compactMap(entry) }
        return found.map { Self.entry($0, in: check.space) }
    }

    private static func entry(_ candidate: Candidate, in space: SearchArea) -> Entry {
        Entry(distance: space.circle?.centre.lowerBound(of: candidate.point) ?? 0, step: .candidate(candidate))
    }

    /// Returns nil if no listing in the cell can be on the page.
    private func entry(_ cell: Cell) -> Entry? {
        guard let bound = check.space.lowerBound(of: cell) else { return nil }
        if let shown = check.query.cursor.flatMap({ Double($0.value) }),
            check.space.isWithin(shown.nextDown, cell.extent)
        {
            return nil
        }
        return Entry(distance: bound, step: .cell(cell))
    }
}
