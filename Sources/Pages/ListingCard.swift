package import Domain
import Localization
import Mustache

/// A listing as a card in lists, and the texts that its own page also uses.
package struct ListingCard: Sendable {
    let listing: Listing
    /// The distance in metres from the centre of the search.
    let distance: Double?
    /// The number of possible matches to look at, for the owner.
    let matchCount: Int

    package init(_ listing: Listing, distance: Double? = nil, matchCount: Int = 0) {
        self.listing = listing
        self.distance = distance
        self.matchCount = matchCount
    }

    func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let (content, id) = (listing.content, listing.id.uuidString.lowercased())
        let status = content.status ?? .lost
        var card: [String: any TemplateValue] = [
            "id": id, "href": compose.path("/listings/\(id)"), "version": listing.version,
            "status": status.rawValue, "statusLabel": localizer.status(status), "isOpen": status.isOpen,
            "headline": localizer.name(content),
            // Without a name, the headline is the breed, which is not repeated here.
            "breed": content.name == nil ? "" : localizer.breed(content) ?? "",
            "where": localizer.place(listing.location), "distance": distanceText(localizer),
            "species": content.species.rawValue, "lon": String(listing.location.coordinate.lon),
            "lat": String(listing.location.coordinate.lat),
            "seenAt": seenAt.text, "seenAgo": localizer.ago(seenAt),
            "ending": ending(localizer), "isExpired": listing.expiredFrom != nil,
            "hiddenNote": listing.hidden ? localizer("my.hidden") : "",
            "renewLabel": localizer(listing.expiredFrom == nil ? "my.renew.\(role.rawValue)" : "my.renewAgain"),
            "reunitedLabel": localizer("my.reunited.\(role.rawValue)"), "matchNote": matchNote(localizer),
        ]
        if let organisation = listing.organisation {
            card["organisation"] = organisation.name
            card["organisationHref"] = compose.path("/organisations/\(organisation.id.uuidString.lowercased())")
            card["isVerified"] = organisation.isVerified
        } else {
            card["organisation"] = ""
        }
        if let photo = listing.photos.first {
            card["photo"] = photo.content(compose, name: localizer.name(content), of: 1)
        }
        return card
    }

    /// A distance to a town is only approximate, so short distances are shown as less than 1 km.
    func distanceText(_ localizer: Localizer) -> String {
        guard let distance else { return "" }
        return listing.location.approximate && distance < 1_000 ? "<\u{A0}1\u{A0}km" : localizer.distance(distance)
    }

    private func matchNote(_ localizer: Localizer) -> String {
        switch matchCount {
        case 0: ""
        case 1: localizer("match.count.one")
        default: localizer("match.count", ["count": localizer.number(matchCount)])
        }
    }

    /// A text for the owner if the listing has expired or expires soon.
    private func ending(_ localizer: Localizer) -> String {
        if listing.expiredFrom != nil { return localizer("my.ended") }
        guard let end = listing.expiresAt, end <= Timestamp.now.adding(days: Expiry.warning) else { return "" }
        return localizer("my.endsSoon", ["when": localizer.moment(end, at: listing.location)])
    }

    /// The status while the listing was open, on which its wording depends.
    private var role: Listing.Status {
        let status = listing.expiredFrom ?? listing.content.status ?? .lost
        return status.isOpen ? status : .lost
    }

    var seenAt: Timestamp { listing.content.lastSeenAt ?? listing.createdAt }
}

extension ListingPhoto {
    /// - Parameter count: the number of photos of the listing.
    func content(_ compose: PageBuilder, name: String, of count: Int) -> [String: any TemplateValue] {
        [
            "number": number, "width": width, "height": height, "isFirst": number == 1,
            "url": compose.path(url), "medium": compose.path(medium), "thumbnail": compose.path(thumbnail),
            "alt": count == 1
                ? compose.localizer("listing.alt", ["name": name])
                : compose.localizer("listing.altNumber", ["name": name, "number": String(number)]),
        ]
    }
}
