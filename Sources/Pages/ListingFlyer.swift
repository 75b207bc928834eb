package import Domain
package import Flyer
package import Foundation
import Localization

extension Localizer {
    /// Returns a flyer for a listing. It contains only the public data.
    ///
    /// - Parameters:
    ///   - photo: a JPEG.
    ///   - vets: those nearby that have a telephone number; two of them are named.
    ///   - origin: the base URL of the service.
    package func flyer(of listing: Listing, photo: Data?, vets: [HelpContact] = [], origin: String) -> Flyer {
        let content = listing.content
        let status = content.status ?? .lost
        let phone = listing.telephone?.text
        let contacts = [phone, listing.shown(\.contactEmail)].compactMap(\.self)
        let appeal = phone != nil ? "flyer.call" : contacts.isEmpty ? "flyer.page" : "flyer.write"
        let place = Flyer.Fact(self("listing.where"), spot(of: listing))
        let seen = Flyer.Fact(self("field.seen"), seen(listing))
        let facts = rows(.fact, of: listing, isOwner: false).filter { $0.field != .reward }.map {
            Flyer.Fact($0.view.label, $0.view.value)
        }
        let paragraphs = rows(.paragraph, of: listing, isOwner: false).filter { $0.field != .description }.map {
            Flyer.Fact($0.view.label, $0.view.value)
        }
        let vetsNearby = vets.prefix(2).map { vet in
            // The number is first, because a long name can be cut off.
            let phone = TelephoneView(vet.poi.phone ?? "", in: vet.country).text
            return Flyer.Fact(self("flyer.vet"), [phone, vet.poi.name].compactMap(\.self).joined(separator: ", "))
        }
        return Flyer(
            headline: self("flyer.headline.\(status.rawValue)"),
            status: status,
            name: name(content),
            reward: reward(content),
            facts: [place] + facts + [seen] + paragraphs + vetsNearby,
            description: content.description,
            photo: photo,
            callToAction: self(appeal),
            contacts: contacts,
            address: listing.shortAddress(origin),
            language: language
        )
    }

    /// Returns the sheet for the kennel of an animal. It contains the microchip, which only the owner may see, and not the secret
    /// mark, because visitors read it.
    ///
    /// - Parameters:
    ///   - record: what the owner notes of the animal.
    ///   - photo: a JPEG.
    ///   - origin: the base URL of the service.
    package func kennelSheet(of listing: Listing, _ record: AnimalRecord, photo: Data?, origin: String) -> KennelSheet {
        let facts = (rows(.fact, of: listing, isOwner: true) + rows(.paragraph, of: listing, isOwner: true))
            .filter { ![.reward, .secretMark, .reference, .description].contains($0.field) }
            .map { Flyer.Fact($0.view.label, $0.view.value) }
        let notes = self.facts(record, of: listing).map { Flyer.Fact($0.label, $0.value) }
        let arrival =
            record[.intakeDay] == nil
            ? [Flyer.Fact(self("sheet.arrival"), day(listing.createdAt, at: listing.location))] : []
        return KennelSheet(
            name: name(listing.content),
            reference: listing.content[.reference],
            facts: facts + notes + arrival + [
                Flyer.Fact(self("field.seen"), seen(listing)), Flyer.Fact(self("listing.where"), spot(of: listing)),
            ],
            notes: listing.content.description,
            notesHeading: self("sheet.notes"),
            photo: photo,
            address: listing.shortAddress(origin),
            language: language
        )
    }

    /// Returns a picture of a listing. It contains only the public data.
    ///
    /// - Parameter origin: the base URL of the service.
    package func picture(of listing: Listing, origin: String) -> Picture {
        let status = listing.content.status ?? .lost
        let day = day(listing.seenAt, at: listing.location)
        return Picture(
            headline: self("flyer.headline.\(status.rawValue)"),
            status: status,
            name: name(listing.content),
            reward: reward(listing.content),
            lines: [spot(of: listing, streetAtMost: 45), "\(self("field.seen")): \(day)"],
            phone: listing.telephone?.text,
            address: listing.shortAddress(origin).withoutScheme,
            language: language
        )
    }

    /// Returns a picture of the site.
    ///
    /// - Parameter origin: the base URL of the service.
    package func picture(ofSite name: String, origin: String) -> SitePicture {
        SitePicture(name: name, line: self("footer.picture"), site: origin.withoutScheme, language: language)
    }

    private func reward(_ content: ListingContent) -> String? {
        guard content.status?.isOpen != false else { return nil }
        return content[.reward].map { "\(self("field.reward")): \($0)" }
    }
}

extension String {
    fileprivate var withoutScheme: String { replacing(/^https?:\/\//, with: "") }
}
