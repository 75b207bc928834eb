package import Domain
import Foundation
import Localization
import Mustache

package enum FeedFormat: String, Sendable {
    /// RFC 4287, with paging as in RFC 5005.
    case atom
    /// RSS 2.0.
    case rss

    package var mediaType: String { "application/\(rawValue)+xml" }
}

/// A page of listings as an Atom or RSS feed, with positions in GeoRSS-Simple.
struct FeedView: PageView {
    static let template = FeedFormat.atom.rawValue
    static let templates = [template, FeedFormat.rss.rawValue]
    let title, mediaType, updated, first, own, board: String
    let next: String?
    let isPage: Bool
    let entries: [EntryView]

    struct EntryView: TemplateView {
        let id, href, title, published, updated, summary, status, statusLabel, point: String
        let author, photo: String?
    }
}

extension Pages {
    /// The absolute URLs of a feed: of its first page, of this page, of the next one, and of the web page with the same
    /// listings.
    package typealias FeedAddresses = (first: String, own: String, next: String?, board: String)

    /// Returns a feed in UTF-8.
    package func feed(
        _ format: FeedFormat,
        of listings: [Listing],
        filters: BoardFilters,
        _ addresses: FeedAddresses,
        for visit: PageContext
    ) -> [UInt8] {
        let builder = builder(visit.language, origin: visit.origin)
        return render(format.rawValue, builder.feed(format, of: listings, filters: filters, addresses), for: visit)
    }
}

extension [Listing] {
    /// The time of the latest change; 1970 if there are no listings.
    package var updated: Timestamp {
        map(\.updatedAt).max() ?? Timestamp(Date(timeIntervalSince1970: 0))
    }
}

extension PageBuilder {
    fileprivate func feed(
        _ format: FeedFormat,
        of listings: [Listing],
        filters: BoardFilters,
        _ addresses: Pages.FeedAddresses
    ) -> FeedView {
        let time = { (time: Timestamp) in format == .rss ? time.httpDate : time.text }
        return FeedView(
            title: filters.heading(localizer).xmlCharacters, mediaType: format.mediaType,
            updated: time(listings.updated), first: addresses.first, own: addresses.own, board: addresses.board,
            next: addresses.next, isPage: addresses.own != addresses.first,
            entries: listings.map { listing in
                let (id, point) = (listing.id.uuidString.lowercased(), listing.location.coordinate)
                return FeedView.EntryView(
                    id: "urn:uuid:\(id)", href: "\(origin)/listings/\(id)", title: title(of: listing).xmlCharacters,
                    published: time(listing.createdAt), updated: time(listing.updatedAt),
                    summary: summary(of: listing).xmlCharacters, status: (listing.content.status ?? .lost).rawValue,
                    statusLabel: localizer.status(listing.content.status), point: "\(point.lat) \(point.lon)",
                    author: listing.shown(\.contactName)?.xmlCharacters,
                    photo: listing.photos.first.map { origin + $0.url }
                )
            }
        )
    }

    /// For example "Lost: Argo, German Shepherd, Fisciano (SA)".
    private func title(of listing: Listing) -> String {
        let content = listing.content
        let breed = content.name == nil ? nil : localizer.breed(content)
        let words = [localizer.name(content), breed, localizer.place(listing.location)].compactMap(\.self)
        return "\(localizer.status(content.status)): " + words.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private func summary(of listing: Listing) -> String {
        let seen = "\(localizer("field.seen")): \(localizer.seen(listing))"
        let place = listing.content.whereabouts.map { "\(localizer("listing.where")): \($0)" }
        let call = listing.telephone.map { localizer("listing.call", ["phone": $0.text]) }
        let write = listing.shown(\.contactEmail).map { localizer("listing.write", ["email": $0]) }
        return
            ([seen] + [place].compactMap(\.self) + localizer.sentences(on: listing.content)
            + [call, write].compactMap(\.self)).sentences
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
