package import Domain
import Flyer
import Foundation
import Localization
package import Matching
package import Mustache

/// The page of a single listing, which visitors can share.
package struct ListingPage: Page {
    package let template = "listing"
    package let section = PageSection.none
    let listing: Listing
    let isOwner: Bool
    /// Whether the visitor has just posted the listing.
    let isNew: Bool
    /// The steps to show; nil if the visitor did not ask for them.
    let steps: NextSteps?
    /// The likeliest matches, for the owner.
    let matches: [PossibleMatch<Listing>]
    let story: ListingStory
    /// Nil if the listing has no search area.
    package var searchArea: SearchAreaSection?
    package var tracks: TrackSection?
    /// Whether the visitor is a member of the organisation that owns the listing.
    package var isForOrganisation = false
    /// Whether the visitor may delete the listing, if they may edit it.
    package var canDelete = true

    package init(
        _ listing: Listing,
        isOwner: Bool,
        isNew: Bool,
        steps: NextSteps? = nil,
        matches: [PossibleMatch<Listing>] = [],
        story: ListingStory = ListingStory()
    ) {
        self.steps = steps
        self.matches = matches
        self.story = story
        self.listing = listing
        self.isOwner = isOwner
        self.isNew = isNew
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let (content, location) = (listing.content, listing.location)
        let (id, name) = (listing.id.uuidString.lowercased(), localizer.name(content))
        let summary = localizer("listing.at", ["place": localizer.place(location)])
        // Services that show the page as a preview send no language.
        let picture = compose.path("/listings/\(id)/picture.jpg?lang=\(localizer.language.rawValue)")
        var page = ListingCard(listing).content(compose)
        page.merge(story.content(of: listing, isOwner: isOwner, compose)) { $1 }
        page.merge([
            "canonical": compose.origin + "/listings/\(id)",
            "title": "\(localizer.status(content.status)): \(name) \(summary)",
            "description": description(localizer), "summary": summary,
            "matches": MatchSection(listing, matches, isOwner: isOwner).content(compose),
            "hasMatches": !matches.isEmpty,
            "photos": listing.photos.map { $0.content(compose, name: name, of: listing.photos.count) },
            "facts": facts(localizer).map(Self.row), "contacts": contacts(localizer),
            "seenOn": localizer.moment(ListingCard(listing).seenAt, at: location),
            "writeLabel": localizer("inbox.write.\((content.status ?? .lost).rawValue)"),
            "contactName": contactName ?? "",
            "paragraphs": paragraphs(localizer).map(Self.row),
            "fullPlace": fullPlace(localizer), "approximate": location.approximate && location.exact == nil,
            "isArea": location.exact != nil,
            "lon": String(location.coordinate.lon), "lat": String(location.coordinate.lat),
            "timeline": story.timeline(of: listing, compose), "isOwner": isOwner, "justPosted": isNew,
            "alertOffer": isNew ? AlertOffer(near: listing).content(compose) as any TemplateValue : false,
            "isHidden": listing.hidden, "isForOrganisation": isForOrganisation, "cannotDelete": !canDelete,
            "hidden": hidden(localizer), "canAppeal": isOwner && listing.hiddenReason != nil,
            "canBeWritten": !isOwner && listing.content.status?.isOpen == true && !listing.hidden,
            "conversations": compose.path("/inbox?listing=\(id)"),
            "isSilent": shown(\.contactPhone) == nil && shown(\.contactEmail) == nil,
            "picture": picture, "shareLinks": shareLinks(localizer, compose.origin + "/listings/\(id)", summary),
            "hasSteps": steps != nil, "steps": steps?.content(of: listing, localizer) ?? [],
            "canHaveSteps": isOwner && steps == nil && NextSteps.help(with: listing),
            "flyers": Flyer.Format.allCases.map { format in
                [
                    "href": compose.path("/listings/\(id)/flyer.pdf?format=\(format.rawValue)"),
                    "label": localizer("flyer.\(format.rawValue)"),
                ]
            },
            "jsonLD": (try? JSONText(LinkedData(listing, localizer, origin: compose.origin)).text) ?? "{}",
        ]) { $1 }
        page["searchArea"] = searchArea?.content(compose) ?? [:]
        page["hasSearchArea"] = searchArea != nil
        page.merge(tracks?.content(of: listing, compose) ?? [:]) { $1 }
        if let photo = listing.photos.first {
            page["ogPhoto"] = photo.content(compose, name: name, of: 1).merging(["url": compose.origin + photo.url]) {
                $1
            }
        } else {
            page["ogPhoto"] = [
                "url": compose.origin + picture, "width": Picture.side, "height": Picture.side,
                "alt": "\(localizer.status(content.status)): \(name) \(summary)",
            ]
        }
        return page
    }

    /// Links that open the listing in other services. They load nothing from them before somebody follows a link.
    private func shareLinks(
        _ localizer: Localizer,
        _ address: String,
        _ summary: String
    ) -> [[String: any TemplateValue]] {
        let title = "\(localizer.status(listing.content.status)): \(localizer.name(listing.content)) \(summary)"
        let (text, url) = (title.queryEncoded, address.queryEncoded)
        return [
            ("WhatsApp", "https://wa.me/?text=\(text)%20\(url)"),
            ("Telegram", "https://t.me/share/url?url=\(url)&text=\(text)"),
            ("Facebook", "https://www.facebook.com/sharer/sharer.php?u=\(url)"),
        ].map { name, href in ["name": name, "href": href] }
    }

    private static func row(_ row: Row) -> [String: any TemplateValue] {
        ["label": row.label, "value": row.value]
    }

    /// Returns the text that states that the listing is hidden and, if known, the reason.
    private func hidden(_ localizer: Localizer) -> String {
        let words = localizer(isOwner ? "listing.hidden" : "listing.hiddenFromOthers")
        guard let reason = listing.hiddenReason else { return words }
        return words + " " + localizer("listing.hiddenBecause", ["reason": localizer("reason.\(reason.rawValue)")])
    }

    /// Returns the description, of about 200 characters, that messengers show below the title of a shared link. They
    /// keep it for months, so it contains the date and no relative time.
    private func description(_ localizer: Localizer) -> String {
        let day = localizer.day(ListingCard(listing).seenAt, at: listing.location)
        let said = ["\(localizer("field.seen")): \(day)"] + localizer.sentences(on: listing.content)
        return said.sentences.shortened(to: 200)
    }

    typealias Row = (field: ListingField, label: String, value: String)

    func facts(_ localizer: Localizer) -> [Row] { rows(.fact, localizer) }

    func paragraphs(_ localizer: Localizer) -> [Row] { rows(.paragraph, localizer) }

    /// The fields that the viewer can see.
    private func rows(_ display: ListingField.Display, _ localizer: Localizer) -> [Row] {
        ListingField.displayed(display).filter { isOwner || $0.access == .everybody }.compactMap { field in
            localizer.text(field, of: listing.content).map { (field, localizer("field.\(field.name)"), $0) }
        }
    }

    private var contactName: String? { shown(\.contactName) }

    /// Returns a contact if it is public and the listing is not closed. After an animal is back home, nobody needs to
    /// contact its owner.
    func shown(_ contact: KeyPath<ListingContent, ListingContent.Contact>) -> String? {
        let contact = listing.content[keyPath: contact]
        return contact.isPublic && listing.content.status?.isOpen != false ? contact.value : nil
    }

    private func contacts(_ localizer: Localizer) -> [[String: any TemplateValue]] {
        var contacts: [[String: any TemplateValue]] = []
        if let number = shown(\.contactPhone) {
            contacts.append([
                "href": "tel:\(number.filter { $0.isNumber || $0 == "+" })", "isPhone": true, "isMail": false,
                "label": localizer("listing.call", ["phone": number]),
            ])
        }
        if let address = shown(\.contactEmail) {
            let encoded = address.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
            contacts.append([
                "href": "mailto:\(encoded)", "isPhone": false, "isMail": true,
                "label": localizer("listing.write", ["email": address]),
            ])
        }
        return contacts
    }

    private func fullPlace(_ localizer: Localizer) -> String {
        let location = listing.location
        let locality = location.locality == location.place ? nil : location.locality
        return [locality, localizer.place(location), location.region, location.country].compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: ", ")
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
        let (place, point) = (localizer.place(listing.location), listing.location.coordinate)
        spatialCoverage = Spot(name: place, geo: Geo(latitude: point.lat, longitude: point.lon))
    }
}
