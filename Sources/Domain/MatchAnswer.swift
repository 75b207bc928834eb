/// What the owner of a listing says about a possible match.
package enum MatchAnswer: String, CaseIterable, Sendable {
    case yes, no, unsure
}

/// The answers of both owners to one possible match.
package struct MatchAnswers: Equatable, Sendable {
    /// The answer of the owner of the listing that was asked about.
    package var own: MatchAnswer?
    package var other: MatchAnswer?
    /// When both answers became yes, which made both listings `reunited`.
    package var linkedAt: Timestamp?

    package init(own: MatchAnswer? = nil, other: MatchAnswer? = nil, linkedAt: Timestamp? = nil) {
        (self.own, self.other, self.linkedAt) = (own, other, linkedAt)
    }

    /// Whether an owner has said no, so that the match is not shown again.
    package var isRejected: Bool { own == .no || other == .no }
}
