package import Domain
import Foundation

/// A listing's own page, to share.
package struct ListingPage: Page {
    package let template = "listing"
    package let section = PageSection.none
    let listing: Listing
    let isOwner: Bool
    /// Whether it was posted by this very visit.
    let isNew: Bool

    package init(_ listing: Listing, isOwner: Bool, isNew: Bool) {
        self.listing = listing
        self.isOwner = isOwner
        self.isNew = isNew
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        let (content, location) = (listing.content, listing.location)
        let name = wording.name(content)
        let summary = wording("listing.at", ["place": wording.place(location)])
        var page = ListingCard(listing).content(compose)
        page.merge([
            "canonical": compose.origin + "/listings/\(listing.id.uuidString.lowercased())",
            "title": "\(wording.status(content.status)): \(name) \(summary)",
            "description": description(wording), "summary": summary,
            "photos": listing.photos.map { $0.content(compose, name: name, of: listing.photos.count) },
            "facts": facts(wording).map { ["label": $0.label, "value": $0.value] }, "contacts": contacts(wording),
            "seenOn": wording.moment(ListingCard(listing).seenAt), "contactName": contactName ?? "",
            "marks": content.marks ?? "", "text": content.description ?? "",
            "fullPlace": fullPlace(wording), "approximate": location.approximate && location.exact == nil,
            "isArea": location.exact != nil,
            "lon": String(location.coordinate.lon), "lat": String(location.coordinate.lat),
            "timeline": timeline(wording), "isOwner": isOwner, "justPosted": isNew, "isHidden": listing.hidden,
            "hidden": hidden(wording), "canAppeal": isOwner && listing.hiddenReason != nil,
            "canBeWritten": !isOwner && listing.content.status?.isOpen == true && !listing.hidden,
            "conversations": compose.path("/inbox?listing=\(listing.id.uuidString.lowercased())"),
            "isSilent": shown(\.contactPhone) == nil && shown(\.contactEmail) == nil,
            "jsonLD": (try? JSONText(LinkedData(listing, wording, origin: compose.origin)).text) ?? "{}",
        ]) { $1 }
        if let photo = listing.photos.first {
            page["ogPhoto"] = photo.content(compose, name: name, of: 1).merging(["url": compose.origin + photo.url]) {
                $1
            }
        }
        return page
    }

    /// That it is hidden, and why.
    private func hidden(_ wording: Wording) -> String {
        let words = wording(isOwner ? "listing.hidden" : "listing.hiddenFromOthers")
        guard let reason = listing.hiddenReason else { return words }
        return words + " " + wording("listing.hiddenBecause", ["reason": wording("reason.\(reason.rawValue)")])
    }

    /// What a messenger shows below the title.
    private func description(_ wording: Wording) -> String {
        let said = [wording.ago(ListingCard(listing).seenAt)] + wording.sentences(on: listing.content)
        return String(said.joined(separator: ". ").prefix(200))
    }

    func facts(_ wording: Wording) -> [(label: String, value: String)] {
        let content = listing.content
        let facts = [
            ("field.breed", wording.breed(content)),
            ("field.sex", content.sex.map { wording("sex.\($0.rawValue)") }),
            ("field.size", content.size.map { wording("size.\($0.rawValue)") }),
            ("field.colour", content.colour), ("field.age", content.age),
            ("field.microchip", isOwner ? content.microchip : nil),
            ("field.secret_mark", isOwner ? content.secretMark : nil),
        ]
        return facts.compactMap { key, value in value.map { (wording(key), $0) } }
    }

    private var contactName: String? { shown(\.contactName) }

    /// Nobody needs to reach whoever has the animal back.
    func shown(_ contact: KeyPath<ListingContent, ListingContent.Contact>) -> String? {
        let contact = listing.content[keyPath: contact]
        return contact.isPublic && listing.content.status?.isOpen != false ? contact.value : nil
    }

    private func contacts(_ wording: Wording) -> [[String: any Sendable]] {
        var contacts: [[String: any Sendable]] = []
        if let number = shown(\.contactPhone) {
            contacts.append([
                "href": "tel:\(number.filter { $0.isNumber || $0 == "+" })", "isPhone": true, "isMail": false,
                "label": wording("listing.call", ["phone": number]),
            ])
        }
        if let address = shown(\.contactEmail) {
            let encoded = address.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
            contacts.append([
                "href": "mailto:\(encoded)", "isPhone": false, "isMail": true,
                "label": wording("listing.write", ["email": address]),
            ])
        }
        return contacts
    }

    private func fullPlace(_ wording: Wording) -> String {
        let location = listing.location
        let locality = location.locality == location.place ? nil : location.locality
        return [locality, wording.place(location), location.region, location.country].compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private func timeline(_ wording: Wording) -> [[String: String]] {
        let status = listing.content.status ?? .lost
        var moments = [
            (ListingCard(listing).seenAt, wording("listing.seen.\(status.rawValue)")),
            (listing.createdAt, wording("listing.created")),
        ]
        // Its photos arrive a moment after it.
        if listing.updatedAt > listing.createdAt.adding(seconds: 300) || !status.isOpen {
            moments.append(
                (listing.updatedAt, wording(status.isOpen ? "listing.updated" : "listing.\(status.rawValue)"))
            )
        }
        return moments.sorted { $0.0 < $1.0 }.map { time, what in
            ["at": time.text, "when": wording.moment(time), "what": what]
        }
    }
}

/// A listing in the words of schema.org, for search engines.
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

    init(_ listing: Listing, _ wording: Wording, origin: String) {
        let content = listing.content
        name = "\(wording.status(content.status)): \(wording.name(content))"
        text = wording.sentences(on: content).joined(separator: ". ")
        datePosted = listing.createdAt.text
        url = "\(origin)/listings/\(listing.id.uuidString.lowercased())"
        image = listing.photos.map { origin + $0.url }
        let (place, point) = (wording.place(listing.location), listing.location.coordinate)
        spatialCoverage = Spot(name: place, geo: Geo(latitude: point.lat, longitude: point.lon))
    }
}
