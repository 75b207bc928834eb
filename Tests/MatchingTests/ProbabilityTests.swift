import Testing

@testable import Matching

@Suite("Probabilities of matches")
struct ProbabilityTests {
    @Test(
        "Probabilities add up to one with that of none",
        arguments: [[0.0], [20, -20, 3], [-1000, 1000], [5, 5, 5, 5]]
    )
    func sum(bits: [Double]) {
        let (each, none) = MatchProbability.probabilities(bits: bits)
        #expect(abs(each.reduce(none, +) - 1) < 1e-9)
        #expect(each.allSatisfy { (0...1).contains($0) } && (0...1).contains(none))
        #expect(zip(bits, each).sorted { $0.0 < $1.0 }.map(\.1) == each.sorted())
    }

    @Test("Without candidates or evidence, the animal is none of them")
    func none() {
        #expect(MatchProbability.probabilities(bits: []).none == 1)
        let (each, none) = MatchProbability.probabilities(bits: Array(repeating: -5, count: 100))
        #expect(none > 0.95 && each.allSatisfy { $0 < 0.01 })
    }

    @Test("Among more candidates the same evidence says less")
    func density() {
        let few = MatchProbability.probabilities(bits: [12] + Array(repeating: -100, count: 99)).each[0]
        let many = MatchProbability.probabilities(bits: [12] + Array(repeating: -100, count: 999)).each[0]
        #expect(few > many && many > 0.01)
    }

    @Test("A single weak candidate is not likely only because it is alone")
    func alone() {
        #expect(MatchProbability.probabilities(bits: [4]).each[0] < 0.05)
    }
}
