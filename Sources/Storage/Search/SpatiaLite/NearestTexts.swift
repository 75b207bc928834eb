import Domain
import SQL

/// Finds the nearest of the listings that the text index knows. Each look-up in the text index is expensive, so a short list is
/// read as a whole, and a long one only in cells that probably contain some dozen of its listings.
struct NearestTexts {
    private let db: SQLConnection
    private let check: ListingMatcher
    private let list: TextCandidates
    private let time: SearchTime

    /// Cells with fewer candidates are read; others are divided.
    private static let fewOfCell = 800
    /// The expected number of candidates with which a cell is divided without being read.
    private static let crowdOfCell = 400.0
    private static let (sample, coverLimit) = (50, 6)

    init(_ db: SQLConnection, _ check: ListingMatcher, _ list: TextCandidates, _ time: SearchTime) {
        (self.db, self.check, self.list, self.time) = (db, check, list, time)
    }

    /// Returns nil if there are as many candidates as `few` or more.
    ///
    /// - Parameter isWanted: returns whether a listing fulfils the query, apart from its location.
    func all(few: Int, _ isWanted: (Int64) throws -> Bool) throws -> [ListingHit]? {
        // The index with the beginnings of words may list many more.
        guard let all = try list.all(few: few) ?? list.complete?.all(few: few) else { return nil }
        return try CellSearch.nearest(all, in: check.space, check.query, time, isWanted)
    }

    /// - Parameter share: the estimated share of the listings around the centre that are on the list.
    func byCells(share: Double, _ isWanted: (Int64) throws -> Bool) throws -> [ListingHit] {
        let list = try list.complete.flatMap { try isMostlyWrong(isWanted) ? $0 : nil } ?? list
        let counts = try check.query.isOpen ? BoardCounts(CellCounts(db, check.query)) : nil
        return try CellSearch(check, few: Self.fewOfCell, time) { cell, limit in
            if let count = try counts?.count(of: cell) {
                guard count > 0 else { return [] }
                if limit < .max, Double(count) * share > Self.crowdOfCell { return nil }
            }
            return try list.all(in: cell, limit: limit)
        }.run(isWanted)
    }

    /// Whether a sample shows that few candidates fulfil the query, because the index has only the beginnings of words.
    private func isMostlyWrong(_ isWanted: (Int64) throws -> Bool) throws -> Bool {
        let newest = try list.candidates(in: check.space.cover(atMost: Self.coverLimit), limit: Self.sample)
        guard newest.count == Self.sample else { return false }
        return try newest.count { try isWanted($0.key) } * 10 < Self.sample
    }

    /// A reference type, because a closure cannot keep `CellCounts`.
    private final class BoardCounts {
        private let counts: CellCounts

        init(_ counts: consuming CellCounts) { self.counts = counts }

        func count(of cell: Cell) throws -> Int { try counts.count(of: cell) }
    }
}
