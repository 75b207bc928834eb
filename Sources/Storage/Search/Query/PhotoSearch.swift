import Domain
import Matching
import SQL

/// A search for the dog in a photo around a place: the open listings there are compared with the photo as matches are, by
/// likeness, breed and distance in one score. Days are not compared, because nobody says when the photo was taken.
struct PhotoSearch {
    private let query: ListingQuery
    private let ranking: PhotoRanking
    private let circle: ListingQuery.Circle
    private let matcher: ListingMatcher
    private let db: SQLConnection

    /// The distances that candidates are chosen by are within 0.1 % of those on the ellipsoid.
    private static let tolerance = 1.005
    /// The rows that one statement checks.
    private static let batchSize = 64

    /// Returns nil if the query has no place, does not ask for the nearest, or has listings that are not open.
    init?(_ query: ListingQuery, _ ranking: PhotoRanking, _ db: SQLConnection) {
        guard let circle = query.circle, query.order == .distance, query.isOpen else { return nil }
        (self.query, self.ranking, self.db) = (query, ranking, db)
        self.circle = .init(centre: circle.centre, radius: circle.radius.map { min($0, CandidateSearch.maxRadius) })
        var bounded = query
        bounded.circle = self.circle
        matcher = ListingMatcher(bounded)
    }

    /// Returns the page, plus one more listing if there are more.
    func page() throws -> [ListingHit] {
        guard query.species ?? .dog == .dog else { return [] }
        let last = query.cursor.flatMap { cursor in
            Double(cursor.value).map { MatchCursor(bits: $0, key: cursor.key) }
        }
        var candidates = MergedRankings(try rankings(), after: last)
        var hits: [ListingHit] = []
        while hits.count <= query.limit {
            let batch = Array(candidates.next(Self.batchSize))
            guard !batch.isEmpty else { break }
            let found = try check(batch.map(\.entry.candidate.key))
            hits += batch.compactMap { candidate in
                found[candidate.entry.candidate.key].map { hit(candidate, $0) }
            }
        }
        return Array(hits.prefix(query.limit + 1))
    }

    /// The found ones are the candidates of a lost one, and the other way round.
    private func rankings() throws -> [MatchRanking] {
        let sides = [query.statuses.contains { $0 != .lost }, query.statuses.contains(.lost)]
        return try zip([true, false], sides).filter(\.1).map { isLost, _ in
            let photo = ranking.subject(isLost: isLost, at: circle.centre)
            let search = CandidateSearch(for: photo, ranking.reader)
            let found = try circle.radius.map { try search.candidates(within: $0 * Self.tolerance, db) }
            return try MatchRanking(found ?? search.run(db), for: search, ranking.reader, .standard, db)
        }
    }

    /// A listing that fulfils the query.
    private struct Row {
        let distance: Double
        /// The breed of the photo that the listing has, as a position in `PhotoRanking.groups`.
        let group: Int?
    }

    /// Returns those of the keys whose listings fulfil the query.
    private func check(_ keys: [Int64]) throws -> [Int64: Row] {
        let list = "[" + keys.map(String.init).joined(separator: ",") + "]"
        var found: [Int64: Row] = [:]
        try db.forEachRow(ListingRow.byKeys, [list]) { row in
            let row = ListingRow(row)
            guard let distance = try matcher.distance(of: row) else { return }
            found[row.key] = Row(distance: distance, group: ranking.group(of: row))
        }
        guard let condition = query.rowCondition else { return found }
        let sql = """
            SELECT listing.id FROM json_each(?) AS wanted CROSS JOIN listing
            WHERE listing.id = CAST(wanted.value AS BIGINT) AND (\(condition.sql))
            """
        let scan = try PreparedStatement(db, sql, [.text(list)] + condition.values)
        var fulfilling: Set<Int64> = []
        while try scan.next() { fulfilling.insert(scan.row.integer(0)) }
        return found.filter { fulfilling.contains($0.key) }
    }

    private func hit(_ candidate: MergedRankings.Candidate, _ row: Row) -> ListingHit {
        var hit = ListingHit(key: candidate.entry.candidate.key, distance: row.distance)
        hit.photo = ListingMatch.Photo(
            bits: candidate.entry.bits,
            breed: row.group.flatMap { ranking.groups[$0].probability },
            evidence: candidate.ranking.evidence(candidate.entry)
        )
        return hit
    }
}

/// The entries of several rankings in the order of their scores, without dogs of other breeds.
private struct MergedRankings {
    struct Candidate {
        let ranking: MatchRanking
        let entry: MatchRanking.Entry
    }

    private var sources: [AnyIterator<Candidate>]
    private var heads: [Candidate?]

    init(_ rankings: [MatchRanking], after last: MatchCursor?) {
        sources = rankings.map { ranking in
            AnyIterator(
                ranking.entries(after: last).lazy.map { Candidate(ranking: ranking, entry: $0) }
                    .filter { !$0.isAnother }.makeIterator()
            )
        }
        heads = sources.map { $0.next() }
    }

    mutating func next(_ count: Int) -> [Candidate] {
        var found: [Candidate] = []
        while found.count < count, let position = first, let head = heads[position] {
            found.append(head)
            heads[position] = sources[position].next()
        }
        return found
    }

    private var first: Int? {
        heads.indices.filter { heads[$0] != nil }.max { rank($0) < rank($1) }
    }

    private func rank(_ position: Int) -> (Double, Int64) {
        heads[position].map { ($0.entry.bits, $0.entry.candidate.key) } ?? (-.infinity, 0)
    }
}

extension MergedRankings.Candidate {
    /// Whether the dog has another breed and looks not alike. One of a fitting breed stays, since a photo from behind looks like
    /// no other.
    fileprivate var isAnother: Bool {
        let evidence = ranking.evidence(entry)
        let bits = { (kind: EvidenceKind) in evidence.first { $0.kind == kind }?.bits ?? 0 }
        return bits(.photo) + max(0, bits(.likeness)) <= -0.5
    }
}
