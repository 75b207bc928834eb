import Foundation

/// Weighs what speaks for and against one animal being in two listings.
///
/// Fellegi and Sunter's sum of logarithms: each kind of evidence has the weight that its result has among listings of
/// one animal compared with listings of two.
package struct MatchScorer: Sendable {
    private let weights: MatchWeights
    private let frequencies: MatchFrequencies
    private let comparesDays: Bool
    private let distance: DistanceCurve
    private let days: DayCurve
    /// The weights of each kind.
    private let breed, colour, sex, neutered, size, age, weight, marks, microchip: [Double]

    /// - Parameter comparesDays: whether the days of both subjects are known.
    package init(weights: MatchWeights = .standard, frequencies: MatchFrequencies, comparesDays: Bool = true) {
        (self.weights, self.frequencies, self.comparesDays) = (weights, frequencies, comparesDays)
        func table(_ kind: EvidenceKind) -> [Double] {
            MatchLevels.names(kind).indices.map { weights[kind, $0] }
        }
        distance = DistanceCurve(table(.distance))
        days = DayCurve(table(.days))
        (breed, colour, sex) = (table(.breed), table(.colour), table(.sex))
        (neutered, size, age) = (table(.neutered), table(.size), table(.age))
        (weight, marks, microchip) = (table(.weight), table(.marks), table(.microchip))
    }

    /// Returns one entry for each kind that is compared, in the order of `EvidenceKind`.
    ///
    /// - Parameter crowding: the value of `MatchCrowding` for the candidate.
    package func evidence(
        _ lost: MatchSubject,
        _ found: MatchSubject,
        distanceMetres: Double,
        crowding: Double = 0
    ) -> [Evidence] {
        var evidence: [Evidence] = []
        compare(lost, found, distanceMetres, crowding) { kind, level, bits in
            evidence.append(Evidence(kind: kind, level: MatchLevels.names(kind)[level], bits: bits))
        }
        return evidence
    }

    /// The sum of the bits of `evidence`.
    package func bits(
        _ lost: MatchSubject,
        _ found: MatchSubject,
        distanceMetres: Double,
        crowding: Double = 0
    ) -> Double {
        var sum = 0.0
        compare(lost, found, distanceMetres, crowding) { _, _, bits in sum += bits }
        return sum
    }

    @inline(__always)
    func compare(
        _ lost: MatchSubject,
        _ found: MatchSubject,
        _ metres: Double,
        _ crowding: Double,
        _ body: (EvidenceKind, Int, Double) -> Void
    ) {
        body(.distance, DistanceCurve.level(metres), distance.bits(metres) - weights.crowding * crowding)
        if comparesDays {
            let gap = found.day - lost.day
            body(.days, DayCurve.level(gap), days.bits(gap))
        }
        let breeds = BreedComparison(lost, found, rarity: frequencies.rarity)
        body(.breed, breeds.level, breed[breeds.level] + rarityBits(breeds))
        let coat = Comparison.colours(lost, found)
        body(.colour, coat, colour[coat])
        let sexes = Comparison.sexes(lost, found)
        body(.sex, sexes, sex[sexes])
        let neutering = Comparison.neutering(lost, found)
        body(.neutered, neutering, neutered[neutering])
        let sizes = Comparison.sizes(lost, found)
        body(.size, sizes, size[sizes])
        let ages = Comparison.ages(lost, found)
        body(.age, ages, age[ages])
        let build = Comparison.weights(lost, found, breedLevel: breeds.level)
        body(.weight, build, weight[build])
        let mark = Comparison.marks(lost, found)
        body(.marks, mark, marks[mark])
        let chip = Comparison.microchips(lost, found)
        body(.microchip, chip, microchip[chip])
        let photo = PhotoComparison(lost, found, breed)
        body(.photo, photo.level, photo.bits)
        let likeness = LikenessComparison(lost, found)
        body(.likeness, likeness.level, likeness.bits)
    }

    private func rarityBits(_ breeds: BreedComparison) -> Double {
        breeds.isShared ? weights.rarity * (Double(breeds.rarity) - weights.usualRarity) : 0
    }
}
