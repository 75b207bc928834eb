package import Domain
import Foundation
import Localization
package import Mustache

/// The page of a single listing, which visitors can share.
package struct ListingPage: Page {
    package let template = "listing"
    package let section = PageSection.none
    let listing: Listing
    let isOwner: Bool
    /// Whether the visitor has just posted the listing.
    let isNew: Bool

    package init(_ listing: Listing, isOwner: Bool, isNew: Bool) {
        self.listing = listing
        self.isOwner = isOwner
        self.isNew = isNew
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let (content, location) = (listing.content, listing.location)
        let name = localizer.name(content)
        let summary = localizer("listing.at", ["place": localizer.place(location)])
        var page = ListingCard(listing).content(compose)
        page.merge([
            "canonical": compose.origin + "/listings/\(listing.id.uuidString.lowercased())",
            "title": "\(localizer.status(content.status)): \(name) \(summary)",
            "description": description(localizer), "summary": summary,
            "photos": listing.photos.map { $0.content(compose, name: name, of: listing.photos.count) },
            "facts": facts(localizer).map(Self.row), "contacts": contacts(localizer),
            "seenOn": localizer.moment(ListingCard(listing).seenAt), "contactName": contactName ?? "",
            "paragraphs": paragraphs(localizer).map { Self.row(($0.label, $0.value)) },
            "fullPlace": fullPlace(localizer), "approximate": location.approximate && location.exact == nil,
            "isArea": location.exact != nil,
            "lon": String(location.coordinate.lon), "lat": String(location.coordinate.lat),
            "timeline": timeline(localizer), "isOwner": isOwner, "justPosted": isNew, "isHidden": listing.hidden,
            "hidden": hidden(localizer), "canAppeal": isOwner && listing.hiddenReason != nil,
            "canBeWritten": !isOwner && listing.content.status?.isOpen == true && !listing.hidden,
            "conversations": compose.path("/inbox?listing=\(listing.id.uuidString.lowercased())"),
            "isSilent": shown(\.contactPhone) == nil && shown(\.contactEmail) == nil,
            "jsonLD": (try? JSONText(LinkedData(listing, localizer, origin: compose.origin)).text) ?? "{}",
        ]) { $1 }
        if let photo = listing.photos.first {
            page["ogPhoto"] = photo.content(compose, name: name, of: 1).merging(["url": compose.origin + photo.url]) {
                $1
            }
        }
        return page
    }

    private static func row(_ row: (label: String, value: String)) -> [String: any TemplateValue] {
        ["label": row.label, "value": row.value]
    }

    /// Returns the text that states that the listing is hidden and, if known, the reason.
    private func hidden(_ localizer: Localizer) -> String {
        let words = localizer(isOwner ? "listing.hidden" : "listing.hiddenFromOthers")
        guard let reason = listing.hiddenReason else { return words }
        return words + " " + localizer("listing.hiddenBecause", ["reason": localizer("reason.\(reason.rawValue)")])
    }

    /// Returns the description, of at most 200 characters, that messengers show below the title of a shared link.
    private func description(_ localizer: Localizer) -> String {
        let said = [localizer.ago(ListingCard(listing).seenAt)] + localizer.sentences(on: listing.content)
        return String(said.joined(separator: ". ").prefix(200))
    }

    func facts(_ localizer: Localizer) -> [(label: String, value: String)] {
        fields(.fact).compactMap { field in
            localizer.text(field, of: listing.content).map { (localizer("field.\(field.name)"), $0) }
        }
    }

    func paragraphs(_ localizer: Localizer) -> [(field: ListingField, label: String, value: String)] {
        fields(.paragraph).compactMap { field in
            localizer.text(field, of: listing.content).map { (field, localizer("field.\(field.name)"), $0) }
        }
    }

    /// The fields that the viewer can see.
    private func fields(_ display: ListingField.Display) -> [ListingField] {
        ListingField.displayed(display).filter { isOwner || $0.access == .everybody }
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

    private func timeline(_ localizer: Localizer) -> [[String: any TemplateValue]] {
        let status = listing.content.status ?? .lost
        var moments = [
            (ListingCard(listing).seenAt, localizer("listing.seen.\(status.rawValue)")),
            (listing.createdAt, localizer("listing.created")),
        ]
        // Clients upload photos shortly after they post the listing; this does not count as an update.
        if listing.updatedAt > listing.createdAt.adding(seconds: 300) || !status.isOpen {
            moments.append(
                (listing.updatedAt, localizer(status.isOpen ? "listing.updated" : "listing.\(status.rawValue)"))
            )
        }
        return moments.sorted { $0.0 < $1.0 }.map { time, what in
            ["at": time.text, "when": localizer.moment(time), "what": what]
        }
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
        text = localizer.sentences(on: content).joined(separator: ". ")
        datePosted = listing.createdAt.text
        url = "\(origin)/listings/\(listing.id.uuidString.lowercased())"
        image = listing.photos.map { origin + $0.url }
        let (place, point) = (localizer.place(listing.location), listing.location.coordinate)
        spatialCoverage = Spot(name: place, geo: Geo(latitude: point.lat, longitude: point.lon))
    }
}
