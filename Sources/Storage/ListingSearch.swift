import Domain
import GRDB
import SpatiaLite

/// A listing found, and where.
struct ListingHit {
    let key: Int64
    /// Metres on the ellipsoid from the centre, 0 without one.
    let distance: Double
}

/// Finds the listings of a page, by the plan that reads least.
///
/// | asked for | nearest first | by time |
/// |---|---|---|
/// | what is open, nothing more selective | the R*Tree, best first | the lists of the cells, merged |
/// | a breed, a species, a place, a closed status | rings of the facet's zones | its zones, or its list by time |
/// | words | rings of cells in the text index | the text index, by key |
/// | an owner | all the owner has | the owner's list |
///
/// Where a plan may meet many rows for few answers it has a budget, and the next one takes over: none of them knows
/// beforehand how filters and places go together, but the cheapest ends within its budget.
struct ListingSearch {
    let db: Database
    let query: ListingQuery
    private let check: ListingCheck

    /// Cells that a space is covered with: few cost look-ups less, many fit closer.
    private static let coverLimit = 12
    /// Listings seen within a window of time that are read rather than searched for.
    private static let mostSeen = 20_000

    init(_ db: Database, _ query: ListingQuery) {
        self.db = db
        self.query = query
        check = ListingCheck(query)
    }

    /// As many as asked for, and one more where there are more.
    func run() throws -> [ListingHit] {
        guard query.order == .distance else { return try byTime() }
        return try nearest()
    }

    // MARK: - Plans

    private func nearest() throws -> [ListingHit] {
        if query.owner != nil { return try nearest(of: OwnerPostings(db, query), limit: .max) ?? [] }
        if let list = try postings().first { return try RingSearch(check, list).run(isWanted) }
        let board = BoardSearch(db, check)
        if let hits = try board.nearest(budget: 1500) { return hits }
        if query.hasWindow {
            if let hits = try nearest(of: SeenPostings(db, query), limit: Self.mostSeen) { return hits }
            return try board.nearest(budget: .max) ?? []
        }
        let list = try FacetPostings(db, query, suffixes: [""])
        return try RingSearch(check, list).run(isWanted)
    }

    private func byTime() throws -> [ListingHit] {
        let cover = check.space.cover(atMost: Self.coverLimit)
        let postings = try postings()
        guard let likeliest = postings.first else {
            let board = BoardSearch(db, check)
            if let hits = try board.byTime(cover, budget: query.hasWindow ? 1000 : .max) { return hits }
            if let hits = try inOrder(SeenPostings(db, query), cover, limit: Self.mostSeen) { return hits }
            return try board.byTime(cover, budget: .max) ?? []
        }
        // One list in the order asked for needs no second plan.
        let isOnly = query.owner != nil || likeliest is TextPostings
        for budget in isOnly ? [] : [500, 4000, 32_000] {
            for list in cover == nil ? [] : postings {
                if let hits = try inOrder(list, cover, limit: budget) { return hits }
            }
            for list in postings {
                if let hits = try walk(list, cover, budget: budget) { return hits }
            }
        }
        return try walk(likeliest, cover, budget: .max) ?? []
    }

    /// What the query's conditions have lists of, the likely shortest first; empty where the board itself is the list.
    private func postings() throws -> [any ListingPostings] {
        if query.owner != nil { return [OwnerPostings(db, query)] }
        var postings: [any ListingPostings] = []
        if let text = TextPostings(db, query) { postings.append(text) }
        if case .key(let key) = query.breed {
            postings.append(try FacetPostings(db, query, suffixes: ["breed:\(key)"]))
        }
        if !query.places.isEmpty {
            postings.append(try FacetPostings(db, query, suffixes: query.places.sorted().map { "place:\($0)" }))
        }
        if let species = query.species, species != .dog {
            postings.append(try FacetPostings(db, query, suffixes: ["species:\(species.rawValue)"]))
        }
        if postings.isEmpty, query.includesHidden || !query.statuses.allSatisfy(\.isOpen) {
            postings.append(try FacetPostings(db, query, suffixes: [""]))
        }
        return postings
    }

    // MARK: - Candidates to hits

    /// Nil where more than so many rows were read before the page was full.
    private func walk(_ list: any ListingPostings, _ cover: CellCover?, budget: Int) throws -> [ListingHit]? {
        var hits: [ListingHit] = []
        var (read, last) = (0, Int64?.none)
        try list.inOrder(descending: query.order == .newest, after: query.cursor?.key, in: cover) { key in
            // A listing may stand in the lists of several places.
            guard key != last else { return true }
            last = key
            read += 1
            if let hit = try hit(key) { hits.append(hit) }
            return hits.count <= query.limit && read < budget
        }
        return hits.count > query.limit || read < budget ? hits : nil
    }

    /// All of a list within the cells, put in order of time; nil where they are too many.
    private func inOrder(
        _ list: any ListingPostings,
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
    private func nearest(of list: any ListingPostings, limit: Int) throws -> [ListingHit]? {
        let candidates = try list.candidates(in: nil, limit: limit)
        guard candidates.count < limit else { return nil }
        return try check.space.nearest(candidates, behind: query, limit: query.limit + 1) { key in
            try list.isSufficient || isWanted(key)
        }
    }

    private func isWanted(_ key: Int64) throws -> Bool { try hit(key) != nil }

    private func hit(_ key: Int64) throws -> ListingHit? {
        let scan = try Scan(db, ListingRow.byKey, [.integer(key)])
        guard try scan.next() else { return nil }
        return try check.distance(of: ListingRow(scan.row)).map { ListingHit(key: key, distance: $0) }
    }

    // MARK: - For counting

    /// Whether only status, species and space narrow it, which the board's own columns tell.
    var isPlain: Bool {
        query.conditions == (query.species == nil ? 0 : 1) && !query.includesHidden
            && query.statuses.allSatisfy(\.isOpen)
    }

    /// Where those stand that are asked for, within the cells; of so many at most that may be. False: not all were read.
    func points(in cover: CellCover?, budget: Int) throws -> (points: [Coordinate], isAll: Bool) {
        var lists = try postings()
        if lists.isEmpty, query.hasWindow { lists = [SeenPostings(db, query)] }
        if lists.isEmpty { lists = [try FacetPostings(db, query, suffixes: [""])] }
        var (candidates, isAll) = ([Candidate](), false)
        var isSufficient = false
        for list in lists where !isAll {
            // What needs no look at its row costs a twentieth.
            let limit = list.isSufficient ? 10 * budget : budget
            candidates = try list.candidates(in: cover, limit: limit)
            (isAll, isSufficient) = (candidates.count < limit, list.isSufficient)
        }
        var seen: Set<Int64> = []
        let points = try candidates.filter { candidate in
            try seen.insert(candidate.key).inserted && check.space.distance(to: candidate.point) != nil
                && (isSufficient || isWanted(candidate.key))
        }
        return (points.map(\.point), isAll)
    }
}

extension ListingHit: Comparable {
    /// Nearest first, the older of equally near.
    static func < (a: ListingHit, b: ListingHit) -> Bool { (a.distance, a.key) < (b.distance, b.key) }
}

extension ListingQuery {
    var hasWindow: Bool { since != nil || until != nil }

    /// How many things narrow it, besides status and space.
    var conditions: Int {
        [species != nil, breed != nil, !places.isEmpty, text != nil, owner != nil, hasWindow].count { $0 }
    }

    /// Whether the page that starts at the cursor may show it, where the order is by distance.
    func isBehindCursor(_ hit: ListingHit) -> Bool {
        guard let cursor, let distance = Double(cursor.value) else { return true }
        return (distance, cursor.key) < (hit.distance, hit.key)
    }
}
