import Domain
import Matching

/// The candidates of a listing in the order of their scores.
struct MatchRanking {
    struct Entry {
        let candidate: MatchCandidate
        /// The value of `MatchCrowding` at the candidate's place.
        let crowding: Double
        let bits: Double
        let probability: Double
    }

    let noneProbability: Double
    private let sorted: [Entry]
    private let search: CandidateSearch
    private let scorer: MatchScorer

    init(_ candidates: [MatchCandidate], for search: CandidateSearch, _ reader: MatchReader, _ weights: MatchWeights) {
        var frequencies = MatchFrequencies(reader)
        frequencies.count(candidates.lazy.map(\.subject))
        let scorer = MatchScorer(weights: weights, frequencies: frequencies)
        let crowding = MatchCrowding.values(candidates.map(\.subject.coordinate))
        let bits = zip(candidates, crowding).map { candidate, crowding in
            let (lost, found) = search.pair(candidate.subject)
            return scorer.bits(lost, found, distanceMetres: candidate.distance, crowding: crowding)
        }
        let (each, none) = MatchProbability.probabilities(bits: bits, calibration: weights.calibration)
        noneProbability = none
        (self.search, self.scorer) = (search, scorer)
        sorted = candidates.indices
            .map { Entry(candidate: candidates[$0], crowding: crowding[$0], bits: bits[$0], probability: each[$0]) }
            .sorted { ($1.bits, $1.candidate.key) < ($0.bits, $0.candidate.key) }
    }

    var count: Int { sorted.count }

    func entries(after last: MatchCursor?) -> ArraySlice<Entry> {
        guard let last else { return sorted[...] }
        return sorted.drop { ($0.bits, $0.candidate.key) >= (last.bits, last.key) }
    }

    /// Returns the days from the loss to the find.
    func days(_ entry: Entry) -> Int {
        let (lost, found) = search.pair(entry.candidate.subject)
        return found.day - lost.day
    }

    /// Returns the reasons for and against, the strongest first.
    func evidence(_ entry: Entry) -> [Evidence] {
        let (lost, found) = search.pair(entry.candidate.subject)
        return scorer.evidence(lost, found, distanceMetres: entry.candidate.distance, crowding: entry.crowding)
            .sorted { abs($0.bits) > abs($1.bits) }
    }
}

extension CandidateSearch {
    func pair(_ other: MatchSubject) -> (lost: MatchSubject, found: MatchSubject) {
        isLost ? (subject, other) : (other, subject)
    }
}
