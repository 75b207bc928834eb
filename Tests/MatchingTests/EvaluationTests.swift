import Domain
import Testing

@testable import Matching

@Suite("Evaluation of matches")
struct EvaluationTests {
    private func entry(_ reference: String, _ subject: MatchSubject) -> MatchEvaluation.Entry {
        .init(reference: reference, subject: subject, age: "")
    }

    private func evaluate(
        _ lost: [MatchEvaluation.Entry],
        _ found: [MatchEvaluation.Entry],
        _ truth: [String: Set<String>]
    ) -> MatchEvaluation {
        MatchEvaluation(
            lost: lost,
            found: found,
            truth: truth,
            scorer: Subjects.scorer,
            calibration: MatchWeights.standard.calibration
        )
    }

    @Test("Candidates are of the species, within 25 km, lost at most 84 days before and 7 days after")
    func candidates() throws {
        func place(_ lat: Double) throws -> Coordinate { try #require(Coordinate(lon: 14.25, lat: lat)) }
        let near = try place(41.07)
        let far = try place(41.08)
        let lost = try [
            Subjects.lost(), Subjects.lost { $0.coordinate = near }, Subjects.lost { $0.coordinate = far },
            Subjects.lost { $0.species = .cat }, Subjects.lost { $0.day -= 84 }, Subjects.lost { $0.day -= 85 },
            Subjects.lost { $0.day += 7 }, Subjects.lost { $0.day += 8 },
        ]
        let found = CandidateIndex(lost).candidates(of: try Subjects.found())
        #expect(found.map(\.index).sorted() == [0, 1, 4, 6])
        let metres = try #require(found.first { $0.index == 1 }).metres
        #expect(abs(metres - 24_326) < 10)
    }

    @Test("Equal scores share the ranks, and a right listing that is no candidate counts as missed")
    func ties() throws {
        let twins = try (0..<10).map { entry("L\($0)", try Subjects.lost { $0.breed = "Boxer" }) }
        let found = entry("F1", try Subjects.found { $0.breed = "Boxer" })
        let equal = evaluate(twins, [found], ["F1": ["L3"]])
        #expect(abs(equal.ranking.first - 0.1) < 1e-9 && abs(equal.ranking.top5 - 0.5) < 1e-9)
        #expect(equal.ranking.meanRank == 5.5 && equal.pairs == 10)
        let missed = evaluate(twins, [found], ["F1": ["elsewhere"]])
        #expect(missed.linked == 1 && missed.ranking.first == 0 && missed.ranking.top5 == 0)
        let none = evaluate(twins, [found], [:])
        #expect(none.linked == 0 && none.ranking.first == 0)
    }

    @Test("The calibration error is the difference between what is said and what is right")
    func calibration() throws {
        let chip = "380260000000001"
        let lost = entry("L1", try Subjects.lost { $0.microchip = chip })
        let found = entry("F1", try Subjects.found { $0.microchip = chip })
        let right = evaluate([lost], [found], ["F1": ["L1"]])
        let wrong = evaluate([lost], [found], [:])
        #expect(right.calibrationError < 0.01 && right.likelyCalibrationError < 0.01)
        #expect(wrong.calibrationError > 0.99 && wrong.likelyCalibrationError > 0.99)
        #expect(right.alerts.allSatisfy { $0.count == 1 && $0.right == 1 && $0.reached == 1 })
        #expect(wrong.alerts.allSatisfy { $0.count == 1 && $0.right == 0 && $0.reached == 0 })
    }

    @Test("The points of ASM3 are those of its source")
    func points() throws {
        let equal = try (entry("L", Subjects.lost()), entry("F", Subjects.found()))
        // The most without a microchip: blank equals blank there.
        #expect(ASM3.points(equal.0, equal.1) == 45)
        let other = entry(
            "F",
            try Subjects.found { ($0.breed, $0.colour, $0.sex, $0.day) = ("Boxer", "white", .male, $0.day + 15) }
        )
        #expect(ASM3.points(equal.0, other) == 25)
    }
}
