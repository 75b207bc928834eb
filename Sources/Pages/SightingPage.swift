package import Domain
package import Foundation
import Localization
package import Mustache

/// The form to tell the owner of a listing where the lost animal was seen.
package struct SightingPage: Page {
    package let template = "sighting"
    package let section = PageSection.none
    let listing: Listing
    /// The texts of the inputs, by field name.
    let values: [String: String]
    let problem: ServiceError?

    /// - Parameter zone: the time zone of the listing's place, in which the form shows the present time.
    package init(_ listing: Listing, in zone: TimeZone) {
        self.listing = listing
        values = ["key": UUID().uuidString.lowercased(), "seen_at": Timestamp.now.localInput(in: zone)]
        problem = nil
    }

    /// Creates a form with the input of a rejected request, so that the user can correct it.
    package init(_ listing: Listing, typed: [String: String], problem: ServiceError) {
        self.listing = listing
        values = typed
        self.problem = problem
    }

    /// The name of the input that the problem is about.
    private var problemInput: String? { problem?.isAboutPhoto == true ? "photo" : problem?.field }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let heading = localizer("sighting.button.\(listing.content.species.rawValue)")
        let message = problem.map(localizer.problem) ?? ""
        let photo = listing.photos.first?.content(compose, name: localizer.name(listing.content), of: 1)
        return [
            "title": "\(heading): \(localizer.name(listing.content))", "heading": heading,
            "name": localizer.name(listing.content),
            "listing": compose.path("/listings/\(listing.id.uuidString.lowercased())"),
            "summary": localizer("listing.at", ["place": localizer.place(listing.location)]),
            "photo": photo.map { [$0] } ?? [],
            "f": values.templateValues, "isNew": problem == nil, "problem": message,
            "e": problemInput.map { [$0: message] } ?? [:], "photoLabel": localizer("sighting.photo"),
            "towns": (problem?.candidates ?? []).map { ["name": $0.fullName] },
            "hasTowns": problem?.candidates.isEmpty == false,
            "startLon": String(listing.location.coordinate.lon), "startLat": String(listing.location.coordinate.lat),
            "positionSet": localizer("sighting.positionSet"),
            "longest": Sighting.maxTextLength,
        ]
    }
}
