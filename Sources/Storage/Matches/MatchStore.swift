package import Domain
package import Matching
import SQL

/// Finds open listings that may be of the same animal as another one, and stores what the owners answer.
///
/// Everything is computed from what the listings show to everybody, above all from the public points, so that neither
/// scores nor distances can reveal more. The one exception is that owners are told of an equal microchip.
package struct MatchStore: Sendable {
    let database: any Database
    package let reader: MatchReader
    package let weights: MatchWeights

    package init(_ database: any Database, _ reader: MatchReader, weights: MatchWeights = .standard) {
        (self.database, self.reader, self.weights) = (database, reader, weights)
    }

    /// A page of possible matches.
    package struct Results<Value> {
        package var matches: [PossibleMatch<Value>] = []
        /// The number of listings that were compared.
        package var considered = 0
        /// The probability that the animal is in none of them.
        package var noneProbability = 1.0
        /// The position behind the last match; nil on the last page.
        package var next: MatchCursor?
    }

    /// Returns the likeliest matches of a listing, the likeliest first. Matches that an owner has answered with no are
    /// left out, and so are listings of accounts that block each other. Joined listings are one match: the
    /// likeliest of them. A listing that is not open or is hidden has none.
    ///
    /// - Parameters:
    ///   - compared: which listings are compared with it.
    ///   - asOwner: whether the owner of the listing asks, to whom it is told that another listing has the same
    ///     microchip, wherever it is. Nobody is told that microchips differ.
    ///   - last: the position behind which the page begins.
    ///   - read: extracts a value from the row of the other listing.
    package func find<Value>(
        for listing: Listing,
        _ compared: MatchSide = .other,
        asOwner: Bool = false,
        minProbability: Double = 0,
        limit: Int,
        after last: MatchCursor? = nil,
        _ read: (ListingRow) throws -> Value
    ) throws -> Results<Value> {
        guard listing.content.isOpen, !listing.hidden else { return Results() }
        return try database.readNow { db in
            guard var search = try CandidateSearch(for: listing, compared, reader, db) else { return Results() }
            var candidates = try search.run(db)
            if asOwner { try search.join(&candidates, withMicrochipOf: listing, db) }
            let weights = compared == .same ? .ofSameSide : weights
            let ranking = try MatchRanking(candidates, for: search, reader, weights, db)
            var results = Results<Value>(considered: ranking.count, noneProbability: ranking.noneProbability)
            let answers = try Self.answers(of: listing.key, db)
            let joined = Set(try AnimalStore.keys(joinedWith: listing.key, db))
            // Another listing of the same animal stands in for these.
            var hidden = Set(answers.filter { $0.value.isRejected }.keys)
            for entry in ranking.entries(after: last) {
                let answer = answers[entry.candidate.key] ?? MatchAnswers()
                // A match that the other owner has confirmed is shown however unlikely it is.
                guard entry.probability >= minProbability || answer.other == .yes,
                    !hidden.contains(entry.candidate.key), !joined.contains(entry.candidate.key)
                else { continue }
                guard results.matches.count < limit else {
                    results.next = results.matches.last.map { MatchCursor(bits: $0.bits, key: $0.key) }
                    break
                }
                guard let entry = try Self.ofAnimal(entry, without: hidden, ranking, db) else { continue }
                guard let match = try Self.read(entry, answer, for: listing, ranking, db, read) else {
                    hidden.insert(entry.candidate.key)
                    continue
                }
                results.matches.append(match)
            }
            return results
        }
    }

    /// Returns nil for a joined listing, unless it is the likeliest of its animal that is not hidden.
    private static func ofAnimal(
        _ entry: MatchRanking.Entry,
        without hidden: Set<Int64>,
        _ ranking: MatchRanking,
        _ db: SQLConnection
    ) throws -> MatchRanking.Entry? {
        let animal = try AnimalStore.keys(joinedWith: entry.candidate.key, db).filter { !hidden.contains($0) }
        return animal.isEmpty ? entry : ranking.entry(entry, for: animal)
    }

    /// Returns nil if one of the owners blocks the other.
    static func read<Value>(
        _ entry: MatchRanking.Entry,
        _ answers: MatchAnswers,
        for listing: Listing,
        _ ranking: MatchRanking,
        _ db: SQLConnection,
        _ read: (ListingRow) throws -> Value
    ) throws -> PossibleMatch<Value>? {
        try db.row("\(ListingRow.select) WHERE listing.id = ?", [entry.candidate.key]) { row in
            let row = ListingRow(row)
            guard try !areBlocked(row.owner, listing.owner, db) else { return nil }
            return PossibleMatch(
                key: entry.candidate.key,
                probability: entry.probability,
                bits: entry.bits,
                distance: entry.candidate.distance.roundedUp,
                days: ranking.days(entry),
                side: ranking.side,
                evidence: ranking.evidence(entry),
                answers: answers,
                value: try read(row)
            )
        } ?? nil
    }

    static func areBlocked(_ one: Int64, _ other: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM block
            WHERE (blocker_id = ?1 AND blocked_id = ?2) OR (blocker_id = ?2 AND blocked_id = ?1)
            """,
            [one, other]
        )
    }
}

extension Double {
    /// The next multiple of 100 m, beyond 5 km of 1 km.
    fileprivate var roundedUp: Double {
        let step = self < 5_000 ? 100.0 : 1_000
        return (self / step).rounded(.up) * step
    }
}
