import Domain
import HeapModule
import Matching
import SQL

/// The candidates of a listing in the order of their scores.
struct MatchRanking {
    struct Entry {
        let candidate: MatchCandidate
        /// The value of `MatchCrowding` at the candidate's place.
        let crowding: Double
        let bits: Double
        var probability: Double
    }

    let noneProbability: Double
    private let candidates: MatchCandidates
    private let crowding: [Double]
    private let bits: [Double]
    private var probabilities: [Double]
    private let search: CandidateSearch
    private let scorer: MatchScorer

    /// The greatest number of candidates whose photos are compared.
    private static let maxWithPhotos = 200

    init(
        _ found: MatchCandidates,
        for search: CandidateSearch,
        _ reader: MatchReader,
        _ weights: MatchWeights,
        _ db: SQLConnection
    ) throws {
        var candidates = found
        var frequencies = MatchFrequencies(reader)
        frequencies.count(candidates.subjects.map(\.firstBreed))
        let scorer = MatchScorer(weights: weights, frequencies: frequencies, comparesDays: !search.isPhoto)
        // A search by photo shows the nearer one of two dogs first that fit equally.
        let crowding =
            search.isPhoto
            ? Array(repeating: 0, count: candidates.count) : MatchCrowding.values(candidates.subjects.map(\.coordinate))
        func score(_ subject: MatchSubject, at position: Int) -> Double {
            search.bits(
                subject, scorer, distance: candidates.distance(at: position), crowding: crowding[position])
        }
        var bits = candidates.indices.map { score(candidates.subjects[$0], at: $0) }
        let likeliest = candidates.likeliest(Self.maxWithPhotos, bits: bits, photos: search.subject.sketches)
        try candidates.readPhotos(at: likeliest, reader, db)
        for position in likeliest { bits[position] = score(candidates[position].subject, at: position) }
        (probabilities, noneProbability) = MatchProbability.probabilities(bits: bits, calibration: weights.calibration)
        (self.candidates, self.crowding, self.bits) = (candidates, crowding, bits)
        (self.search, self.scorer) = (search, scorer)
        if search.compared == .same { addOthersOfOneAnimal(weights.calibration) }
    }

    /// Several listings of the same side can be of the animal, so that each has only a part of its probability. Adds to each of
    /// the likeliest the parts of the others that are likely of one animal with it.
    private mutating func addOthersOfOneAnimal(_ calibration: MatchCalibration) {
        let likeliest = probabilities.indices.filter { probabilities[$0] >= Self.leastShare }
            .sorted { probabilities[$0] > probabilities[$1] }.prefix(Self.maxCompared)
        let subjects = likeliest.map { candidates[$0].subject }
        var groups = Array(subjects.indices)
        for (one, subject) in subjects.enumerated() {
            for other in 0..<one where groups[one] != groups[other] {
                let pair = [subject, subjects[other]].sorted { $0.day < $1.day }
                let metres = pair[0].coordinate.distance(to: pair[1].coordinate)
                let bits = scorer.bits(pair[0], pair[1], distanceMetres: metres)
                guard MatchProbability.areLikelyOne(bits: bits, count: count, calibration: calibration) else {
                    continue
                }
                let former = groups[one]
                groups = groups.map { $0 == former ? groups[other] : $0 }
            }
        }
        let shares = likeliest.map { probabilities[$0] }
        for (position, group) in zip(likeliest, groups) {
            probabilities[position] = zip(shares, groups).reduce(0) { $1.1 == group ? $0 + $1.0 : $0 }
        }
    }

    /// Less likely candidates are not compared with each other.
    private static let leastShare = 0.005
    private static let maxCompared = 20

    var count: Int { candidates.count }
    var side: MatchSide { search.compared }

    /// Returns the entries behind a position, the likeliest first. A heap, because a page needs the first few only.
    func entries(after last: MatchCursor?) -> some Sequence<Entry> {
        let last = last.map { Rank(bits: $0.bits, key: $0.key, position: 0) }
        let ranks = candidates.indices.compactMap { position in
            let rank = Rank(bits: bits[position], key: candidates.key(at: position), position: position)
            return last.map { rank < $0 } ?? true ? rank : nil
        }
        return sequence(state: Heap(ranks)) { heap in
            heap.popMax().map { rank in
                Entry(
                    candidate: candidates[rank.position],
                    crowding: crowding[rank.position],
                    bits: rank.bits,
                    probability: probabilities[rank.position]
                )
            }
        }
    }

    /// Returns the days from the loss to the find; for listings of the same side, from the listing to the other one.
    func days(_ entry: Entry) -> Int {
        let days = entry.candidate.subject.day - search.subject.day
        return search.isLost || search.compared == .same ? days : -days
    }

    /// Returns the likeliest of the listings of one animal, with the probability of them all; nil for the others. They are given
    /// by their `Listing.key`.
    func entry(_ entry: Entry, for animal: [Int64]) -> Entry? {
        let own = Rank(bits: entry.bits, key: entry.candidate.key, position: 0)
        var all = entry
        all.probability = 0
        for position in candidates.indices where animal.contains(candidates.key(at: position)) {
            if own < Rank(bits: bits[position], key: candidates.key(at: position), position: position) { return nil }
            all.probability =
                side == .same
                ? max(all.probability, probabilities[position])
                : all.probability + probabilities[position]
        }
        return all
    }

    /// Returns the reasons for and against, the strongest first.
    func evidence(_ entry: Entry) -> [Evidence] {
        let (lost, found) = search.pair(entry.candidate.subject)
        return scorer.evidence(lost, found, distanceMetres: entry.candidate.distance, crowding: entry.crowding)
            .sorted { abs($0.bits) > abs($1.bits) }
    }

    private struct Rank: Comparable {
        let bits: Double
        let key: Int64
        let position: Int

        static func < (left: Rank, right: Rank) -> Bool { (left.bits, left.key) < (right.bits, right.key) }
    }
}

extension CandidateSearch {
    fileprivate func pair(_ other: MatchSubject) -> (lost: MatchSubject, found: MatchSubject) {
        isFirst(before: other) ? (subject, other) : (other, subject)
    }

    /// Whether the listing stands for the lost one in a comparison.
    private func isFirst(before other: MatchSubject) -> Bool {
        compared == .same ? subject.day <= other.day : isLost
    }

    /// Passes the subjects on without copies, which a pair of them would need.
    fileprivate func bits(_ other: MatchSubject, _ scorer: MatchScorer, distance: Double, crowding: Double) -> Double {
        isFirst(before: other)
            ? scorer.bits(subject, other, distanceMetres: distance, crowding: crowding)
            : scorer.bits(other, subject, distanceMetres: distance, crowding: crowding)
    }
}
