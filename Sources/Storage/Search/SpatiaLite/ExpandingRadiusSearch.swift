import Domain
import SQL

/// Finds the nearest of the listings that contain given words. If there are many, it searches a small circle first,
/// then larger ones. This needs fewer look-ups than a search from cell to cell, and each look-up in the text index is
/// expensive.
///
/// The radius grows according to the number of listings found, so that the last circle contains a few times the page
/// size. If a circle contains far more, because a dense region begins beyond an empty one, the search by cells is used
/// instead.
struct ExpandingRadiusSearch {
    private let check: ListingMatcher
    private let list: TextCandidates

    private static let firstRadius = 15_000.0
    private static let crowd = 2000
    /// If there are fewer candidates, all of them are read at once.
    private static let few = 3000
    private static let coverLimit = 6
    private static let sample = 100

    init(_ check: ListingMatcher, _ list: TextCandidates) {
        self.check = check
        self.list = list
    }

    /// - Parameter isWanted: returns whether a listing fulfils the query, apart from its location.
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
            if let complete = list.complete, try Self.areMostlyWrong(candidates, isWantedOnce) {
                return try ExpandingRadiusSearch(check, complete).run(isWantedOnce)
            }
            guard candidates.count < Self.crowd else {
                return try CellSearch(check, few: Self.crowd / 4, list.all).run(isWantedOnce)
            }
            let hits = try CellSearch.nearest(candidates, in: space, query, isWantedOnce)
            if hits.count >= wanted || radius >= limit { return hits }
            let growth = min(8, max(1.5, (2 * Double(wanted) / Double(max(1, hits.count))).squareRoot()))
            radius = min(limit, radius * growth)
        }
    }

    /// Whether a sample shows that few candidates fulfil the query, because the index has only the beginnings of words.
    private static func areMostlyWrong(_ candidates: [Candidate], _ isWanted: (Int64) throws -> Bool) throws -> Bool {
        guard candidates.count >= sample else { return false }
        return try candidates.prefix(sample).count { try isWanted($0.key) } * 10 < sample
    }
}
