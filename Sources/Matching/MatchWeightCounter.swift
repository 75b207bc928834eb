import Foundation

/// Counts weights from pairs of listings of which it is known whether they are of one animal.
package struct MatchWeightCounter: Sendable {
    /// Fewer pairs of one animal are not enough to replace weights.
    package static let minPairs = 200
    /// Weights below this are not believed: no count of a few hundred pairs can tell them.
    private static let floor = -5.0
    /// As a rule only one fact is said, that an animal is neutered; whether it is said depends on the writer.
    private static let neuteredShare = 0.5

    private let prior: MatchWeights
    private let strength: Double
    private let scorer: MatchScorer
    private var same: [Double]
    private var other: [Double]
    private var rarities = (sum: 0.0, count: 0.0)

    /// - Parameters:
    ///   - prior: the weights to begin with.
    ///   - strength: the number of pairs that the prior weights count as.
    package init(prior: MatchWeights = .standard, strength: Double = 100, frequencies: MatchFrequencies) {
        (self.prior, self.strength) = (prior, strength)
        scorer = MatchScorer(weights: prior, frequencies: frequencies)
        same = Array(repeating: 0, count: prior.bits.count)
        other = same
        self.frequencies = frequencies
    }

    private let frequencies: MatchFrequencies

    /// The number of pairs of one animal and of two.
    package private(set) var counts = (same: 0, other: 0)

    package mutating func add(_ lost: MatchSubject, _ found: MatchSubject, distanceMetres: Double, areSame: Bool) {
        scorer.forEachLevel(lost, found, distanceMetres) { position in
            if areSame { same[position] += 1 } else { other[position] += 1 }
        }
        if areSame { counts.same += 1 } else { counts.other += 1 }
        let breeds = BreedComparison(lost, found, rarity: frequencies.rarity)
        if !areSame, breeds.isShared {
            rarities.sum += Double(breeds.rarity)
            rarities.count += 1
        }
    }

    /// The weights with what was counted. Without pairs they are the prior ones.
    package var weights: MatchWeights {
        var weights = prior
        guard counts.same > 0, counts.other > 0 else { return weights }
        for kind in EvidenceKind.allCases {
            for group in MatchLevels.groups(kind) { count(kind, group, &weights) }
        }
        if rarities.count > 1000 { weights.usualRarity = rarities.sum / rarities.count }
        return weights
    }

    private func count(_ kind: EvidenceKind, _ group: Range<Int>, _ weights: inout MatchWeights) {
        let start = MatchLevels.starts[MatchLevels.index(kind)]
        let levels = group.map { start + $0 }
        let pairs = levels.reduce(0) { $0 + same[$1] }
        let chances = shares(levels.map { other[$0] + 0.5 })
        guard pairs > 0 else { return }
        let share = kind == .neutered ? Self.neuteredShare : 1
        let expected = shares(zip(levels, chances).map { exp2(prior.bits[$0] / share) * $1 })
        for (index, level) in levels.enumerated() {
            let found = (same[level] + strength * expected[index]) / (pairs + strength)
            weights.bits[level] = max(Self.floor, share * log2(found / chances[index]))
        }
    }

    private func shares(_ counts: [Double]) -> [Double] {
        let sum = counts.reduce(0, +)
        return counts.map { $0 / sum }
    }
}

extension MatchScorer {
    /// Calls with the position of each result in a table of weights.
    func forEachLevel(_ lost: MatchSubject, _ found: MatchSubject, _ metres: Double, _ body: (Int) -> Void) {
        compare(lost, found, metres, 0) { kind, level, _ in
            body(MatchLevels.starts[MatchLevels.index(kind)] + level)
        }
    }
}
