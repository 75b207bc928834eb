package import Domain
import Foundation
import Localization
package import Mustache

/// A page of listings as an Atom or RSS feed, with positions in GeoRSS-Simple.
package struct ListingFeed: Page {
    package enum Format: String, Sendable {
        /// RFC 4287, with paging as in RFC 5005.
        case atom
        /// RSS 2.0.
        case rss

        package var mediaType: String { "application/\(rawValue)+xml" }
    }

    /// Absolute URLs.
    package struct Addresses: Sendable {
        let first: String
        let own: String
        /// Nil on the last page.
        let next: String?
        /// The web page with the same listings.
        let board: String

        package init(first: String, own: String, next: String?, board: String) {
            self.first = first
            self.own = own
            self.next = next
            self.board = board
        }
    }

    package let section = PageSection.none
    private let format: Format
    private let listings: [Listing]
    private let filters: BoardFilters
    private let addresses: Addresses

    package init(_ format: Format, of listings: [Listing], filters: BoardFilters, addresses: Addresses) {
        self.format = format
        self.listings = listings
        self.filters = filters
        self.addresses = addresses
    }

    package var template: String { format.rawValue }

    /// The time of the latest change to the listings; 1970 if the feed is empty.
    package var updated: Timestamp {
        listings.map(\.updatedAt).max() ?? Timestamp(Date(timeIntervalSince1970: 0))
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "title": filters.heading(compose.localizer).xmlCharacters,
            "mediaType": format.mediaType, "updated": updated.text, "updatedOn": updated.httpDate,
            "first": addresses.first, "own": addresses.own, "next": addresses.next ?? "", "board": addresses.board,
            "isPage": addresses.own != addresses.first,
            "entries": listings.map { entry($0, compose) },
        ]
    }

    private func entry(_ listing: Listing, _ compose: PageBuilder) -> [String: any TemplateValue] {
        let (localizer, id) = (compose.localizer, listing.id.uuidString.lowercased())
        let point = listing.location.coordinate
        let page = ListingPage(listing, isOwner: false, isNew: false)
        return [
            "id": "urn:uuid:\(id)", "href": "\(compose.origin)/listings/\(id)",
            "title": title(listing, localizer).xmlCharacters,
            "published": listing.createdAt.text, "publishedOn": format == .rss ? listing.createdAt.httpDate : "",
            "updated": listing.updatedAt.text, "summary": summary(page, localizer).xmlCharacters,
            "author": (page.shown(\.contactName) ?? "").xmlCharacters,
            "status": (listing.content.status ?? .lost).rawValue,
            "statusLabel": localizer.status(listing.content.status),
            "photo": listing.photos.first.map { compose.origin + $0.url } ?? "", "point": "\(point.lat) \(point.lon)",
        ]
    }

    /// For example "Lost: Argo, German Shepherd, Fisciano (SA)".
    private func title(_ listing: Listing, _ localizer: Localizer) -> String {
        let content = listing.content
        let breed = content.name == nil ? nil : localizer.breed(content)
        let words = [localizer.name(content), breed, localizer.place(listing.location)].compactMap(\.self)
        return "\(localizer.status(content.status)): " + words.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private func summary(_ page: ListingPage, _ localizer: Localizer) -> String {
        let listing = page.listing
        let moment = localizer.moment(ListingCard(listing).seenAt, at: listing.location)
        let seen = "\(localizer("field.seen")): \(moment)"
        let call = page.shown(\.contactPhone).map { localizer("listing.call", ["phone": $0]) }
        let write = page.shown(\.contactEmail).map { localizer("listing.write", ["email": $0]) }
        return ([seen] + localizer.sentences(on: listing.content) + [call, write].compactMap(\.self)).sentences
    }
}

extension String {
    /// The text without the characters that XML 1.0 does not permit.
    fileprivate var xmlCharacters: String {
        // Only control characters, U+FFFE and U+FFFF can be excluded. The last two begin with the byte EF in UTF-8.
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0xEF }) else { return self }
        let isXML = { (scalar: Unicode.Scalar) in
            switch scalar.value {
            case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...: true
            default: false
            }
        }
        return unicodeScalars.allSatisfy(isXML) ? self : String(String.UnicodeScalarView(unicodeScalars.filter(isXML)))
    }
}
