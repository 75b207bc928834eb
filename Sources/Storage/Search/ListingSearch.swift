import Domain
import GRDB
import SpatiaLite

/// A listing found, and where.
struct ListingHit {
    let key: Int64
    /// Metres on the ellipsoid from the centre, 0 without one.
    let distance: Double
    /// Which of the query's `likelyBreeds` it is of.
    var rank = 0
    /// What `ListingStore.findFeatures` hands out of it, where the search came by it anyway.
    var feature: [UInt8]?
}

/// Finds the listings of a page, by the plan that reads least.
///
/// | asked for | nearest first | by time |
/// |---|---|---|
/// | what is open, nothing more selective | the R*Tree, best first | the lists of the cells, merged |
/// | a breed, a species, a place, a closed status | the facet's cells, best first | its zones, or its list by time |
/// | words | rings of cells in the text index | the text index, by key |
/// | seen within a short time | all that were | all that were |
/// | an owner | all the owner has | the owner's list |
///
/// Of several lists the shortest is chosen by reading a little of each. Where a plan may meet many rows for few answers
/// it has a budget, and the next one takes over: none of them knows beforehand how filters and places go together, but
/// the cheapest ends within its budget.
struct ListingSearch {
    let db: Database
    let query: ListingQuery
    private let check: ListingMatcher
    private let probe: RowFilter

    /// Cells that a space is covered with: few cost look-ups less, many fit closer.
    private static let coverLimit = 12
    /// Listings of a window of time, and entries of the board, that are read in turn: in a narrow window there are few,
    /// and of a wide one the first met on the board are in it.
    private static let windowBudgets = [1000, 4000, 16_000]
    /// A cell with fewer listings of a facet is read at once; each look into one costs as much as some dozen rows.
    private static let fewOfFacet = 64
    /// Entries of the R*Tree that a search may meet before it turns to the list of its status.
    private static let boardBudget = 1500

    init(_ db: Database, _ query: ListingQuery) {
        self.db = db
        self.query = query
        check = ListingMatcher(query)
        probe = RowFilter(db, query.filter)
    }

    /// As many as asked for, and one more where there are more: of the likeliest breed first, of the next one where that
    /// does not fill the page.
    static func find(_ db: Database, _ query: ListingQuery) throws -> [ListingHit] {
        guard !query.likelyBreeds.isEmpty else { return try ListingSearch(db, query).run() }
        var hits: [ListingHit] = []
        let start = query.cursor?.rank ?? 0
        for (rank, breed) in query.likelyBreeds.enumerated().dropFirst(start) where hits.count <= query.limit {
            var one = query
            one.likelyBreeds = []
            one.breed = .key(breed)
            // One more is found than the limit says.
            one.limit = query.limit - hits.count
            if rank > start { one.cursor = nil }
            for var hit in try ListingSearch(db, one).run() {
                hit.rank = rank
                hits.append(hit)
            }
        }
        return hits
    }

    func run() throws -> [ListingHit] {
        guard query.order == .distance else { return try byTime() }
        return try nearest()
    }

    // MARK: - Plans

    private func nearest() throws -> [ListingHit] {
        if query.owner != nil { return try nearest(of: OwnerCandidates(db, query), limit: .max) ?? [] }
        let board = SpatialIndexSearch(db, check, probe)
        let lists = try candidateLists()
        switch try shortest(of: lists) {
        case let facet as FacetCandidates:
            return try CellSearch(check, facet, few: Self.fewOfFacet).run { try facet.isSufficient || isWanted($0) }
        case let text as TextCandidates:
            return try ExpandingRadiusSearch(check, text).run(isWanted)
        case let seen as LastSeenCandidates where lists.count > 1:
            // The board does not know of the other conditions.
            return try nearest(of: seen, limit: .max) ?? []
        case let seen as LastSeenCandidates:
            for budget in Self.windowBudgets {
                if let hits = try nearest(of: seen, limit: budget) { return hits }
                if let hits = try board.nearest(budget: budget) { return hits }
            }
            return try board.nearest(budget: .max) ?? []
        default:
            if let hits = try board.nearest(budget: Self.boardBudget) { return hits }
            let all = try FacetCandidates(db, query, suffixes: [""])
            return try CellSearch(check, all, few: Self.fewOfFacet).run { try all.isSufficient || isWanted($0) }
        }
    }

    private func byTime() throws -> [ListingHit] {
        let cover = check.space.cover(atMost: Self.coverLimit)
        let lists = try candidateLists()
        let ordered = lists.compactMap { $0 as? any TimeOrderedCandidates }
        guard let likeliest = ordered.first else {
            let board = SpatialIndexSearch(db, check, probe)
            for budget in lists.isEmpty ? [] : Self.windowBudgets {
                for seen in lists {
                    if let hits = try inOrder(seen, cover, limit: budget) { return hits }
                }
                if let hits = try board.byTime(cover, budget: budget) { return hits }
            }
            return try board.byTime(cover, budget: .max) ?? []
        }
        // One list in the order asked for needs no second plan.
        let isOnly = query.owner != nil || likeliest is TextCandidates
        for budget in isOnly ? [] : [250, 1000, 4000, 16_000, 64_000] {
            for list in lists where cover != nil || list is LastSeenCandidates {
                if let hits = try inOrder(list, cover, limit: budget) { return hits }
            }
            for list in ordered {
                if let hits = try walk(list, cover, budget: budget) { return hits }
            }
        }
        return try walk(likeliest, cover, budget: .max) ?? []
    }

    /// What the query's conditions have lists of; empty where the board itself is the list.
    private func candidateLists() throws -> [any ListingCandidates] {
        if query.owner != nil { return [OwnerCandidates(db, query)] }
        var lists: [any ListingCandidates] = []
        if let text = TextCandidates(db, query) {
            // It knows of the other conditions, but for the time.
            return [text] + [LastSeenCandidates(db, query)].compactMap(\.self)
        }
        lists += try query.facetSuffixes.map { try FacetCandidates(db, query, suffixes: $0) }
        if lists.isEmpty, !query.isOpen { lists.append(try FacetCandidates(db, query, suffixes: [""])) }
        if let seen = LastSeenCandidates(db, query) { lists.append(seen) }
        return lists
    }

    /// That which ends first when all are read side by side; where none does for long, the first.
    private func shortest(of lists: [any ListingCandidates]) throws -> (any ListingCandidates)? {
        guard lists.count > 1 else { return lists.first }
        let cover = check.space.cover(atMost: Self.coverLimit)
        for limit in [64, 512, 4096] {
            for list in lists where try list.candidates(in: cover, limit: limit).count < limit { return list }
        }
        return lists.first
    }

    // MARK: - Candidates to hits

    /// Nil where more than so many rows were met before the page was full.
    private func walk(_ list: any TimeOrderedCandidates, _ cover: CellCover?, budget: Int) throws -> [ListingHit]? {
        let zones = cover?.zones
        var merge = try list.byTime(descending: query.order == .newest, after: query.cursor?.key, in: cover)
        var hits: [ListingHit] = []
        var (met, last) = (0, Int64?.none)
        while hits.count <= query.limit, let key = merge.head {
            guard met < budget else { return nil }
            met += 1
            // A listing may stand in the lists of several places.
            if key != last, merge.row.isIn(zones), let hit = try hit(key) { hits.append(hit) }
            last = key
            try merge.advance()
        }
        return hits
    }

    /// All of a list within the cells, put in order of time; nil where they are too many.
    private func inOrder(
        _ list: any ListingCandidates,
        _ cover: CellCover?,
        limit: Int
    ) throws -> [ListingHit]? {
        let candidates = try list.candidates(in: cover, limit: limit)
        guard candidates.count < limit else { return nil }
        let descending = query.order == .newest
        let start = query.cursor?.key ?? (descending ? .max : .min)
        let behind = candidates.filter { descending ? $0.key < start : $0.key > start }
        var hits: [ListingHit] = []
        for candidate in behind.sorted(by: { descending ? $0.key > $1.key : $0.key < $1.key })
        where candidate.key != hits.last?.key {
            guard let distance = check.space.distance(to: candidate.point),
                try list.isSufficient || isWanted(candidate.key)
            else { continue }
            hits.append(ListingHit(key: candidate.key, distance: distance))
            if hits.count > query.limit { break }
        }
        return hits
    }

    /// The nearest of a whole list; nil where it is too long.
    private func nearest(of list: any ListingCandidates, limit: Int) throws -> [ListingHit]? {
        let candidates = try list.candidates(in: nil, limit: limit)
        guard candidates.count < limit else { return nil }
        return try CellSearch.nearest(candidates, in: check.space, query) { key in
            try list.isSufficient || isWanted(key)
        }
    }

    private func isWanted(_ key: Int64) throws -> Bool { try hit(key) != nil }

    private func hit(_ key: Int64) throws -> ListingHit? {
        let scan = try PreparedStatement(db, ListingRow.checked, [.integer(key)])
        guard try scan.next() else { return nil }
        guard let distance = try check.distance(of: ListingRow(scan.row)), try probe.holds(key) else { return nil }
        return ListingHit(key: key, distance: distance)
    }

    // MARK: - For counting

    /// Whether only status, species and space narrow it, which the board's own columns tell.
    var isPlain: Bool { query.conditions == (query.species == nil ? 0 : 1) && query.isOpen }

    /// What may be asked for, of a part of the map, as far as a budget reached.
    struct Gathering {
        let candidates: [Candidate]
        /// False: there are more.
        let isAll: Bool
        /// Whether they are asked for wherever they stand in the space.
        let isSufficient: Bool
    }

    /// Reads what may be asked for within the cells. A budget is so many rows of listings; other looks cost less.
    ///
    /// - Parameter isByPlace: without the list by time, which is as long for one cell as for all.
    func gather(in cover: CellCover?, budget: Int, isByPlace: Bool = false) throws -> Gathering {
        var lists = try candidateLists()
        // Those of a time stand in no order of place.
        let isTimed = lists.allSatisfy { $0 is LastSeenCandidates }
        if isTimed { lists.insert(try FacetCandidates(db, query, suffixes: [""]), at: 0) }
        if isByPlace { lists.removeAll { $0 is LastSeenCandidates } }
        var best = Gathering(candidates: [], isAll: false, isSufficient: false)
        for (number, list) in lists.enumerated() where !best.isAll {
            let limit = budget * (list.isSufficient ? 10 : isOnBoard ? 2 : 1)
            let candidates = try list.candidates(in: cover, limit: limit)
            let isAll = candidates.count < limit
            // Of lists that are all too long, what needs no look is the better sample.
            guard number == 0 || isAll || list.isSufficient else { continue }
            best = Gathering(candidates: candidates, isAll: isAll, isSufficient: list.isSufficient)
        }
        return best
    }

    /// Where those of them stand that are asked for.
    func points(of gathering: Gathering) throws -> [Candidate] {
        var seen: Set<Int64> = []
        let inside = gathering.candidates.filter { candidate in
            check.space.distance(to: candidate.point) != nil && seen.insert(candidate.key).inserted
        }
        if gathering.isSufficient { return inside }
        return try isOnBoard ? wantedOnBoard(inside) : inside.filter { try isWanted($0.key) }
    }

    /// Whether the board alone tells who is asked for.
    private var isOnBoard: Bool {
        query.isOpen && query.conditions == (query.species == nil ? 0 : 1) + (query.hasWindow ? 1 : 0)
    }

    /// Those of the kinds and times asked for. By key: SQLite would rather go through all of the time.
    private func wantedOnBoard(_ candidates: [Candidate]) throws -> [Candidate] {
        let species = query.species.map { " AND species = '\($0.rawValue)'" } ?? ""
        let board = try PreparedStatement(
            db,
            """
            SELECT 1 FROM board NOT INDEXED WHERE id BETWEEN ?1 << 4 AND (?1 << 4) | 15
            AND last_seen_at >= ?2 AND last_seen_at < ?3\(species)
            """,
            [.integer(0), .text(query.since?.text ?? ""), .text(query.until?.text ?? "~")]
        )
        return try candidates.filter { candidate in
            try board.restart(candidate.key)
            return try board.next()
        }
    }
}

extension StatementRow {
    /// Whether the zone in the second column is one of these; without zones, or without a zone, it is.
    fileprivate func isIn(_ zones: [ClosedRange<Int64>]?) -> Bool {
        guard let zones, !isNull(1) else { return true }
        let zone = integer(1)
        return zones.contains { $0.contains(zone) }
    }
}

extension ListingHit: Comparable {
    /// Nearest first, the older of equally near.
    static func < (a: ListingHit, b: ListingHit) -> Bool { (a.distance, a.key) < (b.distance, b.key) }
}

extension ListingQuery {
    var hasWindow: Bool { since != nil || until != nil }

    var hasWords: Bool {
        if case .text = breed { return true }
        return text != nil
    }

    /// Whether all it asks for is on the board.
    package var isOpen: Bool { !includesHidden && statuses.allSatisfy(\.isOpen) }

    /// How many things narrow it, besides status and space.
    var conditions: Int {
        [species != nil, breed != nil, !places.isEmpty, text != nil, owner != nil, hasWindow, filter != nil]
            .count { $0 }
    }

    /// Whether the page that starts at the cursor may show it, where the order is by distance.
    func isBehindCursor(_ hit: ListingHit) -> Bool {
        guard let cursor, let distance = Double(cursor.value) else { return true }
        return (distance, cursor.key) < (hit.distance, hit.key)
    }
}
