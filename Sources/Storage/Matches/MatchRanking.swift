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
    private let candidates: [MatchCandidate]
    private let crowding: [Double]
    private let bits: [Double]
    private let probabilities: [Double]
    /// Positions in `candidates`, which are too large to be moved by a sort.
    private let order: [Int]
    private let search: CandidateSearch
    private let scorer: MatchScorer

    init(
        _ candidates: [MatchCandidate],
        for search: CandidateSearch,
        _ reader: MatchReader,
        _ weights: MatchWeights
    ) {
        var frequencies = MatchFrequencies(reader)
        frequencies.count(candidates.indices.map { candidates[$0].subject.firstBreed })
        let scorer = MatchScorer(weights: weights, frequencies: frequencies)
        let crowding = MatchCrowding.values(candidates.indices.map { candidates[$0].subject.coordinate })
        let bits = candidates.indices.map { index in
            let (lost, found) = search.pair(candidates[index].subject)
            let distance = candidates[index].distance
            return scorer.bits(lost, found, distanceMetres: distance, crowding: crowding[index])
        }
        (probabilities, noneProbability) = MatchProbability.probabilities(bits: bits, calibration: weights.calibration)
        order = candidates.indices.sorted { (bits[$1], candidates[$1].key) < (bits[$0], candidates[$0].key) }
        (self.candidates, self.crowding, self.bits) = (candidates, crowding, bits)
        (self.search, self.scorer) = (search, scorer)
    }

    var count: Int { candidates.count }

    func entries(after last: MatchCursor?) -> some Sequence<Entry> {
        let rest = order.drop { index in
            last.map { (bits[index], candidates[index].key) >= ($0.bits, $0.key) } ?? false
        }
        return rest.lazy.map { index in
            Entry(
                candidate: candidates[index],
                crowding: crowding[index],
                bits: bits[index],
                probability: probabilities[index]
            )
        }
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
