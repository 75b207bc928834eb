import Credentials
import Domain
import Foundation
import HTTP
import Hummingbird
import Pages
import Photos
import Storage

/// Stores the sighting that a form tells of, for guests too, and leads to the listing.
struct SightingReporter {
    let site: Site
    let service: SightingService
    let accountService: AccountService

    /// - Parameters:
    ///   - typed: the texts of the form of sightings.
    ///   - sent: the form with the photo, of which the first is taken, and the key that lets the sighting be stored once.
    /// - Throws: `ServiceError` if the animal is not missing any more or a field is wrong.
    func report(
        _ typed: [String: String],
        _ sent: FormReader.SubmittedForm,
        of listing: Listing,
        _ request: Request,
        _ context: ServiceContext
    ) async throws -> Response {
        // The sighting is checked before a guest account is created, so that a refused one leaves no account behind.
        if let origin = listing.origin { throw ServiceError.copiedListing(origin) }
        guard listing.takesSightings else { throw ServiceError.notLost }
        let zone = site.page.timeZones.zone(at: listing.location)
        let content = try SightingContent(typed: typed, sent, zone: zone)
        let draft = try await service.locate(content, site.page.pageLanguage(request))
        let photo = try sent.photo()
        let token = context.cookie ?? Token()
        let account = try await accountService.account(request, context, token)
        let author = try site.stores.listings.actor(account, at: listing)
        let id = sent.key?.id(for: author) ?? UUID()
        _ = try await service.add(draft, photo: photo, id: id, of: listing, by: author, from: context.client)
        let done = author.key == listing.owner ? "sighting.added" : "sighting.thanks"
        var response = site.page.redirect("/listings/\(listing.id.lowercased)", done: done)
        site.page.keep(token, of: account, context, in: &response)
        return response
    }
}

extension Listing {
    /// Whether sightings of the animal can be reported.
    var takesSightings: Bool { content.status == .lost && !hidden && origin == nil }
}

extension SightingContent {
    /// - Parameters:
    ///   - typed: the texts of the form of sightings.
    ///   - zone: the time zone of the listing, which the form shows times in, unless a script states another one.
    fileprivate init(typed: [String: String], _ sent: FormReader.SubmittedForm, zone: TimeZone) throws {
        let typed = typed.choosingPlace()
        var fields = try sent.values(typed.filter { ["text", "contact_phone", "lon", "lat"].contains($0.key) })
        fields[PointConfirmation.fieldName] = typed.pointConfirmation
        // A street that was typed with an unclear town.
        if let street = typed["whereabouts"] {
            fields["text"] = .string([street, typed["text"]].compactMap(\.self).joined(separator: "\n"))
        }
        // Scripts show the town of the chosen point.
        if fields["lon"] == nil, fields["lat"] == nil {
            fields["place"] = typed["place"].map(JSONValue.string)
        }
        if let text = typed["seen_at"] {
            let stated = typed["time_zone"].flatMap(TimeZone.init(identifier:)) ?? zone
            guard let time = Timestamp(written: text, zone: stated) else {
                throw ServiceError.invalid("seen_at", "expected a time like 26/11/2026 15:30 or 2026-11-26T15:30")
            }
            fields["seen_at"] = .string(time.text)
        }
        try self.init(fields)
    }
}
