import Domain
import Foundation
import Testing

@testable import Matching

@Suite("Weights of matches")
struct WeightTests {
    @Test("A table that is written is read again")
    func roundTrip() throws {
        #expect(try MatchWeights(tsv: MatchWeights.standard.tsv) == .standard)
    }

    @Test("The breeds of all tables are in the breed table")
    func keys() {
        let known = Set(Subjects.breeds.all.map(\.key))
        for row in Bundle.module.table("breed-kin").rows {
            for key in row[1].split(separator: " ") { #expect(known.contains(String(key)), "\(key)") }
        }
        for row in Bundle.module.table("breed-weights").rows { #expect(known.contains(String(row[0]))) }
    }

    @Test(
        "Mistakes in tables are told",
        arguments: [
            ("breed\tsame_words\tmuch", "line 2: expected kind, level and a number"),
            ("breed\tsame_words\t1000", "line 2: expected kind, level and a number"),
            ("breed\tblue\t1", "line 2: breed has no level blue"), ("hat\tblue\t1", "line 2: hat has no level blue"),
            ("breed\tsame_words\t1", "is missing"),
        ]
    )
    func mistakes(row: String, message: String) {
        let error = #expect(throws: MatchWeights.TableError.self) {
            try MatchWeights(tsv: "kind\tlevel\tbits\n\(row)\n")
        }
        #expect(error?.description.contains(message) == true)
    }

    @Test("Counted pairs move the weights, more the more there are; without pairs they stay")
    func counting() throws {
        let frequencies = MatchFrequencies(Subjects.reader)
        let male = try Subjects.lost { $0.sex = .male }
        let other = try Subjects.found { $0.sex = .female }
        let same = try Subjects.found { $0.sex = .male }
        func weight(afterPairs count: Int) -> Double? {
            var counter = MatchWeightCounter(frequencies: frequencies)
            for _ in 0..<count {
                counter.add(male, other, distanceMetres: 500, areSame: true)
                counter.add(male, other, distanceMetres: 500, areSame: false)
                counter.add(male, same, distanceMetres: 500, areSame: false)
            }
            return counter.weights[.sex, "other"]
        }
        #expect(weight(afterPairs: 0) == MatchWeights.standard[.sex, "other"])
        let (few, many) = try (#require(weight(afterPairs: 10)), #require(weight(afterPairs: 2000)))
        // Here all pairs of one animal differ in sex and half of the others do.
        #expect(few > -4.9 && few < many && abs(many - 1) < 0.1)
    }

    @Test("Counting leaves kinds alone that no data tell")
    func handSet() throws {
        var counter = MatchWeightCounter(strength: 1, frequencies: MatchFrequencies(Subjects.reader))
        let (lost, found) = try (Subjects.lost { $0.microchip = "380260000000001" }, Subjects.found())
        for _ in 0..<50 {
            counter.add(lost, found, distanceMetres: 100, areSame: true)
            counter.add(lost, found, distanceMetres: 9000, areSame: false)
        }
        #expect(counter.weights[.microchip, "equal"] == 20 && counter.weights[.breed, "unsaid"] == 0)
        #expect(
            try #require(counter.weights[.distance, "under_200_m"]) > #require(
                counter.weights[.distance, "under_12_km"]
            )
        )
        #expect(counter.counts == (50, 50))
    }
}
