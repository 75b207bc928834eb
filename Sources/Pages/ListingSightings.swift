package import Domain
package import Foundation
import Localization
import Mustache

/// What happened to a listing and its animal, for the page of the listing.
package struct ListingStory: Sendable {
    /// The sightings that the reader may see, the latest first.
    let sightings: [Sighting]
    let timeline: [TimelineEntry]
    /// The reader's own listings of lost animals that this listing could be attached to as a sighting.
    let attachable: [Sighting.AttachedListing]
    /// The sightings whose authors the reader has blocked.
    let ofBlocked: Set<UUID>

    package init(
        sightings: [Sighting] = [],
        timeline: [TimelineEntry] = [],
        attachable: [Sighting.AttachedListing] = [],
        ofBlocked: Set<UUID> = []
    ) {
        self.sightings = sightings
        self.timeline = timeline
        self.attachable = attachable
        self.ofBlocked = ofBlocked
    }
}

extension ListingStory {
    /// The values of the template `sightings`.
    func content(of listing: Listing, isOwner: Bool, _ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let shown = sightings.filter { $0.state != .dismissed || !isOwner }
        let dismissed = sightings.filter { $0.state == .dismissed && isOwner }
        let waiting = sightings.count { $0.state == .proposed && !$0.isMine }
        let item = { (number: Int, sighting: Sighting) in
            self.item(sighting, number: number, of: listing, isOwner: isOwner, compose)
        }
        let isLost = listing.content.status == .lost && !listing.hidden
        return [
            "canSight": isLost && !isOwner, "canAddSighting": isLost && isOwner,
            "sightLabel": localizer("sighting.button.\(listing.content.species.rawValue)"),
            "hasSightings": !sightings.isEmpty, "sightings": zip(1..., shown).map(item),
            "dismissedSightings": zip((shown.count + 1)..., dismissed).map(item),
            "dismissedLabel": dismissed.isEmpty
                ? "" : localizer("sighting.dismissedList", ["n": String(dismissed.count)]),
            "waitingSightings": isOwner && waiting > 0
                ? localizer(
                    waiting == 1 ? "sighting.oneWaiting" : "sighting.waiting",
                    ["n": String(waiting), "name": localizer.name(listing.content)]
                ) : "",
            "sightingPoints": points(shown),
            "attachable": attachable.map { own in
                [
                    "action": compose.path("/listings/\(own.id.uuidString.lowercased())/sightings"),
                    "label": localizer("sighting.attach", ["name": Self.name(own, localizer)]),
                ]
            },
        ]
    }

    /// The points for the map as JSON, each with its number in the list: longitude, latitude, whether it is only an area,
    /// and whether the owner has still to decide.
    private func points(_ shown: [Sighting]) -> String {
        let points = zip(1..., shown).filter { $1.state != .dismissed }.map { number, sighting in
            "[\(number),\(sighting.point.lon),\(sighting.point.lat),\(sighting.isApproximate ? 1 : 0),"
                + "\(sighting.state == .confirmed ? 0 : 1)]"
        }
        return points.isEmpty ? "" : "[\(points.joined(separator: ","))]"
    }

    private func item(
        _ sighting: Sighting,
        number: Int,
        of listing: Listing,
        isOwner: Bool,
        _ compose: PageBuilder
    ) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let id = sighting.id.uuidString.lowercased()
        let own = compose.path("/listings/\(listing.id.uuidString.lowercased())/sightings/\(id)")
        return [
            "sightingID": id, "number": number, "state": sighting.state.rawValue, "at": sighting.seenAt.text,
            "when": localizer.moment(sighting.seenAt, at: listing.location), "whereabouts": sighting.place ?? "",
            "isApproximate": sighting.isApproximate, "text": sighting.text ?? "",
            "sightingPhoto": Self.photos(of: sighting, compose),
            "phone": sighting.contactPhone ?? "",
            "call": "tel:\((sighting.contactPhone ?? "").filter { $0.isNumber || $0 == "+" })",
            "attachedLabel": sighting.attached.map {
                localizer("sighting.attached", ["name": Self.name($0, localizer)])
            }
                ?? "",
            "attachedLink": sighting.attached.map { compose.path("/listings/\($0.id.uuidString.lowercased())") } ?? "",
            "note": Self.note(on: sighting, isOwner: isOwner, localizer),
            "action": own, "canConfirm": isOwner && sighting.state != .confirmed,
            "canDismiss": isOwner && sighting.state != .dismissed, "canReport": !sighting.isMine,
            "canWrite": isOwner && !sighting.isMine && !ofBlocked.contains(sighting.id),
            "isBlocked": ofBlocked.contains(sighting.id),
        ]
    }

    private static func note(on sighting: Sighting, isOwner: Bool, _ localizer: Localizer) -> String {
        switch (sighting.state, isOwner) {
        case (.proposed, true): localizer("sighting.new")
        case (.proposed, false): localizer("sighting.yours")
        case (.dismissed, false): localizer("sighting.yoursDismissed")
        case (.confirmed, _), (.dismissed, true): ""
        }
    }

    private static func name(_ listing: Sighting.AttachedListing, _ localizer: Localizer) -> String {
        listing.name ?? localizer("listing.unnamed.\(listing.species.rawValue)")
    }

    /// The photo of a sighting, as a list of at most one.
    private static func photos(of sighting: Sighting, _ compose: PageBuilder) -> [[String: any TemplateValue]] {
        sighting.photo.map { [$0.content(compose, alt: compose.localizer("sighting.photoAlt"))] } ?? []
    }

    func timeline(of listing: Listing, _ compose: PageBuilder) -> [[String: any TemplateValue]] {
        timeline.map { entry in
            [
                "at": entry.at.text, "when": compose.localizer.moment(entry.at, at: listing.location),
                "what": compose.localizer.text(of: entry), "said": entry.sighting?.text ?? "",
                "link": entry.other.map { compose.path("/listings/\($0.id.uuidString.lowercased())") } ?? "",
                "entryPhoto": entry.sighting.map { Self.photos(of: $0, compose) } ?? [],
            ]
        }
    }
}

extension Localizer {
    /// A few words about an entry of a timeline.
    package func text(of entry: TimelineEntry) -> String {
        switch entry.kind {
        case .seen: self("timeline.seen.\((entry.status ?? .lost).rawValue)")
        case .posted: self("timeline.posted")
        case .status: self("timeline.status.\((entry.status ?? .closed).rawValue)")
        case .expired: self("timeline.expired")
        case .renewed: self("timeline.renewed")
        case .moved: self("timeline.moved")
        case .sighting: text(of: entry.sighting)
        case .answer, .otherAnswer, .reunion, .reunionUndone: caseText(of: entry)
        }
    }

    private func text(of sighting: Sighting?) -> String {
        let words = (sighting?.place).map { self("timeline.sightingIn", ["place": $0]) } ?? self("timeline.sighting")
        return sighting?.state == .confirmed ? words : self("timeline.unconfirmed", ["what": words])
    }
}
