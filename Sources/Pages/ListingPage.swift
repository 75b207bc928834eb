package import Domain
import Flyer
package import Foundation
import Localization
package import Matching
import Mustache
package import SearchAreas

/// The contents of the page of a listing besides the listing.
package struct ListingContext {
    package var isOwner: Bool
    /// Whether the visitor has just posted the listing.
    package var isNew: Bool
    /// Whether the visitor has just reported a sighting to the owner.
    package var hasReported = false
    /// Whether the visitor is a member of the organisation that owns the listing.
    package var isForOrganisation = false
    /// Whether the visitor may delete the listing, if they may edit it.
    package var canDelete = true
    /// The helpers for the steps to show, the nearest first; nil if the visitor did not ask for them.
    package var steps: (vets: [HelpContact], shelters: [HelpContact])?
    /// The likeliest matches, for the owner, without the partners.
    package var matches: [PossibleMatch<Listing>] = []
    /// Other listings of the same side that may be of the same animal, for the owner.
    package var sameAnimal: [PossibleMatch<Listing>] = []
    /// The number of listings of the animal, if it has several.
    package var listingsOfAnimal = 0
    /// Whether there are further matches.
    package var hasMoreMatches = false
    /// The number of listings that were compared with a new one; nil if there was no comparison.
    package var compared: Int?
    /// The number of people whose alerts have found the listing, for its owner.
    package var readers = 0
    /// How many messages its readers have got. The owner sees it.
    package var told: [ToldReaders] = []
    /// The photos that are copies of other photos of the same account, for the owner.
    package var copies: [(number: Int, listing: UUID, otherNumber: Int)] = []
    /// The listings of which an owner has said that they are of the same animal, for the owner.
    package var partners: [(listing: Listing, answers: MatchAnswers)] = []
    /// The settlements nearest to the points on the map, in which they lie or not.
    package var settlements: [Coordinate: Place] = [:]
    /// The sightings that the reader may see, the latest first.
    package var sightings: [Sighting] = []
    package var timeline: [TimelineEntry] = []
    /// The reader's own listings of lost animals that this listing could be attached to as a sighting.
    package var attachable: [Sighting.AttachedListing] = []
    /// The sightings whose authors the reader has blocked.
    package var ofBlocked: Set<UUID> = []
    /// Nil if the listing has no search area. If it is around a cell, the circles are around the centre of the cell.
    package var searchArea: (area: SearchArea, isCell: Bool, help: [HelpContact])?
    /// The tracks that the reader may see.
    package var tracks: [TrackSummary] = []

    package init(isOwner: Bool = false, isNew: Bool = false) {
        (self.isOwner, self.isNew) = (isOwner, isNew)
    }
}

/// The page of a single listing, which visitors can share.
package struct ListingView: PageView {
    package static let template = "listing"
    let card: CardView
    /// For people to read aloud and to copy.
    let code: String
    let title, description, summary, jsonLD, seenOn, fullPlace, writeLabel, sightLabel: String
    let compared, reached, told, animalLink, organisationHref, hidden, waitingSightings, sightingPoints,
        contactName: String?
    /// The service where the listing began, of which this one is a copy.
    let origin: LinkView?
    /// Whether the owner gave a telephone number that others do not see, and no address that they do.
    let isSilent: Bool
    let copies: [CopyView]
    let isNew, offersPush, isForOrganisation, isOpen, canAppeal, canSight, canBeWritten, canHaveSteps: Bool
    let isApproximate, isArea: Bool
    let preview: PreviewView
    let alertOffer: AlertOfferView?
    let steps: [StepView]
    let partners: [PartnerView]
    let matches: [MatchView]
    let sameAnimal: SameAnimalView
    let hasMoreMatches: Bool
    let photos: [PhotoView]
    let phone, whatsApp, mail: LinkView?
    let facts, paragraphs: [RowView]
    let searchArea: SearchAreaView?
    let tracks: TrackSectionView?
    let sightings: SightingSectionView
    let timeline: [EntryView]
    let share: ShareView
    let flyers: [LinkView]
    /// Nil for readers other than the owner.
    let ownerActions: OwnerActionsView?

    /// Other listings of the same side, with the question whether they are of the same animal.
    struct SameAnimalView: TemplateView {
        let matches: [MatchView]
    }

    /// The picture that messengers show for a link.
    struct PreviewView: TemplateView {
        let url, alt: String
        let width, height: Int
    }

    /// A photo that the owner has posted before.
    struct CopyView: TemplateView {
        let text: String
        /// The other listing; nil if the photo is twice in this one.
        let href: String?
    }

    struct EntryView: TemplateView {
        let at, when, what: String
        let said, link: String?
        let photo: PhotoView?
    }

    /// Links that open the listing in other services. They load nothing from them before somebody follows a link.
    struct ShareView: TemplateView {
        /// `address` is the short one, for people; `canonical` is the one of the page.
        let title, address, canonical, picture: String
        let links: [LinkView]
    }
}

extension PageBuilder {
    package func listing(_ listing: Listing, _ context: ListingContext) -> ListingView {
        let (content, location, isOwner) = (listing.content, listing.location, context.isOwner)
        let name = localizer.name(content)
        let summary = localizer("listing.at", ["place": localizer.place(location)])
        let title = "\(localizer.status(content.status)): \(name) \(summary)"
        let isLost = content.status == .lost && !listing.hidden
        let share = share(listing, title)
        let flyers = flyers(of: listing)
        return ListingView(
            card: card(.init(listing)), code: listing.code.grouped, title: title, description: description(of: listing),
            summary: summary,
            jsonLD: (try? JSONText(LinkedData(listing, localizer, origin: origin)).text) ?? "{}",
            seenOn: localizer.seen(listing),
            fullPlace: fullPlace(of: listing, near: context.settlements[location.coordinate]),
            writeLabel: localizer("inbox.write.\((content.status ?? .lost).rawValue)"),
            sightLabel: localizer("sighting.button.\(content.species.rawValue)"),
            compared: context.isNew ? context.compared.map(comparedText) : nil, reached: reached(context.readers),
            told: told(context.told, of: listing),
            animalLink: context.listingsOfAnimal > 1 ? animalLink(context.listingsOfAnimal) : nil,
            organisationHref: listing.organisation.map { path("/organisations/\($0.id.uuidString.lowercased())") },
            hidden: listing.hidden ? hidden(listing.hiddenReason, isOwner: isOwner) : nil,
            waitingSightings: isOwner ? waiting(context.sightings, name: name) : nil,
            sightingPoints: context.sightings.points(isOwner: isOwner), contactName: listing.shown(\.contactName),
            origin: listing.origin.map { LinkView(name: localizer("listing.origin", ["name": $0.host]), href: $0.url) },
            isSilent: content.contactPhone.value != nil && listing.telephone == nil
                && listing.shown(\.contactEmail) == nil,
            copies: copyNotices(context.copies, in: listing),
            isNew: context.isNew, offersPush: context.isNew || context.hasReported,
            isForOrganisation: context.isForOrganisation,
            isOpen: (content.status ?? .lost).isOpen, canAppeal: isOwner && listing.hiddenReason != nil,
            canSight: isLost && !isOwner && listing.origin == nil,
            canBeWritten: !isOwner && content.status?.isOpen == true && !listing.hidden && listing.origin == nil,
            canHaveSteps: isOwner && context.steps == nil && listing.hasSteps,
            isApproximate: location.approximate && location.exact == nil, isArea: location.exact != nil,
            preview: preview(of: listing, title), alertOffer: context.isNew ? AlertOfferView(near: listing) : nil,
            steps: context.steps.map { steps(for: listing, vets: $0.vets, shelters: $0.shelters, flyers, share) } ?? [],
            partners: context.partners.map { partner($0.listing, of: listing, $0.answers) },
            matches: context.matches.map { match($0, of: listing, isOwner: isOwner) },
            sameAnimal: ListingView.SameAnimalView(
                matches: context.sameAnimal.map { match($0, of: listing, isOwner: isOwner) }
            ),
            hasMoreMatches: context.hasMoreMatches,
            photos: photos(of: listing, name: name, count: listing.photos.count),
            phone: listing.telephone.map { telephone in
                LinkView(name: localizer("listing.call", ["phone": telephone.text]), href: telephone.link)
            },
            whatsApp: listing.telephone?.whatsApp.map { LinkView(name: localizer("listing.whatsApp"), href: $0) },
            mail: listing.shown(\.contactEmail).map { address in
                LinkView(name: localizer("listing.write", ["email": address]), href: "mailto:" + address.pathEncoded)
            },
            facts: localizer.rows(.fact, of: listing, isOwner: isOwner).map(\.view),
            paragraphs: localizer.rows(.paragraph, of: listing, isOwner: isOwner).map(\.view),
            searchArea: context.searchArea.map {
                searchArea($0.area, of: content.species, isCell: $0.isCell, help: $0.help)
            },
            tracks: tracks(context.tracks, of: listing, isOwner: isOwner, canAdd: isLost && isOwner),
            sightings: sightings(of: listing, context, canAdd: isLost && isOwner),
            timeline: context.timeline.map { entry($0, of: listing) },
            share: share, flyers: flyers,
            ownerActions: isOwner ? ownerActions(listing, canRenew: false, canDelete: context.canDelete) : nil
        )
    }

    private func comparedText(_ count: Int) -> String {
        count > 0 ? localizer("listing.compared", count: count) : localizer("listing.comparedNone")
    }

    /// Another listing is named once, though it has several of the photos.
    private func copyNotices(
        _ copies: [(number: Int, listing: UUID, otherNumber: Int)],
        in listing: Listing
    ) -> [ListingView.CopyView] {
        var named: Set<UUID> = []
        return copies.filter { $0.listing == listing.id || named.insert($0.listing).inserted }
            .map { copyNotice($0, $1, $2, in: listing) }
    }

    private func copyNotice(
        _ number: Int, _ other: UUID, _ otherNumber: Int, in listing: Listing
    ) -> ListingView.CopyView {
        let isHere = other == listing.id
        return ListingView.CopyView(
            text: localizer(
                isHere ? "listing.photoTwice" : "listing.photoElsewhere",
                ["n": String(number), "other": String(otherNumber)]),
            href: isHere ? nil : path("/listings/\(other.uuidString.lowercased())")
        )
    }

    private func reached(_ readers: Int) -> String? {
        switch readers {
        case 0: nil
        case Alert.maxCountedReaders...: localizer("listing.reachedAtLeast", ["n": localizer.number(readers)])
        default: localizer("listing.reached", count: readers)
        }
    }

    /// For example "about 120 by e-mail and 40 devices", rounded, because nobody is to learn who they are.
    private func told(_ told: [ToldReaders], of listing: Listing) -> String? {
        guard let first = told.map(\.firstAt).min(), let last = told.map(\.lastAt).max() else { return nil }
        let channels = told.map { told in
            let tens = told.messages / 10 * 10
            let count =
                told.messages < 10
                ? localizer("listing.toldFew") : localizer("listing.toldAbout", ["n": localizer.number(tens)])
            return localizer("listing.told.\(told.channel.rawValue)", ["count": count])
        }
        let times = [first, last].map { localizer.moment($0, at: listing.location) }
        let blanks: KeyValuePairs = ["channels": localizer.all(channels), "first": times[0], "last": times[1]]
        return localizer(times[0] == times[1] ? "listing.toldOnce" : "listing.told", blanks)
    }

    private func flyers(of listing: Listing) -> [LinkView] {
        Flyer.Format.allCases.map { format in
            LinkView(
                name: localizer("flyer.\(format.rawValue)"),
                href: listingPath(listing.id, "/flyer.pdf?format=\(format.rawValue)")
            )
        }
    }

    func share(_ listing: Listing, _ title: String) -> ListingView.ShareView {
        let address = listing.shortAddress(origin)
        let (text, url) = (title.queryEncoded, address.queryEncoded)
        return ListingView.ShareView(
            title: title, address: address,
            canonical: listing.origin?.url ?? origin + "/listings/\(listing.id.uuidString.lowercased())",
            picture: picture(of: listing),
            links: [
                LinkView(name: "WhatsApp", href: "https://wa.me/?text=\(text)%20\(url)"),
                LinkView(name: "Telegram", href: "https://t.me/share/url?url=\(url)&text=\(text)"),
                LinkView(name: "Facebook", href: "https://www.facebook.com/sharer/sharer.php?u=\(url)"),
            ]
        )
    }

    /// Services that show the page as a preview send no language.
    private func picture(of listing: Listing) -> String {
        listingPath(listing.id, "/picture.jpg?lang=\(localizer.language.rawValue)")
    }

    private func preview(of listing: Listing, _ title: String) -> ListingView.PreviewView {
        guard let photo = listing.photos.first else {
            let side = Picture.side
            return .init(url: origin + picture(of: listing), alt: title, width: side, height: side)
        }
        let alt = localizer("listing.alt", ["name": localizer.name(listing.content)])
        return .init(url: origin + photo.url, alt: alt, width: photo.width, height: photo.height)
    }

    private func entry(_ entry: TimelineEntry, of listing: Listing) -> ListingView.EntryView {
        let isSeen = entry.kind == .seen
        return ListingView.EntryView(
            at: isSeen ? listing.seenText : entry.at.text,
            when: isSeen ? localizer.seen(listing) : localizer.moment(entry.at, at: listing.location),
            what: localizer.text(of: entry), said: entry.sighting?.text,
            link: entry.other.map { listingPath($0.id) },
            photo: entry.sighting?.photo.map { photo($0, alt: "sighting.photoAlt") }
        )
    }

    /// Returns the text that states that the listing is hidden and, if known, the reason.
    private func hidden(_ reason: Report.Reason?, isOwner: Bool) -> String {
        let words = localizer(isOwner ? "listing.hidden" : "listing.hiddenFromOthers")
        guard let reason else { return words }
        return words + " " + localizer("listing.hiddenBecause", ["reason": localizer("reason.\(reason.rawValue)")])
    }

    /// Returns the description, of about 200 characters, that messengers show below the title of a shared link. They
    /// keep it for months, so it contains the date and no relative time.
    private func description(of listing: Listing) -> String {
        let day = localizer.day(listing.seenAt, at: listing.location)
        let said = ["\(localizer("field.seen")): \(day)"] + localizer.sentences(on: listing.content)
        return said.sentences.shortened(to: 200)
    }

    private func fullPlace(of listing: Listing, near settlement: Place?) -> String {
        let location = listing.location
        let near = localizer.nearby(settlement, in: location.place)
        let locality = near ?? (location.locality == location.place ? nil : location.locality)
        let country = location.countryCode.map(localizer.country) ?? location.country
        return [listing.content.whereabouts, locality, localizer.place(location), location.region, country]
            .compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension Localizer {
    /// The fields of a listing that the viewer can see.
    func rows(
        _ display: ListingField.Display,
        of listing: Listing,
        isOwner: Bool
    ) -> [(field: ListingField, view: RowView)] {
        ListingField.displayed(display).filter { isOwner || $0.access == .everybody }.compactMap { field in
            text(field, of: listing.content).map { (field, RowView(label: self("field.\(field.name)"), value: $0)) }
        }
    }
}

extension Listing {
    /// Returns a contact if it is public and the listing is not closed. After an animal is back home, nobody needs to
    /// contact its owner.
    func shown(_ contact: KeyPath<ListingContent, ListingContent.Contact>) -> String? {
        let contact = content[keyPath: contact]
        return contact.isPublic && content.status?.isOpen != false ? contact.value : nil
    }
}

extension String {
    /// The text as a value in a query, percent-encoded except for the unreserved characters of RFC 3986.
    fileprivate var queryEncoded: String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        return addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: letters)) ?? ""
    }
}

/// A listing in the schema.org vocabulary, for search engines.
private struct LinkedData: Encodable {
    let context = "https://schema.org"
    let type = "SpecialAnnouncement"
    let name: String
    let text: String
    let datePosted: String
    let url: String
    let image: [String]
    let spatialCoverage: Spot

    enum CodingKeys: String, CodingKey {
        case context = "@context"
        case type = "@type"
        case name, text, datePosted, url, image, spatialCoverage
    }

    struct Spot: Encodable {
        let type = "Place"
        let name: String
        let geo: Geo

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case name, geo
        }
    }

    struct Geo: Encodable {
        let type = "GeoCoordinates"
        let latitude: Double
        let longitude: Double

        enum CodingKeys: String, CodingKey {
            case type = "@type"
            case latitude, longitude
        }
    }

    init(_ listing: Listing, _ localizer: Localizer, origin: String) {
        let content = listing.content
        name = "\(localizer.status(content.status)): \(localizer.name(content))"
        text = localizer.sentences(on: content).sentences
        datePosted = listing.createdAt.text
        url = "\(origin)/listings/\(listing.id.uuidString.lowercased())"
        image = listing.photos.map { origin + $0.url }
        let (place, point) = (localizer.spot(of: listing), listing.location.coordinate)
        spatialCoverage = Spot(name: place, geo: Geo(latitude: point.lat, longitude: point.lon))
    }
}
