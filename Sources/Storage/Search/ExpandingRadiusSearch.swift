import Domain
import SpatiaLite

/// Finds the nearest of the listings that hold words. Where they are many, it looks within a small circle first, then
/// within larger ones, which costs fewer look-ups than going from cell to cell: each is dear here.
///
/// How much larger follows from how many were found, so that the last circle holds a few times the page. Where it holds
/// far more, because a crowd begins beyond an empty country, the cells are gone through after all.
struct ExpandingRadiusSearch {
    private let check: ListingMatcher
    private let list: TextCandidates

    private static let firstRadius = 15_000.0
    private static let crowd = 2000
    /// A list with fewer is read as a whole.
    private static let few = 3000
    private static let coverLimit = 6

    init(_ check: ListingMatcher, _ list: TextCandidates) {
        self.check = check
        self.list = list
    }

    /// - Parameter isWanted: whether a listing is what the query asks for, wherever it stands.
    func run(_ isWanted: (Int64) throws -> Bool) throws -> [ListingHit] {
        let query = check.query
        let wanted = query.limit + 1
        let limit = check.space.circle?.radius ?? Coordinate.maxDistance
        var answers: [Int64: Bool] = [:]
        let isWantedOnce = { (key: Int64) throws -> Bool in
            if let answer = answers[key] { return answer }
            let answer = try isWanted(key)
            answers[key] = answer
            return answer
        }
        if try list.areFewer(than: Self.few) {
            let all = try list.candidates(in: nil, limit: .max)
            return try CellSearch.nearest(all, in: check.space, query, isWantedOnce)
        }
        var radius = min(limit, max(Self.firstRadius, 2 * (query.cursor.flatMap { Double($0.value) } ?? 0)))
        while true {
            let space = radius < Coordinate.maxDistance ? check.space.within(radius) : check.space
            let candidates = try list.candidates(in: space.cover(atMost: Self.coverLimit), limit: Self.crowd)
            guard candidates.count < Self.crowd else {
                return try CellSearch(check, list, few: Self.crowd / 4).run(isWantedOnce)
            }
            let hits = try CellSearch.nearest(candidates, in: space, query, isWantedOnce)
            if hits.count >= wanted || radius >= limit { return hits }
            let growth = min(8, max(1.5, (2 * Double(wanted) / Double(max(1, hits.count))).squareRoot()))
            radius = min(limit, radius * growth)
        }
    }
}
