package import Domain

/// A listing as a card of the board, and what a page about it says.
package struct ListingCard: Sendable {
    let listing: Listing
    /// Metres from where the search is centred.
    let distance: Double?

    package init(_ listing: Listing, distance: Double? = nil) {
        self.listing = listing
        self.distance = distance
    }

    func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        let (content, id) = (listing.content, listing.id.uuidString.lowercased())
        let status = content.status ?? .lost
        var card: [String: any Sendable] = [
            "id": id, "href": compose.path("/listings/\(id)"), "version": listing.version,
            "status": status.rawValue, "statusLabel": wording.status(status), "isOpen": status.isOpen,
            "headline": wording.name(content),
            // Said once.
            "breed": content.name == nil ? "" : wording.breed(content) ?? "",
            "where": [wording.place(listing.location), distance(wording)].filter { !$0.isEmpty }.joined(
                separator: " · "
            ),
            "seenAt": seenAt.text, "seenAgo": wording.ago(seenAt),
            "ending": ending(wording), "isExpired": listing.expiredFrom != nil,
        ]
        if let photo = listing.photos.first {
            card["photo"] = photo.content(compose, name: wording.name(content), of: 1)
        }
        return card
    }

    /// Of a town no more is known than that it is near.
    private func distance(_ wording: Wording) -> String {
        guard let distance else { return "" }
        return listing.location.approximate && distance < 1_000 ? "<\u{A0}1\u{A0}km" : wording.distance(distance)
    }

    /// For its owner, where it ended or ends soon.
    private func ending(_ wording: Wording) -> String {
        if listing.expiredFrom != nil { return wording("my.ended") }
        guard let end = listing.expiresAt, end <= Timestamp.now.adding(days: Expiry.warning) else { return "" }
        return wording("my.endsSoon", ["when": wording.moment(end)])
    }

    var seenAt: Timestamp { listing.content.lastSeenAt ?? listing.createdAt }
}

extension ListingPhoto {
    /// - Parameter count: how many photos there are.
    func content(_ compose: Composer, name: String, of count: Int) -> [String: any Sendable] {
        [
            "number": number, "width": width, "height": height, "isFirst": number == 1,
            "url": compose.path(url), "medium": compose.path(medium), "thumbnail": compose.path(thumbnail),
            "alt": count == 1
                ? compose.wording("listing.alt", ["name": name])
                : compose.wording("listing.altNumber", ["name": name, "number": String(number)]),
        ]
    }
}
