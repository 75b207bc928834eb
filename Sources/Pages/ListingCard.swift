package import Domain
import Localization
package import Matching
import Mustache

/// A listing among the results of a search.
package struct ListingCard: Sendable {
    package let listing: Listing
    /// In metres from the centre of the search.
    let distance: Double?
    /// The reasons that a search by photo found for and against the listing.
    let evidence: [Evidence]
    /// The settlement nearest to the listing, if its distance is to be told.
    let settlement: Place?

    package init(_ listing: Listing, distance: Double? = nil, evidence: [Evidence] = [], near settlement: Place? = nil)
    {
        (self.listing, self.distance, self.evidence, self.settlement) = (listing, distance, evidence, settlement)
    }
}

/// A listing as a card in lists, or alone for the map.
package struct CardView: PageView {
    package static let template = "single-card"
    let id, href, status, statusLabel, headline, place, species, lon, lat, seenAt, seenAgo: String
    let breed, distance, near, organisation, whereabouts, reasons: String?
    let version: Int
    let isVerified: Bool
    let photo: PhotoView?
    /// Nil if there is a photo.
    let drawing: DrawingView?
}

/// The actions that owners can take with a listing.
struct OwnerActionsView: TemplateView {
    let href, renewLabel, reunitedLabel: String
    let ending, matchNote: String?
    let isOpen, isExpired, canRenew, canDelete: Bool
}

extension PageBuilder {
    /// The cards of a list. The first two, which fill the first row on a telephone, load their photos before others.
    func cards(of list: [ListingCard]) -> [CardView] {
        list.enumerated().map { card($1, isAtTop: $0 < 2) }
    }

    package func card(_ card: ListingCard, isAtTop: Bool = false) -> CardView {
        let (listing, content) = (card.listing, card.listing.content)
        let status = content.status ?? .lost
        return CardView(
            id: listing.id.uuidString.lowercased(), href: listingPath(listing.id), status: status.rawValue,
            statusLabel: localizer.status(status), headline: localizer.headline(content),
            place: localizer.place(listing.location), species: content.species.rawValue,
            lon: String(listing.location.coordinate.lon), lat: String(listing.location.coordinate.lat),
            seenAt: listing.seenText, seenAgo: localizer.seenAgo(listing),
            // Without a name, the headline is the breed, which is not repeated here.
            breed: content.name == nil ? nil : localizer.breed(content),
            distance: card.distance.map { distance($0, to: listing) },
            near: localizer.nearby(card.settlement, in: listing.location.place),
            organisation: listing.organisation?.name, whereabouts: content.whereabouts,
            reasons: reasons(card.evidence), version: listing.version,
            isVerified: listing.organisation?.isVerified ?? false,
            photo: listing.photos.first.map { photo($0, name: localizer.name(content), of: 1, isFirst: isAtTop) },
            drawing: drawing(of: listing)
        )
    }

    /// Returns the reasons in the photo for the listing. The card shows the distance elsewhere.
    private func reasons(_ evidence: [Evidence]) -> String? {
        let reasons = evidence.filter { [.photo, .likeness].contains($0.kind) && $0.direction == .for }
            .map { localizer.reason($0, distance: 0, days: 0) }
        return reasons.isEmpty ? nil : reasons.joined(separator: " · ")
    }

    /// A distance to a town is only approximate, so short distances are shown as less than 1 km.
    func distance(_ metres: Double, to listing: Listing) -> String {
        let least = localizer.leastDistance
        return listing.location.approximate && metres < least
            ? "<\u{A0}\(localizer.distance(least))" : localizer.distance(metres)
    }

    /// - Parameters:
    ///   - matchCount: the number of possible matches to look at.
    ///   - canRenew: whether an open listing can be renewed long before it expires.
    func ownerActions(
        _ listing: Listing,
        matchCount: Int = 0,
        canRenew: Bool = true,
        canDelete: Bool = true
    ) -> OwnerActionsView {
        // The wording depends on the status while the listing was open.
        let last = listing.expiredFrom ?? listing.content.status ?? .lost
        let role = last.isOpen ? last : .lost
        return OwnerActionsView(
            href: listingPath(listing.id),
            renewLabel: localizer(listing.expiredFrom == nil ? "my.renew.\(role.rawValue)" : "my.renewAgain"),
            reunitedLabel: localizer("my.reunited.\(role.rawValue)"), ending: ending(of: listing),
            matchNote: matchNote(matchCount), isOpen: (listing.content.status ?? .lost).isOpen,
            isExpired: listing.expiredFrom != nil, canRenew: canRenew || ending(of: listing) != nil,
            canDelete: canDelete
        )
    }

    private func matchNote(_ count: Int) -> String? {
        count > 0 ? localizer("match.count", count: count) : nil
    }

    /// A text for the owner if the listing has expired or expires soon.
    private func ending(of listing: Listing) -> String? {
        if listing.expiredFrom != nil { return localizer("my.ended") }
        guard let end = listing.expiresAt, end <= Timestamp.now.adding(days: Expiry.warning) else { return nil }
        return localizer("my.endsSoon", ["when": localizer.moment(end, at: listing.location)])
    }
}

extension Listing {
    /// When the animal was last seen, for the attribute `datetime`: a moment or a day.
    var seenText: String { lastSeenDay?.text ?? seenAt.text }
}
