import Foundation

/// Measures whether the probabilities that pairs of photos show one animal are right.
package struct PhotoCalibration: Sendable {
    /// The mean over all pairs of the difference between probability and share of pairs of one animal in the pair's bin; nil
    /// without pairs of one animal and pairs of two.
    package let error: Double?

    private static let bins = 10
    // A logistic regression on all pairs of photos of the identity set, where pairs of one animal and pairs of two weigh alike: of the
    // cosine and the likeness beyond the breed.
    private static let (intercept, cosine, likeness) = (-16.93, 15.59, 10.00)

    /// - Parameter photos: the animal that each photo shows, and its vector by the model of `PhotoPrototypes`.
    package init(_ photos: [(animal: String, vector: [Int8])]) {
        let prototypes = PhotoPrototypes()
        let known = photos.map { (animal: $0.animal, traits: prototypes.traits(of: [$0.vector])) }
            .filter { $0.traits.count > 0 }
        var pairs: [(odds: Double, isOne: Bool)] = []
        for (index, one) in known.enumerated() {
            for other in known[(index + 1)...] {
                let found = LikenessComparison.pair(one.traits, other.traits)
                let odds = Self.intercept + Self.cosine * found.cosine + Self.likeness * found.likeness
                pairs.append((odds, one.animal == other.animal))
            }
        }
        let share = Double(pairs.count { $0.isOne }) / Double(max(pairs.count, 1))
        guard share > 0, share < 1 else {
            error = nil
            return
        }
        let prior = log(share / (1 - share))
        let judged = pairs.map { (probability: 1 / (1 + exp(-$0.odds - prior)), isOne: $0.isOne) }
        let bins = Dictionary(grouping: judged) { min(Int($0.probability * Double(Self.bins)), Self.bins - 1) }
        error = bins.values.reduce(0) { sum, bin in
            let right = Double(bin.count { $0.isOne })
            return sum + abs(bin.reduce(0) { $0 + $1.probability } - right) / Double(judged.count)
        }
    }
}
