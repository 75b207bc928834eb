/// The answer of a listing's owner to a possible match.
package enum MatchAnswer: String, CaseIterable, Sendable {
    case yes, no, unsure
}

/// Which listings are compared with one.
package enum MatchSide: String, CaseIterable, Sendable {
    /// Found and sighted animals with a lost one, lost animals with a found or sighted one.
    case other
    /// Lost animals with a lost one, found and sighted animals with a found or sighted one.
    case same
}

/// How far two owners have come with a possible match, as one of them sees it.
///
/// ```
/// undecided ─ own yes ─▶ waiting ─ other yes ─┐
///     │                                       ▼
///     └───── other yes ─▶ asked ── own yes ─▶ agreed ── either: is home ─▶ home
/// ```
///
/// Each owner takes the own answer back at every step, and either undoes `home` for a day. A no makes it `rejected`.
package enum MatchState: String, CaseIterable, Sendable {
    /// Nobody has said yes or no.
    case undecided
    /// One has said yes oneself.
    case waiting
    /// The other owner has said yes.
    case asked
    /// Both have said yes: they arrange the handover. Both listings are open. Listings of the same side are joined.
    case agreed
    /// One of them has said that the animal is home. Both listings are `reunited`.
    case home
    /// An owner has said no, so that the match is not shown again.
    case rejected
}

/// The answers of both owners to one possible match.
package struct MatchAnswers: Equatable, Sendable {
    /// The answer of the owner of the listing that was asked about.
    package var own: MatchAnswer?
    package var other: MatchAnswer?
    /// When one of the owners said that the animal is home, which made both listings `reunited`.
    package var linkedAt: Timestamp?
    /// Whether both listings are of the same side.
    package var isSameSide = false

    /// The days for which a reunion can be undone.
    package static let undoDays = 1

    package init(
        own: MatchAnswer? = nil,
        other: MatchAnswer? = nil,
        linkedAt: Timestamp? = nil,
        isSameSide: Bool = false
    ) {
        (self.own, self.other, self.linkedAt, self.isSameSide) = (own, other, linkedAt, isSameSide)
    }

    package var state: MatchState {
        if linkedAt != nil { return .home }
        if own == .no || other == .no { return .rejected }
        switch (own == .yes, other == .yes) {
        case (true, true): return .agreed
        case (true, false): return .waiting
        case (false, true): return .asked
        case (false, false): return .undecided
        }
    }

    /// Whether the animal came home so lately that both owners can undo it.
    package func isUndoable(at now: Timestamp) -> Bool {
        linkedAt.map { $0 > now.adding(days: -Self.undoDays) } ?? false
    }

    /// Whether an owner has said no, so that the match is not shown again.
    package var isRejected: Bool { state == .rejected }
}
