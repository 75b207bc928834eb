package import Domain
import Foundation

/// The known facts of an animal that bear on how far it goes.
package struct MissingAnimal: Equatable, Sendable {
    package let species: Species
    /// Nil if the listing does not say so.
    package let isNeutered: Bool?
    /// Whether a cat never goes out.
    package let isIndoor: Bool

    package init(species: Species, isNeutered: Bool? = nil, isIndoor: Bool = false) {
        (self.species, self.isNeutered, self.isIndoor) = (species, isNeutered, isIndoor)
    }

    /// Reads the public texts of a listing.
    package init(_ content: ListingContent) {
        let text =
            " " + [content[.marks], content[.description]].compactMap { $0?.folded }.joined(separator: " ") + " "
        func says(_ phrases: [String]) -> Bool { phrases.contains { text.contains(" " + $0) } }
        let isIntact = says(Self.intact)
        self.init(
            species: content.species,
            isNeutered: isIntact ? false : says(Self.neutered) ? true : nil,
            isIndoor: content.species == .cat && says(Self.indoor)
        )
    }

    /// The beginnings of phrases, folded.
    private static let neutered = ["castrat", "sterilizzat", "neutered", "spayed", "desexed"]
    private static let intact = [
        "non castrat", "non e castrat", "non sterilizzat", "non e sterilizzat", "non ancora castrat",
        "non ancora sterilizzat", "not neutered", "not spayed", "not yet neutered", "not yet spayed", "not desexed",
        "unneutered", "unspayed", "intact male", "intact female", "maschio intero", "femmina intera",
    ]
    private static let indoor = [
        "indoor only", "indoors only", "strictly indoor", "only indoor", "never goes out", "never been out",
        "solo in casa", "sempre in casa", "non esce mai", "mai uscit", "esclusivamente in casa",
    ]
}

extension MissingAnimal {
    /// The distances after `Growth.fullHours`; nil for species of which nothing is known.
    package var distances: DistanceDistribution? {
        switch species {
        case .dog: Self.dogs.scaled(by: isNeutered.map { $0 ? Self.neuteredFactor : Self.intactFactor } ?? 1)
        case .cat: Self.cats(upperQuartile: isIndoor ? Self.indoorCats : Self.cats)
        case .other: nil
        }
    }

    /// Whether the distances are fitted to data, or only follow from published quartiles.
    package var isFitted: Bool { species == .dog }

    /// Fitted so that the distances between two pick-ups of one animal, with its home in between, agree with 271 real
    /// pairs of Long Beach, USA (open data of the city).
    private static let dogs = DistanceDistribution([
        .init(weight: 0.67, median: 168, sigma: 1.83), .init(weight: 0.33, median: 984, sigma: 1.09),
    ])
    /// From the same pairs, about half of them neutered.
    private static let neuteredFactor = 0.85
    private static let intactFactor = 1.2

    /// In metres: three quarters of the cats were found within this distance (Huang et al. 2018,
    /// doi 10.3390/ani8010005).
    private static let cats = 500.0
    private static let indoorCats = 137.0
    /// The spread of cats is not known. That of dogs near home serves as the prior.
    private static let catSigma = 1.83

    private static func cats(upperQuartile: Double) -> DistanceDistribution {
        // The upper quartile of the normal distribution is 0.6745.
        let median = upperQuartile * exp(-0.674_49 * catSigma)
        return DistanceDistribution([.init(weight: 1, median: median, sigma: catSigma)])
    }
}

/// How the distances grow with the hours since the animal was seen. This is a prior: no data at hand contain hours.
///
/// The distances are those of animals that were picked up after a median of about two days (Lord et al. 2007, doi
/// 10.2460/javma.230.2.211). Before that, they grow with the square root of time, as those of a random walk, from a
/// quarter at three hours to the whole at 48.
package enum Growth {
    package static let fullHours = 48.0
    private static let least = 0.25

    package static func factor(hours: Double) -> Double {
        min(1, max(least, (max(0, hours) / fullHours).squareRoot()))
    }
}
