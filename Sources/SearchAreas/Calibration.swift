import Domain
import Foundation

/// Factors of the radii that make them hold the promised shares of a service's own reunions (split conformal
/// prediction): the k-th smallest ratio of distance and radius, with k = (n + 1) p rounded up.
package struct Calibration: Equatable, Sendable {
    /// The number of reunions below which a service does not calibrate.
    package static let minReunions = 200
    /// Places of reunions are often typed, and then wrong by kilometres or not at all.
    private static let bounds = 0.25...4.0

    /// The number of reunions.
    package let count: Int
    /// For each of `SearchArea.shares`.
    package let factors: [Double]

    /// The distance in metres between the places where an animal was lost and found.
    package struct Reunion: Equatable, Sendable {
        package let animal: MissingAnimal
        package let metres: Double
        /// The hours between loss and find; nil if they are not known, which counts as days.
        package let hours: Double?

        package init(_ animal: MissingAnimal, metres: Double, hours: Double? = nil) {
            (self.animal, self.metres, self.hours) = (animal, metres, hours)
        }
    }

    /// Returns nil if there are too few reunions. All of them must be of one species.
    package init?(_ reunions: [Reunion]) {
        let known = reunions.compactMap { reunion in
            reunion.animal.distances.map {
                (reunion.metres, $0.scaled(by: Growth.factor(hours: reunion.hours ?? Growth.fullHours)))
            }
        }.filter { $0.0.isFinite && $0.0 >= 0 }
        guard known.count >= Self.minReunions else { return nil }
        count = known.count
        var factors: [Double] = []
        for share in SearchArea.shares {
            let ratios = known.map { metres, distances in metres / distances.radius(holding: share) }.sorted()
            let rank = min(ratios.count, Int((Double(ratios.count + 1) * share).rounded(.up)))
            let factor = ratios[rank - 1]
            factors.append(min(Self.bounds.upperBound, max(Self.bounds.lowerBound, factor)))
        }
        self.factors = factors
    }

    /// The same for dogs of which only the distances in metres are known.
    package init?(distances: [Double]) {
        self.init(distances.map { Reunion(MissingAnimal(species: .dog), metres: $0) })
    }
}
