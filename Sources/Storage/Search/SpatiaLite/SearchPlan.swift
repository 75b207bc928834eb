import Domain
import SQL
import SpatiaLite

/// Finds the listings of a page with the plan that reads the fewest rows.
///
/// | query | nearest first | by time |
/// |---|---|---|
/// | open listings without a more selective condition | the R*Tree, best first | the lists of the cells, merged |
/// | a breed, a species, a place, a closed status | the facet's cells, best first | its zones, or its list by time |
/// | clauses without phrases | the cells of a facet, best first, then the text index | the text index, by key |
/// | words | the R*Tree, then the text index's cells, best first | the text index, by key |
/// | seen within a short time range | all listings in the range | all listings in the range |
/// | an owner | all listings of the owner | the owner's list |
///
/// If several lists are suitable, the search reads a little of each and chooses the shortest. Plans that may read many
/// rows for few results have a budget, after which the next plan is tried. No plan can know in advance how filters and
/// places correlate, but the cheapest one ends within its budget.
struct SearchPlan {
    let db: SQLConnection
    let query: ListingQuery
    private let check: ListingMatcher
    private let rows: RowChecker
    private let time: SearchTime

    /// The maximum number of cells that cover an area: fewer cells need fewer look-ups, more cells fit the area more
    /// closely.
    private static let coverLimit = 12
    /// The alternating limits for listings in a time range and for entries of the R*Tree. A narrow range contains few
    /// listings; for a wide range, the first open listings of the R*Tree are in it.
    private static let windowBudgets = [1000, 4000, 16_000]
    /// Facet cells with fewer listings are read at once, because one look-up costs as much as some dozen rows.
    private static let fewOfFacet = 64
    /// The maximum number of rows with shortened words that a search reads before it looks for the complete words.
    private static let textBudget = 200
    /// The number of R*Tree entries that a search for words reads before it uses the text index, and the number that it reads
    /// if these show that a page ends before it.
    private static let nearestTexts = (least: 120, most: 1500)
    /// The number of listings with some words that are all read: before another plan is tried, and instead of look-ups by cell.
    private static let fewTexts = (least: 400, most: 2500)
    /// The number of rows of a list by place that a search for clauses checks: before and after it looks for few texts.
    private static let checks = (least: 250, most: 1500)
    /// A row of a list costs a tenth of a check.
    private static let rowsPerCheck = 10
    /// The share of listings with some words, if it is unknown.
    private static let unknownShare = 0.1
    /// The maximum number of R*Tree entries that a search reads before it uses the list of its status.
    private static let boardBudget = 1500

    init(_ db: SQLConnection, _ query: ListingQuery) {
        self.db = db
        self.query = query
        check = ListingMatcher(query)
        rows = RowChecker(db, check)
        time = SearchTime(query, db.engine)
    }

    func run() throws -> HitPage {
        let hits = try query.order == .distance ? nearest() : byTime()
        return HitPage(hits: hits, stop: time.stop)
    }

    // MARK: - Plans

    private func nearest() throws -> [ListingHit] {
        if query.owner != nil { return try nearest(of: OwnerCandidates(db, query), limit: .max) ?? [] }
        let board = SpatialIndexSearch(db, check, rows, time)
        let lists = try candidateLists(time)
        switch try shortest(of: lists) {
        case let facet as FacetCandidates:
            return try CellSearch(check, few: Self.fewOfFacet, time, facet.all).run {
                try facet.isSufficient || isWanted($0)
            }
        case let text as TextCandidates: return try nearest(text)
        case let seen as LastSeenCandidates where lists.count > 1:
            // The R*Tree contains nothing about the other conditions.
            return try nearest(of: seen, limit: .max) ?? nearestOfAll()
        case let seen as LastSeenCandidates:
            for budget in Self.windowBudgets {
                if let hits = try nearest(of: seen, limit: budget) { return hits }
                if let hits = try board.nearest(budget: budget) { return hits }
            }
            return try nearestOfAll()
        default:
            return try board.nearest(budget: Self.boardBudget) ?? nearestOfAll()
        }
    }

    private func nearestOfAll() throws -> [ListingHit] {
        let all = try FacetCandidates(db, query, suffixes: [""])
        return try CellSearch(check, few: Self.fewOfFacet, time, all.all).run { try all.isSufficient || isWanted($0) }
    }

    /// The sequence of plans for clauses: no plan knows how these combine, so each but the last one has a budget.
    private func nearest(_ text: TextCandidates) throws -> [ListingHit] {
        let texts = NearestTexts(db, check, text, time)
        let lists = try clauseLists()
        guard let first = lists.first else { return try nearest(texts) }
        for list in lists {
            if let hits = try nearest(of: list, limit: Self.fewTexts.least) { return hits }
        }
        for list in lists {
            if let hits = try nearest(of: list, checks: Self.checks.least) { return hits }
        }
        if let hits = try texts.all(few: Self.fewTexts.most, isWanted) { return hits }
        for list in lists {
            if let hits = try nearest(of: list, checks: Self.checks.most) { return hits }
        }
        return try nearest(of: first, checks: .max) ?? []
    }

    /// The sequence of plans for words that are in no list by place.
    private func nearest(_ texts: NearestTexts) throws -> [ListingHit] {
        if let hits = try texts.all(few: Self.fewTexts.least, isWanted) { return hits }
        var share = Self.unknownShare
        // The walk soon finds words that many listings contain. It would pass many nodes for each animal of a rare species.
        if query.isOpen && query.species ?? .dog == .dog {
            let walk = try SpatialIndexSearch(db, check, rows, time).walk(budget: Self.nearestTexts, isWanted)
            if walk.isComplete { return walk.hits }
            share = walk.share
        }
        return try texts.all(few: Self.fewTexts.most, isWanted) ?? texts.byCells(share: share, isWanted)
    }

    /// The kinds of facets, probably those of the fewest listings first.
    private static let kindsByRarity = ["town", "name", "mark", "breed", "coat", "colour", "age", "place"]

    private static let maxLists = 2

    /// Returns lists by place of the clauses without phrases, at most two.
    private func clauseLists() throws -> [FacetCandidates] {
        let rank = { (clause: SearchClause) in
            Self.kindsByRarity.firstIndex { kind in clause.facets.contains { $0.hasPrefix(kind + ":") } }
        }
        let listed = query.clauses.filter { $0.phrases.isEmpty }.compactMap { clause in
            rank(clause).map { ($0, clause) }
        }
        return try listed.sorted { $0.0 < $1.0 }.prefix(Self.maxLists).map { _, clause in
            try FacetCandidates(db, query, suffixes: clause.facets.sorted())
        }
    }

    private struct TooManyRows: Error {}

    /// Returns nil if more rows would have to be checked, or read from the list: from a place far away, nearly all of the list is
    /// equally near.
    private func nearest(of list: FacetCandidates, checks: Int) throws -> [ListingHit]? {
        var (read, checked) = (0, 0)
        do {
            return try CellSearch(check, few: Self.fewOfFacet, time) { cell, limit in
                let found = try list.all(in: cell, limit: limit)
                read += found?.count ?? limit
                guard read / Self.rowsPerCheck < checks else { throw TooManyRows() }
                return found
            }.run { key in
                checked += 1
                guard checked <= checks else { throw TooManyRows() }
                return try isWanted(key)
            }
        } catch is TooManyRows {
            return nil
        }
    }

    private func byTime() throws -> [ListingHit] {
        let cover = check.space.cover(atMost: Self.coverLimit)
        let lists = try candidateLists(time)
        let ordered = lists.compactMap { $0 as? any TimeOrderedCandidates }
        guard let likeliest = ordered.first else {
            let board = SpatialIndexSearch(db, check, rows, time)
            for budget in lists.isEmpty ? [] : Self.windowBudgets {
                for seen in lists {
                    if let hits = try inOrder(seen, cover, limit: budget) { return hits }
                }
                if let hits = try board.byTime(cover, budget: budget) { return hits }
            }
            return try board.byTime(cover, budget: .max) ?? []
        }
        if let text = likeliest as? TextCandidates, lists.count == 1, let complete = text.complete {
            if let hits = try walk(text, cover, budget: Self.textBudget) { return hits }
            return try walk(complete, cover, budget: .max) ?? []
        }
        // A single list in the requested order needs no second plan.
        let isOnly = query.owner != nil || lists.count == 1 && likeliest is TextCandidates
        for budget in isOnly ? [] : [250, 1000, 4000, 16_000, 64_000] {
            for list in lists where cover != nil || list is LastSeenCandidates {
                if let hits = try inOrder(list, cover, limit: budget) { return hits }
            }
            for list in ordered {
                if let hits = try walk(list, cover, budget: budget) { return hits }
            }
        }
        return try walk((likeliest as? TextCandidates)?.complete ?? likeliest, cover, budget: .max) ?? []
    }

    /// Returns the lists that match conditions of the query; empty if the query concerns all open listings.
    ///
    /// - Parameter time: ends lists that take too long to be read.
    private func candidateLists(_ time: SearchTime? = nil) throws -> [any ListingCandidates] {
        if query.owner != nil { return [OwnerCandidates(db, query)] }
        var lists: [any ListingCandidates] = []
        if let text = TextCandidates(db, query) {
            // The text index includes the other conditions, except the time range.
            return [text] + [LastSeenCandidates(db, query, time)].compactMap(\.self)
        }
        lists += try query.facetSuffixes.map { try FacetCandidates(db, query, suffixes: $0) }
        if lists.isEmpty, !query.isOpen { lists.append(try FacetCandidates(db, query, suffixes: [""])) }
        if let seen = LastSeenCandidates(db, query, time) { lists.append(seen) }
        return lists
    }

    /// Returns the list that ends first when all are read in parallel. If none ends within the last limit, returns the
    /// first.
    private func shortest(of lists: [any ListingCandidates]) throws -> (any ListingCandidates)? {
        guard lists.count > 1 else { return lists.first }
        let cover = check.space.cover(atMost: Self.coverLimit)
        for limit in [64, 512, 4096] {
            for list in lists where try all(of: list, in: cover, limit: limit) != nil { return list }
        }
        return lists.first
    }

    /// Returns all candidates of a list; nil if there are as many as the limit or more, or if the list takes too long.
    private func all(of list: any ListingCandidates, in cover: CellCover?, limit: Int) throws -> [Candidate]? {
        do {
            let found = try list.candidates(in: cover, limit: limit)
            return found.count < limit ? found : nil
        } catch is SearchTime.ListTooLong {
            return nil
        }
    }

    // MARK: - Candidates to hits

    /// Returns nil if the budget of rows was used up before the page was full.
    private func walk(_ list: any TimeOrderedCandidates, _ cover: CellCover?, budget: Int) throws -> [ListingHit]? {
        let zones = cover?.zones
        var merge = try list.byTime(descending: query.order == .newest, after: query.cursor?.key, in: cover)
        time.begin()
        var hits: [ListingHit] = []
        var (met, last) = (0, Int64?.none)
        while hits.count <= query.limit, let key = merge.head {
            guard met < budget else { return nil }
            if time.isOver(before: key) { break }
            met += 1
            // A listing can appear in the lists of several places.
            if key != last, merge.row.isIn(zones), let hit = try rows.hit(key) { hits.append(hit) }
            last = key
            try merge.advance()
        }
        return hits
    }

    /// Reads all of a list within the cells and sorts it by time. Returns nil if there are too many rows.
    private func inOrder(
        _ list: any ListingCandidates,
        _ cover: CellCover?,
        limit: Int
    ) throws -> [ListingHit]? {
        guard let candidates = try all(of: list, in: cover, limit: limit) else { return nil }
        let descending = query.order == .newest
        let start = query.cursor?.key ?? (descending ? .max : .min)
        let behind = candidates.filter { descending ? $0.key < start : $0.key > start }
        var hits: [ListingHit] = []
        time.begin()
        for candidate in behind.sorted(by: { descending ? $0.key > $1.key : $0.key < $1.key })
        where candidate.key != hits.last?.key {
            if time.isOver(before: candidate.key) { break }
            guard let distance = check.space.distance(to: candidate.point),
                try list.isSufficient || isWanted(candidate.key)
            else { continue }
            hits.append(ListingHit(key: candidate.key, distance: distance))
            if hits.count > query.limit { break }
        }
        return hits
    }

    /// Returns the nearest of a whole list; nil if the list is too long.
    private func nearest(of list: any ListingCandidates, limit: Int) throws -> [ListingHit]? {
        guard let candidates = try all(of: list, in: nil, limit: limit) else { return nil }
        return try CellSearch.nearest(candidates, in: check.space, query, time) { key in
            try list.isSufficient || isWanted(key)
        }
    }

    private func isWanted(_ key: Int64) throws -> Bool { try rows.hit(key) != nil }

    // MARK: - For counting

    /// Candidates for the results in an area, as far as the budget permitted.
    struct Gathering {
        let candidates: [Candidate]
        /// If false, there are more candidates.
        let isAll: Bool
        /// Whether all candidates inside the area are results.
        let isSufficient: Bool
    }

    /// Gathers candidates for the results within the cells. The budget is a number of rows of `listing`; other look-ups
    /// cost less.
    ///
    /// - Parameter isByPlace: excludes the list by time, which takes the same time for one cell as for the whole area.
    func gather(in cover: CellCover?, budget: Int, isByPlace: Bool = false) throws -> Gathering {
        var lists = try candidateLists()
        // Lists by time cannot be read by place.
        let isTimed = lists.allSatisfy { $0 is LastSeenCandidates }
        if isTimed { lists.insert(try FacetCandidates(db, query, suffixes: [""]), at: 0) }
        if isByPlace { lists.removeAll { $0 is LastSeenCandidates } }
        var best = Gathering(candidates: [], isAll: false, isSufficient: false)
        for (number, list) in lists.enumerated() where !best.isAll {
            let limit = budget * (list.isSufficient ? 10 : isOnBoard ? 2 : 1)
            let candidates = try list.candidates(in: cover, limit: limit)
            let isAll = candidates.count < limit
            // If all lists are too long, a list whose rows need no further checks gives the larger sample.
            guard number == 0 || isAll || list.isSufficient else { continue }
            best = Gathering(candidates: candidates, isAll: isAll, isSufficient: list.isSufficient)
        }
        return best
    }

    /// Returns the candidates that are results.
    func points(of gathering: Gathering) throws -> [Candidate] {
        var seen: Set<Int64> = []
        let inside = gathering.candidates.filter { candidate in
            check.space.distance(to: candidate.point) != nil && seen.insert(candidate.key).inserted
        }
        if gathering.isSufficient { return inside }
        return try isOnBoard ? wantedOnBoard(inside) : inside.filter { try isWanted($0.key) }
    }

    /// Whether the `board` table alone decides which candidates are results.
    private var isOnBoard: Bool {
        query.isOpen && query.conditions == (query.species == nil ? 0 : 1) + (query.hasWindow ? 1 : 0)
    }

    /// Returns the candidates with the requested species and times. `NOT INDEXED` forces a search by key; otherwise
    /// SQLite would read the index over the whole time range.
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
    /// Returns whether the zone in the second column is in one of the ranges, or true if there are no ranges or the
    /// zone is NULL.
    fileprivate func isIn(_ zones: [ClosedRange<Int64>]?) -> Bool {
        guard let zones, !isNull(1) else { return true }
        let zone = integer(1)
        return zones.contains { $0.contains(zone) }
    }
}
