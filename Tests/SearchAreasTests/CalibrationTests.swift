import CSV
import Domain
import Foundation
import RandomSupport
import SearchAreas
import TestSupport
import Testing

@Suite("Calibration of search areas")
struct CalibrationTests {
    @Test("With fewer than 200 reunions, nothing is calibrated")
    func few() {
        #expect(Calibration(distances: Array(repeating: 300, count: 199)) == nil)
        #expect(Calibration(distances: Array(repeating: 300, count: 199) + [.nan]) == nil)
        let cats = (0..<300).map { _ in Calibration.Reunion(MissingAnimal(species: .other), metres: 100) }
        #expect(Calibration(cats) == nil)
    }

    @Test("The factors are the empirical quantiles of the ratios")
    func factors() throws {
        var random = SeededGenerator(seed: 11)
        let same = try #require(Calibration(distances: (0..<2_000).map { _ in SearchAreaTests.distance(&random) }))
        #expect(same.count == 2_000)
        for factor in same.factors { #expect(abs(factor - 1) < 0.25) }
        let far = (0..<2_000).map { _ in 2 * SearchAreaTests.distance(&random) }
        let double = try #require(Calibration(distances: far))
        for factor in double.factors { #expect(abs(factor - 2) < 0.4) }
        let now = Timestamp.now
        let lost = SearchArea.Observation(
            try #require(Coordinate(lon: 14, lat: 40)),
            at: now.adding(seconds: -1e6),
            isCell: false
        )
        let area = try #require(
            SearchArea(of: MissingAnimal(species: .dog), lost: lost, now: now, calibration: double)
        )
        // At least the promised share of the reunions themselves, and hardly more.
        for circle in area.circles {
            let share = Double(far.count { $0 <= circle.radiusMetres }) / Double(far.count)
            #expect(share >= circle.probability && share < circle.probability + 0.01)
        }
    }

    @Test("Wrong places change the radii at most by a factor of four")
    func bounds() throws {
        #expect(try #require(Calibration(distances: Array(repeating: 0, count: 200))).factors == [0.25, 0.25, 0.25])
        let far = try #require(Calibration(distances: Array(repeating: 1e7, count: 200)))
        #expect(far.factors == [4, 4, 4])
    }

    @Test("Reunions after hours are compared with the radii of these hours")
    func hours() throws {
        let reunions = { (hours: Double?) in
            (0..<200).map { Calibration.Reunion(MissingAnimal(species: .dog), metres: 10 * Double($0), hours: hours) }
        }
        let (early, late) = (try #require(Calibration(reunions(12))), try #require(Calibration(reunions(nil))))
        for (early, late) in zip(early.factors, late.factors) { #expect(abs(early / late - 2) < 0.01 || early == 4) }
    }
}

/// Two places where one dog was picked up, with its home in between.
private struct Pair {
    let isNeutered: Bool?
    let metres: Double

    static let file = SharedData.url("reunion/forecast/strays.csv")

    static func read() throws -> [Pair] {
        var reader = try CSVReader(try Data(contentsOf: file))
        var pairs: [Pair] = []
        while let row = try reader.next() {
            guard row["species"] == "dog", let sex = row["sex"] else { continue }
            let isNeutered = ["Neutered": true, "Spayed": true, "Male": false, "Female": false][sex]
            pairs.append(Pair(isNeutered: isNeutered, metres: try #require(row["metres"].flatMap(Double.init))))
        }
        return pairs
    }
}

@Suite(
    "Search areas on real pairs",
    .enabled(if: FileManager.default.fileExists(atPath: Pair.file.path), "needs ../shared/data/reunion")
)
struct RealPairsTests {
    /// The distances between two draws around one home, in ascending order.
    private static let apart: [Double] = {
        var random = SeededGenerator(seed: 3)
        return (0..<200_000).map { _ in
            let (first, second) = (SearchAreaTests.distance(&random), SearchAreaTests.distance(&random))
            let angle = Double.random(in: 0..<2 * .pi, using: &random)
            return hypot(first - second * cos(angle), second * sin(angle))
        }.sorted()
    }()

    /// A row is the distance between two pick-ups, hence between two draws: the share of rows within the quantile of two
    /// draws is the share of animals within the radius of one.
    @Test("The circles hold 50, 75 and 95 % of the dogs, within 5 points")
    func coverage() throws {
        let pairs = try Pair.read()
        #expect(pairs.count == 141)
        let plain = try #require(MissingAnimal(species: .dog).distances)
        for share in SearchArea.shares {
            let radius = Self.apart[Int(Double(Self.apart.count) * share)]
            let held = try pairs.count { pair in
                let own = try #require(MissingAnimal(species: .dog, isNeutered: pair.isNeutered).distances)
                return pair.metres <= radius * own.radius(holding: 0.5) / plain.radius(holding: 0.5)
            }
            let coverage = Double(held) / Double(pairs.count)
            print("\(Int(100 * share)) % circle holds \((1000 * coverage).rounded() / 10) % of \(pairs.count) dogs")
            #expect(abs(coverage - share) <= 0.05)
        }
    }

    /// Takes the scale of the distances from four fifths of the rows, and checks the circles on the others.
    @Test("Cross-validated, circles of the fitted scale hold 50, 75 and 95 %, within 5 points")
    func crossValidated() throws {
        var random = SeededGenerator(seed: 5)
        let pairs = try Pair.read()
        let (folds, rounds) = (5, 20)
        var held = SearchArea.shares.map { _ in 0 }
        for _ in 0..<rounds {
            let shuffled = pairs.map(\.metres).shuffled(using: &random)
            for fold in 0..<folds {
                let known = shuffled.enumerated().filter { $0.offset % folds != fold }.map(\.element)
                let others = shuffled.enumerated().filter { $0.offset % folds == fold }.map(\.element)
                let scale = Self.scale(of: known)
                for (index, share) in SearchArea.shares.enumerated() {
                    let radius = scale * Self.apart[Int(Double(Self.apart.count) * share)]
                    held[index] += others.count { $0 <= radius }
                }
            }
        }
        for (share, held) in zip(SearchArea.shares, held) {
            let coverage = Double(held) / Double(rounds * pairs.count)
            print("\(Int(100 * share)) % circle, cross-validated: \((1000 * coverage).rounded() / 10) %")
            #expect(abs(coverage - share) <= 0.05)
        }
    }

    /// The mean ratio of the quartiles of some distances to those of the model.
    private static func scale(of distances: [Double]) -> Double {
        let sorted = distances.sorted()
        let ratios = [0.5, 0.75].map { share in
            sorted[Int(Double(sorted.count) * share)] / apart[Int(Double(apart.count) * share)]
        }
        return (ratios[0] * ratios[1]).squareRoot()
    }
}
