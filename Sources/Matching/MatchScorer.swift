package struct MatchScorer: Sendable {
    package init(weights: MatchWeights = .standard, frequencies: MatchFrequencies) {}
    package func evidence(_ lost: MatchSubject, _ found: MatchSubject, distanceMetres: Double) -> [Evidence] { [] }
    package func bits(_ lost: MatchSubject, _ found: MatchSubject, distanceMetres: Double) -> Double { 0 }
}
