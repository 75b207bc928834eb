package import Domain
package import Flyer
package import Foundation
import Localization

extension Localizer {
    /// Returns a flyer for a listing. It contains only the public data.
    ///
    /// - Parameters:
    ///   - photo: a JPEG.
    ///   - origin: the base URL of the service.
    package func flyer(of listing: Listing, photo: Data?, origin: String) -> Flyer {
        let content = listing.content
        let status = content.status ?? .lost
        let page = ListingPage(listing, isOwner: false, isNew: false)
        let phone = page.shown(\.contactPhone)
        let contacts = [phone, page.shown(\.contactEmail)].compactMap(\.self)
        let appeal = phone != nil ? "flyer.call" : contacts.isEmpty ? "flyer.page" : "flyer.write"
        let place = Flyer.Fact(self("listing.where"), self.place(listing.location))
        let seen = Flyer.Fact(self("field.seen"), moment(ListingCard(listing).seenAt))
        let facts = page.facts(self).map { Flyer.Fact($0.label, $0.value) }
        let paragraphs = page.paragraphs(self).filter { $0.field != .description }.map {
            Flyer.Fact($0.label, $0.value)
        }
        return Flyer(
            headline: self("flyer.headline.\(status.rawValue)"),
            status: status,
            name: name(content),
            facts: [place] + facts + [seen] + paragraphs,
            description: content.description,
            photo: photo,
            callToAction: self(appeal),
            contacts: contacts,
            address: "\(origin)/listings/\(listing.id.uuidString.lowercased())",
            language: language
        )
    }
}
