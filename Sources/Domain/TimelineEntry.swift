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
    }

    /// The maximum number of entries of a timeline. The newest are kept.
    package static let maxCount = 200

    package let at: Timestamp
    package let kind: Kind
    /// The status after a change of it, or at the time of `seen` and `posted`; nil for other kinds.
    package let status: Listing.Status?
    package let sighting: Sighting?

    package init(at: Timestamp, kind: Kind, status: Listing.Status? = nil, sighting: Sighting? = nil) {
        self.at = at
        self.kind = kind
        self.status = status
        self.sighting = sighting
    }

    package static func == (first: Self, second: Self) -> Bool {
        first.at == second.at && first.kind == second.kind && first.status == second.status
            && first.sighting?.id == second.sighting?.id
    }
}
