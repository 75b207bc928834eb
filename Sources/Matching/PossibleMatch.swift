package import Domain

/// A listing that may be of the same animal as another one.
package struct PossibleMatch<Value> {
    /// The `Listing.key` of the other listing.
    package let key: Int64
    package let probability: Double
    package let bits: Double
    /// In metres between the public points, lengthened by the uncertainty of cells and towns, and rounded up.
    package let distance: Double
    /// The days from the loss to the find; for listings of the same side, from the listing to the other one.
    package let days: Int
    package let side: MatchSide
    /// The strongest first.
    package let evidence: [Evidence]
    package let answers: MatchAnswers
    /// The value that was read of the other listing.
    package let value: Value

    package init(
        key: Int64,
        probability: Double,
        bits: Double,
        distance: Double,
        days: Int,
        side: MatchSide = .other,
        evidence: [Evidence],
        answers: MatchAnswers,
        value: Value
    ) {
        (self.key, self.probability, self.bits) = (key, probability, bits)
        (self.distance, self.days, self.side, self.evidence) = (distance, days, side, evidence)
        (self.answers, self.value) = (answers, value)
    }
}

/// A position in a list of matches.
package struct MatchCursor: Equatable, Sendable {
    package let bits: Double
    package let key: Int64

    package init(bits: Double, key: Int64) {
        (self.bits, self.key) = (bits, key)
    }
}

/// An open animal of an organisation with a lost listing that may be its own.
package struct OrganisationMatch<Value> {
    /// The listing of the organisation.
    package let animal: Value
    /// The lost listing, with the reasons.
    package let match: PossibleMatch<Value>

    package init(animal: Value, match: PossibleMatch<Value>) {
        (self.animal, self.match) = (animal, match)
    }
}

/// A position in the list of the likeliest owners of the animals of an organisation.
package struct OrganisationMatchCursor: Equatable, Sendable {
    package let probability: Double
    /// The `Listing.key` of the animal and of the lost listing.
    package let animal, lost: Int64

    package init(probability: Double, animal: Int64, lost: Int64) {
        (self.probability, self.animal, self.lost) = (probability, animal, lost)
    }
}
