import Domain
import HeapModule
import SpatiaLite

/// Finds the nearest of a list, best first: of all cells and listings in sight the nearest is looked at
/// next, so that neither an empty country around the centre nor a crowd beyond it costs more than a few look-ups.
struct CellSearch {
    private let check: ListingMatcher
    private let list: any ListingCandidates
    private let few: Int

    private enum Step {
        case cell(Cell)
        /// Its distance is a lower bound yet.
        case candidate(Candidate)
        case listing(Int64)
    }

    private struct Entry: Comparable {
        /// Metres that it is away at least; of a listing, exactly.
        let distance: Double
        let step: Step

        static func < (a: Entry, b: Entry) -> Bool { (a.distance, a.rank, a.key) < (b.distance, b.rank, b.key) }

        static func == (a: Entry, b: Entry) -> Bool { (a.distance, a.rank, a.key) == (b.distance, b.rank, b.key) }

        /// At equal distance what may still hold something nearer comes first.
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

    /// - Parameter few: a cell with fewer listings is read at once, one with more by its parts.
    init(_ check: ListingMatcher, _ list: any ListingCandidates, few: Int) {
        self.check = check
        self.list = list
        self.few = few
    }

    /// - Parameter isWanted: whether a listing is what the query asks for, wherever it stands.
    func run(_ isWanted: (Int64) throws -> Bool) throws -> [ListingHit] {
        let roots = CellCover(level: CellCover.levels[0], extents: [.earth]).cells
        return try Self.nearest(roots.compactMap(entry), in: check.space, check.query, isWanted, contents)
    }

    /// The nearest of those at hand; only what may be among them is measured, and looked at, to the end.
    static func nearest(
        _ candidates: [Candidate],
        in space: SearchArea,
        _ query: ListingQuery,
        _ isWanted: (Int64) throws -> Bool
    ) throws -> [ListingHit] {
        try nearest(candidates.map { entry($0, in: space) }, in: space, query, isWanted) { _ in [] }
    }

    /// - Parameter contents: what is in a cell.
    private static func nearest(
        _ start: [Entry],
        in space: SearchArea,
        _ query: ListingQuery,
        _ isWanted: (Int64) throws -> Bool,
        _ contents: (Cell) throws -> [Entry]
    ) throws -> [ListingHit] {
        var next = Heap(start)
        var hits: [ListingHit] = []
        var last: Int64?
        while hits.count <= query.limit, let entry = next.popMin() {
            switch entry.step {
            case .cell(let cell):
                next.insert(contentsOf: try contents(cell))
            case .candidate(let candidate):
                guard let distance = space.distance(to: candidate.point) else { continue }
                next.insert(Entry(distance: distance, step: .listing(candidate.key)))
            case .listing(let key):
                let hit = ListingHit(key: key, distance: entry.distance)
                // It may stand in the lists of several places.
                guard key != last, query.isBehindCursor(hit) else { continue }
                last = key
                if try isWanted(key) { hits.append(hit) }
            }
        }
        return hits
    }

    /// What a cell holds, or its parts where that is much.
    private func contents(of cell: Cell) throws -> [Entry] {
        let children = cell.children
        let limit = children.isEmpty ? .max : few
        let found = try list.candidates(in: CellCover(cell), limit: limit)
        if found.count == limit { return children.compactMap(entry) }
        return found.map { Self.entry($0, in: check.space) }
    }

    private static func entry(_ candidate: Candidate, in space: SearchArea) -> Entry {
        Entry(distance: space.circle?.centre.lowerBound(of: candidate.point) ?? 0, step: .candidate(candidate))
    }

    /// Nil where nothing of the cell can be on the page.
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
