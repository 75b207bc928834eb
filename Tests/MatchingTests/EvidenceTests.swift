import Domain
import Foundation
import Testing

@testable import Matching

@Suite("Evidence of matches")
struct EvidenceTests {
    @Test(
        "Breeds compare by what they share",
        arguments: [
            ("Lab X", "lab x", "same_words"), ("Lab", "Labrador", "same_set"),
            ("Lab X", "Labrador", "same_set_one_mixed"),
            ("Lab X Shep", "Labrador X", "same_first"), ("Shep X Lab", "Labrador", "shares_one"),
            ("Pit Bull", "Amstaff", "variant"), ("Chihuahua", "Pomeranian", "look_alike"),
            ("Lab X", "Chihuahua", "other_mixed"), ("Labrador", "Chihuahua", "other"), ("", "Labrador", "unsaid"),
            ("meticcio", "Labrador", "unsaid"),
        ]
    )
    func breeds(lost: String, found: String, level: String) throws {
        let evidence = try Subjects.evidence(.breed, { $0.breed = lost }, { $0.breed = found })
        #expect(evidence.level == level)
        let reverse = try Subjects.evidence(.breed, { $0.breed = found }, { $0.breed = lost })
        #expect(reverse == evidence, "both sides have the same form")
        switch level {
        case "unsaid": #expect(evidence.bits == 0)
        case "other", "other_mixed", "look_alike": #expect(evidence.bits < 0)
        case "same_words", "same_set", "same_set_one_mixed", "variant": #expect(evidence.bits > 0)
        default: break
        }
    }

    @Test("A rare breed in common weighs more than a frequent one")
    func rarity() throws {
        let rare = try Subjects.evidence(.breed, { $0.breed = "Weimaraner" }, { $0.breed = "Weimaraner" })
        let frequent = try Subjects.evidence(.breed, { $0.breed = "Labrador" }, { $0.breed = "Labrador" })
        #expect(rare.level == frequent.level && rare.bits > frequent.bits + 1)
        var frequencies = MatchFrequencies(Subjects.reader)
        frequencies.count(Array(repeating: try Subjects.found { $0.breed = "Weimaraner" }, count: 1000))
        let counted = MatchScorer(frequencies: frequencies)
        let dog = try Subjects.lost { $0.breed = "Weimaraner" }
        let breed = counted.evidence(dog, dog, distanceMetres: 1).first { $0.kind == .breed }
        #expect(try #require(breed).bits < frequent.bits)
    }

    @Test(
        "Colours compare as sets",
        arguments: [
            ("black & tan", "tan/black", "same_set"), ("black & tan", "black & brown", "nearly_same"),
            ("black", "black with white chest", "differs_in_white"), ("black", "black & grey", "contained_same_first"),
            ("grey", "black & grey", "contained"), ("black & tan", "black & grey", "same_first"),
            ("tan & black", "black & grey", "shares_one"), ("gold", "tan", "close"), ("black", "white", "other"),
            ("", "white", "unsaid"), ("nero", "black", "same_set"),
        ]
    )
    func colours(lost: String, found: String, level: String) throws {
        #expect(try Subjects.evidence(.colour, { $0.colour = lost }, { $0.colour = found }).level == level)
    }

    @Test(
        "Distances have rungs, between which the weight falls steadily",
        arguments: [
            (50, "under_100_m"), (100, "under_200_m"), (1000, "under_1600_m"), (11_999, "under_12_km"),
            (20_000, "over_12_km"),
        ] as [(Double, String)]
    )
    func distances(metres: Double, level: String) throws {
        #expect(try Subjects.evidence(.distance, metres: metres, { _ in }, { _ in }).level == level)
        let nearer = try Subjects.evidence(.distance, metres: metres * 0.9, { _ in }, { _ in })
        let farther = try Subjects.evidence(.distance, metres: metres, { _ in }, { _ in })
        #expect(nearer.bits >= farther.bits && nearer.bits - farther.bits < 1)
    }

    @Test(
        "Days compare from the loss to the find",
        arguments: [
            (-7, "over_3_days_before"), (-2, "2_to_3_days_before"), (-1, "day_before"), (0, "same_day"),
            (1, "next_day"),
            (3, "2_to_3_days_after"), (7, "4_to_7_days_after"), (14, "8_to_14_days_after"), (30, "15_to_30_days_after"),
            (84, "over_30_days_after"), (1_000_000, "over_30_days_after"),
        ]
    )
    func days(gap: Int, level: String) throws {
        #expect(try Subjects.evidence(.days, { _ in }, { $0.day += gap }).level == level)
    }

    @Test("Other kinds compare what both sides say")
    func otherKinds() throws {
        func check(
            _ kind: EvidenceKind,
            _ level: String,
            _ lost: (inout MatchDescription) -> Void,
            _ found: (inout MatchDescription) -> Void,
            line: Int = #line
        ) throws {
            #expect(try Subjects.evidence(kind, lost, found).level == level, "line \(line)")
        }
        try check(.sex, "same", { $0.sex = .male }, { $0.sex = .male })
        try check(.sex, "other", { $0.sex = .male }, { $0.sex = .female })
        try check(.sex, "unsaid", { $0.sex = .male }, { _ in })
        try check(.neutered, "both_say", { $0.description = "Neutered" }, { $0.description = "castrato" })
        try check(.neutered, "lost_says", { $0.description = "Neutered" }, { _ in })
        try check(.neutered, "contradiction", { $0.description = "Neutered" }, { $0.description = "not neutered" })
        try check(.size, "near", { $0.size = .small }, { $0.size = .medium })
        try check(.size, "other", { $0.size = .small }, { $0.size = .large })
        try check(.size, "same", { $0.breed = "Toy Poodle" }, { $0.size = .small })
        try check(.age, "same", { $0.age = "2 years" }, { $0.age = "2" })
        try check(.age, "other", { $0.age = "puppy" }, { $0.age = "anziano" })
        try check(.weight, "fits", { $0.breed = "Lab" }, { ($0.breed, $0.description) = ("Lab", "30 kg") })
        try check(.weight, "build_far_off", { $0.breed = "Chihuahua" }, { $0.breed = "Labrador" })
        try check(.weight, "unsaid", { $0.breed = "Lab" }, { $0.breed = "Lab" })
        try check(.marks, "several_shared", { $0.marks = "cicatrice orecchio" }, { $0.marks = "orecchio: cicatrici" })
        try check(.marks, "one_shared", { $0.collar = "leather" }, { $0.collar = "old leather band" })
        try check(.marks, "none_shared", { $0.collar = "leather" }, { $0.collar = "nylon" })
        try check(.marks, "unsaid", { $0.collar = "leather" }, { _ in })
    }

    @Test("An equal microchip decides, a different one rules out, an unsaid one says nothing")
    func microchips() throws {
        let chip = "380260000000001"
        func bits(_ lost: String?, _ found: String?) throws -> Double {
            try Subjects.evidence(.microchip, { $0.microchip = lost }, { $0.microchip = found }).bits
        }
        #expect(try bits(chip, "380 260 000 000 001") == 20)
        #expect(try bits(chip, "380260000000002") == -20)
        #expect(try bits(chip, nil) == 0 && bits(nil, nil) == 0 && bits("nonsense", chip) == 0)
        // The same digits in chips of different kinds.
        #expect(try bits("123456789", "0123456789") == -20)
    }

    @Test("Breeds of photos count, less than words, where the text names none")
    func photos() throws {
        func bits(_ probability: Double, _ text: String?) throws -> Double {
            try Subjects.evidence(
                .photo,
                {
                    $0.breed = text
                    $0.photoBreeds = [(key: "beagle", probability: probability)]
                },
                { $0.breed = "Beagle" }
            ).bits
        }
        let words = try Subjects.evidence(.breed, { $0.breed = "Beagle" }, { $0.breed = "Beagle" }).bits
        #expect(try bits(0.9, nil) > 0 && bits(0.9, nil) < words / 2)
        #expect(try bits(0.9, nil) > bits(0.3, nil))
        #expect(try bits(0.9, "Boxer") == 0, "the text is believed")
        let unlike = try Subjects.evidence(
            .photo,
            { $0.photoBreeds = [(key: "chihuahua", probability: 0.95)] },
            { $0.breed = "Great Dane" }
        )
        #expect(unlike.level == "against" && unlike.bits < 0)
    }

    @Test("The sum of the evidence is the score")
    func sum() throws {
        let lost = try Subjects.lost { ($0.breed, $0.colour, $0.sex) = ("Lab X", "black", .male) }
        let found = try Subjects.found { ($0.breed, $0.colour, $0.sex, $0.day) = ("Labrador", "black", .male, 20_702) }
        let parts = Subjects.scorer.evidence(lost, found, distanceMetres: 700, crowding: 1)
        let sum = parts.reduce(0) { $0 + $1.bits }
        #expect(abs(sum - Subjects.scorer.bits(lost, found, distanceMetres: 700, crowding: 1)) < 1e-9)
        #expect(sum < Subjects.scorer.bits(lost, found, distanceMetres: 700, crowding: 0))
    }

    @Test("Crowded places have higher values than lonely ones")
    func crowding() throws {
        let crowd = try (0..<20).map { try #require(Coordinate(lon: 14.25 + Double($0) / 10_000, lat: 40.85)) }
        let lonely = try #require(Coordinate(lon: 14.45, lat: 40.95))
        let values = MatchCrowding.values(crowd + [lonely])
        #expect(values.count == 21 && values[0] > values[20] + 3)
        #expect(abs(values.reduce(0, +)) < 1e-9)
        #expect(MatchCrowding.values([]).isEmpty)
        let ends = try [-180.0, 180].map { try #require(Coordinate(lon: $0, lat: 0)) }
        #expect(MatchCrowding.values(ends) == [0, 0])
    }
}
