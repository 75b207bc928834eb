/// One thing that happened to a listing or its animal.
package struct TimelineEntry: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The animal was last seen, found or sighted, as the listing says.
        case seen
        case posted
        /// The owner changed the status.
        case status
        /// The listing was closed because its owner did not renew it.
        case expired
        case renewed
        /// The owner changed the place.
        case moved
        /// Somebody saw the lost animal.
        case sighting
        /// The owner answered a possible match. Only the owner sees it.
        case answer
        /// The owner of the other listing of a possible match answered it. Only the owner of this one sees it.
        case otherAnswer = "other_answer"
        /// Both owners have said that the two listings are of the same animal. Only they see it.
        case agreement
        /// One of two owners who had confirmed a match said that the animal is home.
        case reunion
        /// A listing that was `reunited` is open again: its owner, or the other one of a reunion, took it back.
        case reunionUndone = "reunion_undone"
    }

    /// The maximum number of entries of a timeline. The newest are kept.
    package static let maxCount = 200
    /// The maximum number of possible matches whose answers are entries. Those that were answered last are kept, so that
    /// answers of other people cannot replace the rest of a timeline.
    package static let maxAnswered = 50

    package let at: Timestamp
    package let kind: Kind
    /// The status after a change of it, or at the time of `seen` and `posted`; nil for other kinds.
    package let status: Listing.Status?
    package let sighting: Sighting?
    /// Nil for other kinds than `answer` and `otherAnswer`.
    package let answer: MatchAnswer?
    /// The other listing of an answer, an agreement or a reunion; nil if it is hidden.
    package let other: Sighting.AttachedListing?

    package init(
        at: Timestamp,
        kind: Kind,
        status: Listing.Status? = nil,
        sighting: Sighting? = nil,
        answer: MatchAnswer? = nil,
        other: Sighting.AttachedListing? = nil
    ) {
        (self.at, self.kind, self.status) = (at, kind, status)
        (self.sighting, self.answer, self.other) = (sighting, answer, other)
    }

    package static func == (first: Self, second: Self) -> Bool {
        first.at == second.at && first.kind == second.kind && first.status == second.status
            && first.sighting?.id == second.sighting?.id && first.answer == second.answer && first.other == second.other
    }
}
