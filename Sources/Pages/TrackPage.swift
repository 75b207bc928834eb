package import Domain
import Foundation
import Localization
package import Mustache

/// The form to upload a track.
package struct TrackPage: Page {
    package let template = "track"
    package let section = PageSection.none
    let listing: Listing
    /// The texts of the inputs, by field name.
    let values: [String: String]
    let problem: ServiceError?

    /// - Parameters:
    ///   - typed: the input of a rejected request, so that the user can correct it.
    ///   - problem: nil for a new form.
    package init(_ listing: Listing, typed: [String: String] = [:], problem: ServiceError? = nil) {
        self.listing = listing
        values = typed
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let name = localizer.name(listing.content)
        let message = problem.map(localizer.problem) ?? ""
        return [
            "title": "\(localizer("track.add")): \(name)", "name": name, "problem": message,
            "href": compose.path("/listings/\(listing.id.uuidString.lowercased())"),
            "trackForm": TrackSection.form(values, localizer),
        ]
    }
}

/// The part of a listing's page that lists the tracks of collars and search parties.
package struct TrackSection: Sendable {
    private let tracks: [TrackSummary]
    private let isOwner: Bool
    private let canAdd: Bool

    /// - Parameter tracks: those that the reader may see.
    package init(_ tracks: [TrackSummary], of listing: Listing, isOwner: Bool) {
        self.tracks = tracks
        self.isOwner = isOwner
        canAdd = isOwner && listing.content.status == .lost && !listing.hidden
    }

    func content(of listing: Listing, _ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let id = listing.id.uuidString.lowercased()
        return [
            "hasTracks": !tracks.isEmpty || canAdd, "canAddTrack": canAdd,
            "tracks": tracks.map { item($0, of: listing, compose) },
            "tracksLink": tracks.isEmpty ? "" : compose.path("/v1/listings/\(id)/tracks"),
            "searchedLink": tracks.contains { $0.kind == .searchParty }
                ? compose.path("/v1/listings/\(id)/searched-area") : "",
            "tracksHint": localizer(isOwner ? "track.ownerHint" : "track.cellHint"),
            "trackForm": Self.form([:], localizer),
        ]
    }

    private func item(
        _ track: TrackSummary,
        of listing: Listing,
        _ compose: PageBuilder
    ) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let last = track.lastPointAt.map { localizer.moment($0, at: listing.location) }
        let points = localizer("track.points", ["n": localizer.number(track.pointCount)])
        return [
            "number": track.number, "kind": track.kind.rawValue, "kindLabel": localizer("track.\(track.kind.rawValue)"),
            "trackName": track.name ?? "", "device": track.device ?? "", "last": last ?? "",
            "points": isOwner ? points : "", "isOpenTrack": track.isOpen, "ownsTrack": isOwner,
            "visibilityLabel": isOwner ? localizer("track.seenBy.\(track.visibility.rawValue)") : "",
            "otherVisibility": (track.visibility == .owner ? Track.Visibility.everyone : .owner).rawValue,
            "otherLabel": localizer(track.visibility == .owner ? "track.show" : "track.hide"),
        ]
    }

    /// The values of the template `track-form`.
    static func form(_ values: [String: String], _ localizer: Localizer) -> [String: any TemplateValue] {
        func choices(_ name: String, _ options: [String], _ standard: String) -> [[String: any TemplateValue]] {
            options.map { option in
                [
                    "value": option, "label": localizer("track.choice.\(option)"),
                    "isChosen": (values[name] ?? standard) == option,
                ]
            }
        }
        return [
            "kinds": choices("kind", ["search_party", "collar"], "search_party"),
            "visibilities": choices("visibility", ["owner", "everyone"], "owner"),
            "typedName": values["name"] ?? "", "longest": Track.maxNameLength,
        ]
    }
}
