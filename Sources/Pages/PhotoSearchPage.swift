import Domain
import Mustache

/// The form to search by photo.
package struct PhotoSearchView: PageView {
    package static let template = "photo-search"
    let problem, place, lon, lat: String?
    let lost, foundOrSighted: String
    let hasLost: Bool

    /// The statuses among which a visitor searches. Visitors who found an animal search the lost ones.
    package static let lost = Listing.Status.lost.rawValue
    package static let foundOrSighted = [Listing.Status.found, .sighted].map(\.rawValue).joined(separator: ",")
}

extension PageBuilder {
    /// - Parameter problem: the key of the text of an error message.
    package func photoSearch(typed: [String: String] = [:], problem: String? = nil) -> PhotoSearchView {
        PhotoSearchView(
            problem: problem.map { localizer($0) },
            place: typed["place"], lon: typed["lon"], lat: typed["lat"], lost: PhotoSearchView.lost,
            foundOrSighted: PhotoSearchView.foundOrSighted, hasLost: typed["status"] == PhotoSearchView.foundOrSighted
        )
    }
}
