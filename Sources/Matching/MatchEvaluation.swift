import Domain
import Foundation

/// Measures ranking and probabilities on listings of which it is known who belongs to whom.
package struct MatchEvaluation: Sendable {
    package struct Entry: Sendable {
        package let reference: String
        package let subject: MatchSubject
        /// The text of the age, which ASM3 compares.
        package let age: String

        package init(reference: String, subject: MatchSubject, age: String) {
            (self.reference, self.subject, self.age) = (reference, subject, age)
        }
    }

    /// How well a ranking finds the right listing. Shares are between 0 and 1, of all found listings that have one.
    package struct Ranking: Equatable, Sendable {
        package var first = 0.0
        package var top5 = 0.0
        /// The mean rank of the right listings; those that are no candidates are left out.
        package var meanRank = 0.0
    }

    /// The result of telling owners of all pairs of at least this probability.
    package struct Alert: Equatable, Sendable {
        package let threshold: Double
        package var count = 0
        package var right = 0
        /// The found listings whose owner is told.
        package var reached = 0
    }

    package static let thresholds = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8]

    package let found: Int
    package let lost: Int
    /// The found listings that have a right one.
    package let linked: Int
    package private(set) var pairs = 0
    package private(set) var ranking = Ranking()
    package private(set) var asm3 = Ranking()
    /// The mean difference between the probability that is said and the share that is right: of the first answers, and of
    /// all pairs that are said to be 5 % or likelier.
    package private(set) var calibrationError = 0.0
    package private(set) var likelyCalibrationError = 0.0
    package private(set) var alerts = thresholds.map { Alert(threshold: $0) }

    /// - Parameter truth: the references of the right lost listings for each found one.
    package init(
        lost: [Entry],
        found: [Entry],
        truth: [String: Set<String>],
        scorer: MatchScorer,
        calibration: MatchCalibration,
        progress: (Int) -> Void = { _ in }
    ) {
        (self.lost, self.found) = (lost.count, found.count)
        linked = found.count { truth[$0.reference] != nil }
        let index = CandidateIndex(lost.map(\.subject))
        var (ours, others) = (RankTally(), RankTally())
        var (firsts, likely) = (CalibrationBins(20), CalibrationBins(10))
        for (number, entry) in found.enumerated() {
            let candidates = index.candidates(of: entry.subject)
            let right = truth[entry.reference] ?? []
            let areRight = candidates.map { right.contains(lost[$0.index].reference) }
            let crowding = MatchCrowding.values(candidates.map { lost[$0.index].subject.coordinate })
            let bits = zip(candidates, crowding).map { candidate, crowd in
                scorer.bits(
                    lost[candidate.index].subject,
                    entry.subject,
                    distanceMetres: candidate.metres,
                    crowding: crowd
                )
            }
            pairs += bits.count
            let probabilities = MatchProbability.probabilities(bits: bits, calibration: calibration).each
            if !right.isEmpty {
                ours.add(bits, areRight)
                others.add(candidates.map { ASM3.points(lost[$0.index], entry) }, areRight)
            }
            note(probabilities, areRight, &firsts, &likely)
            if number.isMultiple(of: 100) { progress(number) }
        }
        (ranking, asm3) = (ours.ranking, others.ranking)
        (calibrationError, likelyCalibrationError) = (firsts.error, likely.error)
    }

    private mutating func note(
        _ probabilities: [Double],
        _ areRight: [Bool],
        _ firsts: inout CalibrationBins,
        _ likely: inout CalibrationBins
    ) {
        let best = probabilities.indices.max { probabilities[$0] < probabilities[$1] }
        firsts.add(best.map { probabilities[$0] } ?? 0, best.map { areRight[$0] } ?? false)
        for (probability, isRight) in zip(probabilities, areRight) where probability >= 0.05 {
            likely.add(probability, isRight)
        }
        for index in alerts.indices {
            var isReached = false
            for (probability, isRight) in zip(probabilities, areRight) where probability >= alerts[index].threshold {
                alerts[index].count += 1
                if isRight { alerts[index].right += 1 }
                isReached = isReached || isRight
            }
            if isReached { alerts[index].reached += 1 }
        }
    }
}

/// Finds the lost listings that a found one may belong to.
package struct CandidateIndex: Sendable {
    /// In metres.
    package static let reach = 25_000.0
    /// The days from the loss to the find: people mistake the day, so a find may come before.
    package static let days = -7...84
    private static let metresPerDegree = 110_574.0

    private struct Cell: Hashable, Sendable {
        let east: Int
        let north: Int
    }

    private let lost: [MatchSubject]
    private let cells: [Cell: [Int]]

    package init(_ lost: [MatchSubject]) {
        self.lost = lost
        cells = Dictionary(grouping: lost.indices) { Self.cell(lost[$0].coordinate) }
    }

    package func candidates(of found: MatchSubject) -> [(index: Int, metres: Double)] {
        let scale = 111_320 * max(0.01, cos(found.coordinate.lat * .pi / 180))
        let centre = Self.cell(found.coordinate)
        // Degrees of longitude are shorter to the north.
        let width = min(720, Int((Self.reach / scale * 4).rounded(.up)))
        var candidates: [(index: Int, metres: Double)] = []
        for north in -1...1 {
            for east in -width...width {
                for index in cells[Cell(east: centre.east + east, north: centre.north + north)] ?? [] {
                    let other = lost[index]
                    guard other.species == found.species, Self.days.contains(found.day - other.day) else { continue }
                    let x = (found.coordinate.lon - other.coordinate.lon) * scale
                    let y = (found.coordinate.lat - other.coordinate.lat) * Self.metresPerDegree
                    let metres = (x * x + y * y).squareRoot()
                    if metres <= Self.reach { candidates.append((index, metres)) }
                }
            }
        }
        return candidates
    }

    private static func cell(_ place: Coordinate) -> Cell {
        Cell(east: Int((place.lon * 4).rounded(.down)), north: Int((place.lat * 4).rounded(.down)))
    }
}

/// The points by which Animal Shelter Manager 3 compares lost and found animals (`src/asm3/lostfound.py`, 2026), for
/// comparison. A postcode is taken to be 1.4 km wide.
enum ASM3 {
    static func points(_ lost: MatchEvaluation.Entry, _ found: MatchEvaluation.Entry) -> Double {
        let (left, right) = (lost.subject, found.subject)
        func area(_ place: Coordinate) -> [Int] { [Int(place.lat * 80), Int(place.lon * 60)] }
        // The species, and the area and the features as they are written: blank equals blank.
        return 15
            + [
                left.breeds[0] == right.breeds[0], lost.age == found.age, left.sex == right.sex,
                area(left.coordinate) == area(right.coordinate), left.firstColour == right.firstColour,
                right.day - left.day <= 14,
            ].reduce(0.0) { $0 + ($1 ? 5 : 0) }
    }
}

/// Counts ranks. Listings of the same score are in random order, of which the mean is taken.
private struct RankTally {
    private var linked = 0
    private var ranked = 0
    private var sums = MatchEvaluation.Ranking()

    mutating func add(_ scores: [Double], _ areRight: [Bool]) {
        linked += 1
        guard let best = zip(scores, areRight).filter(\.1).map(\.0).max() else { return }
        ranked += 1
        let before = scores.count { $0 > best + 1e-9 }
        let ties = zip(scores, areRight).filter { abs($0.0 - best) <= 1e-9 }
        let right = ties.count(where: \.1)
        sums.meanRank += Double(before) + Double(ties.count + 1) / Double(right + 1)
        sums.first += Self.chance(1 - before, ties.count, right)
        sums.top5 += Self.chance(5 - before, ties.count, right)
    }

    /// The chance that one of the right ones is among the first places of those with equal scores.
    private static func chance(_ places: Int, _ ties: Int, _ right: Int) -> Double {
        guard places > 0 else { return 0 }
        return 1
            - (0..<min(places, ties)).reduce(1.0) { miss, place in
                miss * Double(max(0, ties - right - place)) / Double(ties - place)
            }
    }

    var ranking: MatchEvaluation.Ranking {
        let count = Double(max(1, linked))
        return .init(
            first: sums.first / count,
            top5: sums.top5 / count,
            meanRank: sums.meanRank / Double(max(1, ranked))
        )
    }
}

private struct CalibrationBins {
    private var sums: [Double]
    private var right: [Double]
    private var count = 0

    init(_ bins: Int) {
        sums = Array(repeating: 0, count: bins)
        right = sums
    }

    mutating func add(_ probability: Double, _ isRight: Bool) {
        let bin = min(Int(probability * Double(sums.count)), sums.count - 1)
        sums[bin] += probability
        right[bin] += isRight ? 1 : 0
        count += 1
    }

    var error: Double { zip(sums, right).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(max(1, count)) }
}

extension MatchEvaluation {
    /// Counts weights from all pairs of candidates.
    package static func countedWeights(
        lost: [Entry],
        found: [Entry],
        truth: [String: Set<String>],
        prior: MatchWeights,
        frequencies: MatchFrequencies
    ) -> MatchWeights {
        var counter = MatchWeightCounter(prior: prior, frequencies: frequencies)
        let index = CandidateIndex(lost.map(\.subject))
        for entry in found {
            let right = truth[entry.reference] ?? []
            for candidate in index.candidates(of: entry.subject) {
                counter.add(
                    lost[candidate.index].subject,
                    entry.subject,
                    distanceMetres: candidate.metres,
                    areSame: right.contains(lost[candidate.index].reference)
                )
            }
        }
        return counter.weights
    }
}
