import Foundation

/// Turns the evidence of all candidates of one listing into probabilities that add up to one with that of "none".
package enum MatchProbability {
    /// Fewer candidates count as so many: in the countryside, that the board has few listings does not make it likelier
    /// that the animal is one of them.
    private static let minCandidates = 50

    /// - Parameter bits: the score of each candidate.
    /// - Returns: the probability of each candidate, and the probability that the animal is none of them.
    package static func probabilities(
        bits: [Double],
        calibration: MatchCalibration = .standard
    ) -> (each: [Double], none: Double) {
        guard !bits.isEmpty else { return ([], 1) }
        let noneLogit = noneLogit(count: bits.count, calibration)
        let logits = bits.map { calibration.scale * $0 * M_LN2 }
        let top = max(noneLogit, logits.max() ?? noneLogit)
        let each = logits.map { exp($0 - top) }
        let none = exp(noneLogit - top)
        let sum = each.reduce(none, +)
        return (each.map { $0 / sum }, none / sum)
    }

    /// Whether two candidates are more likely of one animal than of two.
    ///
    /// - Parameters:
    ///   - bits: the score of one as the candidate of the other.
    ///   - count: the number of candidates.
    package static func areLikelyOne(bits: Double, count: Int, calibration: MatchCalibration) -> Bool {
        calibration.scale * bits * M_LN2 >= noneLogit(count: count, calibration)
    }

    /// Among more candidates, each is less likely to be the one.
    private static func noneLogit(count: Int, _ calibration: MatchCalibration) -> Double {
        calibration.none + log(Double(max(minCandidates, count)) / 100)
    }
}

/// How scores become probabilities.
package struct MatchCalibration: Equatable, Sendable {
    /// Below 1, because the kinds of evidence are not independent.
    package var scale: Double
    /// The logit of "none" among 100 candidates.
    package var none: Double

    package init(scale: Double, none: Double) {
        (self.scale, self.none) = (scale, none)
    }

    package static let standard = MatchWeights.standard.calibration
}
