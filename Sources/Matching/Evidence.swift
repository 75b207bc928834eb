/// The kinds of evidence that compare a lost and a found animal.
package enum EvidenceKind: String, CaseIterable, Sendable {
    case distance, days, breed, colour, sex, neutered, size, age, weight, marks, microchip, photo, likeness
}

/// One reason for or against a match.
package struct Evidence: Equatable, Sendable {
    package let kind: EvidenceKind
    /// The name of the result of the comparison, such as `same_day`; see `MatchWeights.levels`.
    package let level: String
    /// The binary logarithm of how many times likelier the result is for two listings of one animal than for listings of
    /// two. Positive values speak for a match.
    package let bits: Double

    package init(kind: EvidenceKind, level: String, bits: Double) {
        (self.kind, self.level, self.bits) = (kind, level, bits)
    }
}
