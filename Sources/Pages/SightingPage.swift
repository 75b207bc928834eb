package import Domain
package import Foundation
import Localization
import Mustache

/// The form to tell the owner of a listing where the lost animal was seen.
package struct SightingView: PageView {
    package static let template = "sighting"
    let heading, name, summary, listing: String
    let key, timeZone, problem, text: String?
    let isNew: Bool
    let longest: Int
    let seen, phone: InputView
    let place: PlaceInputView
    let spot: SpotInputView
    let photoInput: PhotoInputView
    let photo: PhotoView?
}

extension PageBuilder {
    /// - Parameter zone: the time zone of the listing's place, in which the form shows the present time.
    package func sighting(of listing: Listing, in zone: TimeZone) -> SightingView {
        let values = ["key": UUID().uuidString.lowercased(), "seen_at": Timestamp.now.localInput(in: zone)]
        return sighting(of: listing, typed: values, problem: nil)
    }

    /// The form with the input of a rejected request, so that the user can correct it.
    package func sighting(of listing: Listing, typed: [String: String], problem: ServiceError?) -> SightingView {
        let name = localizer.name(listing.content)
        let inputs = Inputs(
            values: typed,
            problem: problem.map(localizer.problem),
            wrong: problem?.isAboutPhoto == true ? "photo" : problem?.field
        )
        return SightingView(
            heading: localizer("sighting.button.\(listing.content.species.rawValue)"), name: name,
            summary: localizer("listing.at", ["place": localizer.place(listing.location)]),
            listing: listingPath(listing.id), key: typed["key"], timeZone: typed["time_zone"],
            problem: inputs.problem, text: typed["text"], isNew: problem == nil, longest: Sighting.maxTextLength,
            seen: inputs["seen_at"], phone: inputs["contact_phone"], place: PlaceInputView(inputs, problem),
            spot: SpotInputView(
                lon: typed["lon"], lat: typed["lat"], positionSet: localizer("sighting.positionSet"),
                startLon: String(listing.location.coordinate.lon), startLat: String(listing.location.coordinate.lat)
            ),
            photoInput: PhotoInputView(
                label: localizer("sighting.photo"), error: inputs["photo"].error, isAgain: problem != nil
            ),
            photo: listing.photos.first.map { photo($0, name: name, of: 1) }
        )
    }
}
