import Domain
import SQL

/// Finds the nearest of the listings that contain given words. If there are many, it searches a small circle first,
/// then larger ones. This needs fewer look-ups than a search from cell to cell, and each look-up in the text index is
/// expensive.
///
/// The radius grows according to the number of listings found, so that the last circle contains a few times the page
/// size. If a circle contains far more, a smaller one follows. Where no circle fits, because a dense region begins beyond an
/// empty one, the search by cells is used instead.
struct ExpandingRadiusSearch {
    private let check: ListingMatcher
    private let list: TextCandidates
    private let firstRadius: Double

    private static let (minRadius, defaultRadius) = (50.0, 3_000.0)
    /// More candidates than this are not read: a smaller circle contains the page.
    private static let crowd = 800
    /// If there are fewer candidates, all of them are read at once.
    private static let few = 400
    private static let coverLimit = 6
    private static let sample = 50
    /// Circles that are searched before the search by cells, which needs more look-ups.
    private static let maxCircles = 10

    /// - Parameter radius: that of the first circle in metres, if it is known how dense the listings are.
    init(_ check: ListingMatcher, _ list: TextCandidates, radius: Double? = nil) {
        self.check = check
        self.list = list
        firstRadius = max(radius ?? Self.defaultRadius, Self.minRadius)
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
        // A page is known to be larger than the inner circle, and within the outer one.
        var (inner, outer) = (query.cursor.flatMap { Double($0.value) } ?? 0, Double.infinity)
        var radius = min(limit, max(firstRadius, 2 * inner))
        for _ in 0..<Self.maxCircles {
            let space = radius < Coordinate.maxDistance ? check.space.within(radius) : check.space
            let candidates = try list.candidates(in: space.cover(atMost: Self.coverLimit), limit: Self.crowd)
            if let complete = list.complete, try Self.areMostlyWrong(candidates, isWantedOnce) {
                return try ExpandingRadiusSearch(check, complete, radius: radius).run(isWantedOnce)
            }
            guard candidates.count < Self.crowd else {
                outer = radius
                radius = max(inner, radius / 16) + (radius - max(inner, radius / 16)) / 4
                continue
            }
            let hits = try CellSearch.nearest(candidates, in: space, query, isWantedOnce)
            if hits.count >= wanted || radius >= limit { return hits }
            inner = radius
            let growth = min(8, max(1.5, (2 * Double(wanted) / Double(max(1, hits.count))).squareRoot()))
            radius = min(limit, radius * growth, (radius + outer) / 2)
        }
        return try CellSearch(check, few: Self.crowd / 4, list.all).run(isWantedOnce)
    }

    /// Whether a sample shows that few candidates fulfil the query, because the index has only the beginnings of words.
    private static func areMostlyWrong(_ candidates: [Candidate], _ isWanted: (Int64) throws -> Bool) throws -> Bool {
        guard candidates.count >= sample else { return false }
        return try candidates.prefix(sample).count { try isWanted($0.key) } * 10 < sample
    }
}
