import Domain
import SQL

/// Finds the listings of a page. If several lists are suitable, the plan tries each with a small budget of rows, then
/// with a larger one; no plan can know in advance how filters and places correlate.
///
/// | query | nearest first | by time |
/// |---|---|---|
/// | open listings without a more selective condition | the index of `board` | the lists of the cells, merged |
/// | a breed, a species, a place, a closed status | the facet, or the index of `board` | the facet's list by time |
/// | words | the index of `board`, or that of words | the newest listings, or the index of words |
/// | seen within a short time range | all listings in the range | all listings in the range |
/// | an owner | all listings of the owner | the owner's list |
struct PostGISPlan {
    private let db: SQLConnection
    private let query: ListingQuery
    private let reader: ListReader
    private let withFeatures: Bool
    private let time: SearchTime
    /// A listing's facet of its status contains all listings.
    private var all: FacetList { FacetList(query, suffixes: [""]) }

    /// The maximum number of cells that cover an area: fewer cells need fewer look-ups, more cells fit the area more
    /// closely.
    private static let coverLimit = 12
    private static let boardBudget = 1500
    private static let newestTexts = 1000
    /// The maximum numbers of rows with the words that a page reads: where the index of `board` is likely to contain
    /// enough of them, and where it is not.
    private static let (fewTexts, manyTexts) = (2000, 16_000)
    /// Cells with fewer listings are read at once.
    private static let few = 500
    /// More than the listings of the largest lists that other conditions may empty.
    private static let large = 200_000

    init(_ db: SQLConnection, _ query: ListingQuery, withFeatures: Bool = false) {
        (self.db, self.query, self.withFeatures) = (db, query, withFeatures)
        time = SearchTime(query, db.engine)
        reader = ListReader(db, query, withFeatures: withFeatures, time)
    }

    func page() throws -> HitPage {
        guard !query.statuses.isEmpty, !reader.space.extents.isEmpty else { return HitPage() }
        let hits = try query.order == .distance ? nearest() : byTime()
        return HitPage(hits: hits, stop: time.stop)
    }

    // MARK: - Nearest first

    private func nearest() throws -> [ListingHit] {
        if let owner = OwnerList(query) { return try nearest(of: owner, budget: .max) ?? [] }
        let board = query.isOpen ? NearestOnBoard(db, query, withFeatures: withFeatures) : nil
        let lists = candidateLists()
        if lists.isEmpty {
            return try board?.page(budget: Self.boardBudget) ?? nearestByCells(all)
        }
        if lists[0] is TextList { return try nearestWords(lists, board) }
        let isFacet = lists.count == 1 && lists[0].isSufficient && lists[0] is FacetList
        for budget in isFacet ? [1000] : [1000, 4000, 16_000] {
            for list in lists {
                if let hits = try nearest(of: list, budget: budget) { return hits }
            }
            if let hits = try board?.page(budget: budget) { return hits }
        }
        let list = lists.lazy.compactMap { $0 as? any TimeOrderedList }.first ?? all
        if !list.isSufficient, let hits = try nearest(of: list, budget: Self.large) { return hits }
        return try nearestByCells(list)
    }

    /// The index of words has no order, so that of `board` is better for words that many listings contain.
    private func nearestWords(_ lists: [any CandidateList], _ board: NearestOnBoard?) throws -> [ListingHit] {
        if let hits = try board?.page(budget: Self.boardBudget) { return hits }
        let budget = isUnboundedText ? Self.fewTexts : Self.manyTexts
        for list in lists {
            if let hits = try nearest(of: list, budget: budget) { return hits }
        }
        return try board?.page(budget: Self.manyTexts) ?? nearestByCells(lists[0])
    }

    /// Returns nil if the list is too long.
    private func nearest(of list: any CandidateList, budget: Int) throws -> [ListingHit]? {
        let cover = reader.space.cover(atMost: Self.coverLimit)
        guard let found = try reader.all(of: list, in: cover, budget: budget) else { return nil }
        var hits: [ListingHit] = []
        for hit in found.map(ListingHit.init).filter(query.isAfterCursor).sorted() where hit.key != hits.last?.key {
            hits.append(hit)
            if hits.count > query.limit { break }
        }
        return hits
    }

    /// Searches from cell to cell: it takes several statements, but neither an empty region around the centre nor many
    /// listings beyond the page make them slow.
    private func nearestByCells(_ list: any CandidateList) throws -> [ListingHit] {
        let check = ListingMatcher(query)
        let cells = CellSearch(check, few: Self.few, time) { cell, limit in
            try reader.all(of: list, in: CellCover(cell), budget: limit)?.map {
                Candidate(key: $0.key, point: $0.point)
            }
        }
        return try cells.run { _ in true }
    }

    // MARK: - By time

    private func byTime() throws -> [ListingHit] {
        let cover = reader.space.cover(atMost: Self.coverLimit)
        if let owner = OwnerList(query) { return try reader.page(of: owner, in: cover, budget: .max) ?? [] }
        let lists = candidateLists()
        let board = query.isOpen ? BoardList(query, isByCell: cover != nil) : nil
        let ordered = lists.compactMap { $0 as? any TimeOrderedList }
        let whole: any TimeOrderedList = board ?? ordered.first ?? all
        guard !lists.isEmpty else { return try reader.page(of: whole, in: cover, budget: .max) ?? [] }
        if let text = lists[0] as? TextList { return try byTime(text, board, lists.dropFirst(), cover) }
        let walked: [any TimeOrderedList] = ordered.isEmpty ? [whole] : ordered
        for budget in [250, 1000, 4000, 16_000, 64_000] {
            for list in lists where cover != nil || !(list is FacetList) {
                if let hits = try inOrder(list, cover, budget: budget) { return hits }
            }
            for list in walked {
                if let hits = try reader.page(of: list, in: cover, budget: budget) { return hits }
            }
        }
        return try reader.page(of: walked[0], in: cover, budget: .max) ?? []
    }

    /// Words that many listings contain are found soon among the newest ones, in an area among the newest in its cells.
    private func byTime(
        _ text: TextList,
        _ board: BoardList?,
        _ others: some Sequence<any CandidateList>,
        _ cover: CellCover?
    ) throws -> [ListingHit] {
        let newest: (any TimeOrderedList)? = cover == nil ? text.all : board
        if let newest, let hits = try reader.page(of: newest, in: cover, budget: Self.newestTexts) { return hits }
        for list in others {
            if let hits = try inOrder(list, cover, budget: Self.boardBudget) { return hits }
        }
        return try reader.page(of: text, in: cover, budget: .max) ?? []
    }

    /// Reads all of a list and sorts it by time. Returns nil if there are too many rows.
    private func inOrder(_ list: any CandidateList, _ cover: CellCover?, budget: Int) throws -> [ListingHit]? {
        guard let found = try reader.all(of: list, in: cover, budget: budget) else { return nil }
        let isNewest = query.order != .oldest
        let start = query.cursor?.key ?? (isNewest ? .max : .min)
        let behind = found.filter { isNewest ? $0.key < start : $0.key > start }
        var hits: [ListingHit] = []
        for one in behind.sorted(by: { isNewest ? $0.key > $1.key : $0.key < $1.key })
        where one.key != hits.last?.key {
            hits.append(ListingHit(one))
            if hits.count > query.limit { break }
        }
        return hits
    }

    // MARK: - For both

    private var isUnboundedText: Bool { query.hasWords && reader.space.isEverywhere }

    /// Returns the lists that match conditions of the query; empty if the query concerns all open listings.
    func candidateLists() -> [any CandidateList] {
        if let owner = OwnerList(query) { return [owner] }
        let seen = [LastSeenList(query)].compactMap(\.self)
        // The text index includes the other conditions, except the time range.
        if let text = TextList(query) { return [text] + seen }
        var lists: [any CandidateList] = query.facetSuffixes.map { FacetList(query, suffixes: $0) }
        if lists.isEmpty, !query.isOpen { lists.append(all) }
        return lists + seen
    }
}
