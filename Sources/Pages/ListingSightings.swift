package import Domain
import Localization
import Mustache

/// The part of a listing's page that lists the sightings of the animal.
struct SightingSectionView: TemplateView {
    let isShown: Bool
    let sightings, dismissed: [SightingView]
    let dismissedLabel, addHref: String?
    let attachable: [AttachableView]

    struct AttachableView: TemplateView {
        let action, label, listing: String
    }

    struct SightingView: TemplateView {
        let id, state, at, when, action: String
        let number: Int
        let place, text, phone, call, attachedLabel, attachedLink, note: String?
        let isApproximate, canConfirm, canDismiss, canReport, canWrite, isBlocked: Bool
        let photo: PhotoView?
    }
}

extension PageBuilder {
    func sightings(of listing: Listing, _ context: ListingContext, canAdd: Bool) -> SightingSectionView {
        let shown = context.sightings.shown(isOwner: context.isOwner)
        let dismissed = context.sightings.filter { $0.state == .dismissed && context.isOwner }
        let item = { sighting($1, number: $0, of: listing, context) }
        return SightingSectionView(
            isShown: !context.sightings.isEmpty, sightings: zip(1..., shown).map(item),
            dismissed: zip((shown.count + 1)..., dismissed).map(item),
            dismissedLabel: dismissed.isEmpty
                ? nil : localizer("sighting.dismissedList", ["n": String(dismissed.count)]),
            addHref: canAdd ? listingPath(listing.id, "/sighting") : nil,
            attachable: context.attachable.map { own in
                SightingSectionView.AttachableView(
                    action: listingPath(own.id, "/sightings"),
                    label: localizer("sighting.attach", ["name": name(own)]),
                    listing: listing.id.uuidString.lowercased()
                )
            }
        )
    }

    private func sighting(
        _ sighting: Sighting,
        number: Int,
        of listing: Listing,
        _ context: ListingContext
    ) -> SightingSectionView.SightingView {
        let telephone = sighting.contactPhone.map { TelephoneView($0, in: listing.location.countryCode) }
        let (id, isBlocked) = (sighting.id.uuidString.lowercased(), context.ofBlocked.contains(sighting.id))
        return SightingSectionView.SightingView(
            id: id, state: sighting.state.rawValue, at: sighting.seenAt.text,
            when: localizer.moment(sighting.seenAt, at: listing.location),
            action: listingPath(listing.id, "/sightings/\(id)"), number: number,
            place: place(of: sighting, near: context.settlements[sighting.point]),
            text: sighting.text, phone: telephone?.text, call: telephone?.link,
            attachedLabel: sighting.attached.map { localizer("sighting.attached", ["name": name($0)]) },
            attachedLink: sighting.attached.map { listingPath($0.id) },
            note: note(on: sighting, isOwner: context.isOwner), isApproximate: sighting.isApproximate,
            canConfirm: context.isOwner && sighting.state != .confirmed,
            canDismiss: context.isOwner && sighting.state != .dismissed, canReport: !sighting.isMine,
            canWrite: context.isOwner && !sighting.isMine && !isBlocked, isBlocked: isBlocked,
            photo: sighting.photo.map { photo($0, alt: "sighting.photoAlt") }
        )
    }

    private func place(of sighting: Sighting, near settlement: Place?) -> String? {
        let places = [localizer.nearby(settlement, in: sighting.place), sighting.place].compactMap(\.self)
        return places.isEmpty ? nil : places.joined(separator: ", ")
    }

    private func note(on sighting: Sighting, isOwner: Bool) -> String? {
        switch (sighting.state, isOwner) {
        case (.proposed, true): localizer("sighting.new")
        case (.proposed, false): localizer("sighting.yours")
        case (.dismissed, false): localizer("sighting.yoursDismissed")
        case (.confirmed, _), (.dismissed, true): nil
        }
    }

    private func name(_ listing: Sighting.AttachedListing) -> String {
        listing.name ?? localizer("listing.unnamed.\(listing.species.rawValue)")
    }

    /// Says how many sightings the owner has to decide on.
    func waiting(_ sightings: [Sighting], name: String) -> String? {
        let waiting = sightings.count { $0.state == .proposed && !$0.isMine }
        guard waiting > 0 else { return nil }
        return localizer("sighting.waiting", count: waiting, ["name": name])
    }
}

extension [Sighting] {
    /// Those in the list that is not folded.
    fileprivate func shown(isOwner: Bool) -> [Sighting] { filter { $0.state != .dismissed || !isOwner } }

    /// The points for the map as JSON, each with its number in the list: longitude, latitude, whether it is only an area,
    /// and whether the owner has still to decide. Nil if there are none.
    func points(isOwner: Bool) -> String? {
        let points = zip(1..., shown(isOwner: isOwner)).filter { $1.state != .dismissed }.map { number, sighting in
            "[\(number),\(sighting.point.lon),\(sighting.point.lat),\(sighting.isApproximate ? 1 : 0),"
                + "\(sighting.state == .confirmed ? 0 : 1)]"
        }
        return points.isEmpty ? nil : "[\(points.joined(separator: ","))]"
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
        case .answer, .otherAnswer, .agreement, .reunion, .reunionUndone: caseText(of: entry)
        }
    }

    private func text(of sighting: Sighting?) -> String {
        let words = (sighting?.place).map { self("timeline.sightingIn", ["place": $0]) } ?? self("timeline.sighting")
        return sighting?.state == .confirmed ? words : self("timeline.unconfirmed", ["what": words])
    }
}

extension Localizer {
    /// A few words about an answer to a possible match, or about a reunion.
    func caseText(of entry: TimelineEntry) -> String {
        let other =
            entry.other.map { self("case.named", ["name": $0.name ?? self("listing.unnamed.\($0.species.rawValue)")]) }
            ?? self("case.unnamed")
        return switch entry.kind {
        case .answer: self("case.answer.\((entry.answer ?? .unsure).rawValue)", ["other": other])
        case .otherAnswer: self("case.otherAnswer.\((entry.answer ?? .unsure).rawValue)", ["other": other])
        case .agreement: self("case.agreement", ["other": other])
        case .reunion: self("case.reunion", ["other": other])
        default: self("case.undone.\((entry.status ?? .lost).rawValue)")
        }
    }
}

extension Localizer {
    /// The time and the town of a sighting.
    func sighted(_ sighting: Sighting, at location: ListingLocation) -> String {
        [moment(sighting.seenAt, at: location), sighting.place].compactMap(\.self).joined(separator: " · ")
    }
}
