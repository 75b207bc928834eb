import Domain
import Foundation
import Testing

@testable import SearchAreas

@Suite("Distances of missing animals")
struct DistanceDistributionTests {
    private static let animals = [
        MissingAnimal(species: .dog), MissingAnimal(species: .dog, isNeutered: true),
        MissingAnimal(species: .dog, isNeutered: false), MissingAnimal(species: .cat),
        MissingAnimal(species: .cat, isIndoor: true),
    ]

    @Test("A single log-normal distribution has the known quantiles")
    func single() {
        let one = DistanceDistribution([.init(weight: 1, median: 100, sigma: 1.5)])
        #expect(abs(one.radius(holding: 0.5) / 100 - 1) < 0.001)
        #expect(abs(one.radius(holding: 0.75) / (100 * exp(0.674_490 * 1.5)) - 1) < 0.001)
        #expect(abs(one.radius(holding: 0.95) / (100 * exp(1.644_854 * 1.5)) - 1) < 0.001)
        #expect(abs(one.share(within: 100) - 0.5) < 1e-12 && one.share(within: 0) == 0)
    }

    @Test("The solved radii of dogs are those of the analytic mixture (computed with SciPy)")
    func mixture() throws {
        let dogs = try #require(Self.animals[0].distances)
        for (share, radius) in [(0.5, 356.685), (0.75, 1_119.250), (0.95, 4_571.301)] {
            #expect(abs(dogs.radius(holding: share) / radius - 1) < 0.001)
            #expect(abs(dogs.share(within: radius) - share) < 0.000_01)
        }
    }

    @Test("Larger shares have larger radii, and larger radii larger shares")
    func monotone() throws {
        for animal in Self.animals {
            let distances = try #require(animal.distances)
            let radii = (1...999).map { distances.radius(holding: Double($0) / 1_000) }
            #expect(zip(radii, radii.dropFirst()).allSatisfy { $0 < $1 })
            let densities = (0...400).map { distances.density(at: exp(Double($0) / 25)) }
            #expect(zip(densities, densities.dropFirst()).allSatisfy { $0 > $1 }, "\(animal)")
            let shares = (0...400).map { distances.share(within: exp(Double($0) / 25)) }
            #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test("Neutered dogs stay nearer, cats nearer than dogs, and indoor cats nearest")
    func traits() throws {
        let upper = try Self.animals.map { try #require($0.distances).radius(holding: 0.75) }
        #expect(abs(upper[1] / upper[0] - 0.85) < 0.001 && abs(upper[2] / upper[0] - 1.2) < 0.001)
        #expect(abs(upper[3] - 500) < 0.5 && abs(upper[4] - 137) < 0.2)
        #expect(MissingAnimal(species: .other).distances == nil)
    }

    @Test("Distances grow with the hours, up to a bound")
    func growth() {
        let factors = (0...100).map { Growth.factor(hours: Double($0)) }
        #expect(zip(factors, factors.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(factors[0] == 0.25 && factors[12] == 0.5 && factors[48] == 1 && factors[100] == 1)
        #expect(Growth.factor(hours: -5) == 0.25)
    }

    @Test(
        "Listings say whether an animal is neutered or stays indoors",
        arguments: [
            ("Sterilizzata, timida", true, false), ("non sterilizzata", false, false), ("He is neutered.", true, false),
            ("not yet neutered", false, false), ("Collare rosso", nil, false),
            ("Maschio, non è castrato", false, false),
            ("Vive solo in casa", nil, true), ("Indoor-only cat, spayed", true, true), ("Micio castrato", true, false),
        ] as [(String, Bool?, Bool)]
    )
    func texts(text: String, isNeutered: Bool?, isIndoor: Bool) throws {
        var content = ListingContent()
        content[.description] = text
        content.species = .cat
        #expect(
            MissingAnimal(content) == MissingAnimal(species: .cat, isNeutered: isNeutered, isIndoor: isIndoor)
        )
        content.species = .dog
        #expect(!MissingAnimal(content).isIndoor)
    }
}
