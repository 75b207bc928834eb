package import Domain
import Localization
import Mustache

/// The form to upload a track.
package struct TrackView: PageView {
    package static let template = "track"
    let name: String
    let problem: String?
    let form: TrackFormView
}

struct TrackFormView: TemplateView {
    let href: String
    let name: String?
    let longest: Int
    let kinds, visibilities: [OptionView]
}

/// The part of a listing's page that lists the tracks of collars and search parties.
struct TrackSectionView: TemplateView {
    let hint: String
    let link, searchedLink: String?
    let items: [ItemView]
    /// Nil if the reader cannot add a track.
    let form: TrackFormView?

    struct ItemView: TemplateView {
        let action, kind, kindLabel, otherVisibility, otherLabel: String
        let name, device, last, points, visibilityLabel: String?
        let isOpen, isMine: Bool
    }
}

extension PageBuilder {
    package func track(of listing: Listing, typed: [String: String] = [:], problem: ServiceError? = nil) -> TrackView {
        TrackView(
            name: localizer.name(listing.content), problem: problem.map(localizer.problem),
            form: trackForm(listing, typed)
        )
    }

    /// - Parameter tracks: those that the reader may see.
    func tracks(_ tracks: [TrackSummary], of listing: Listing, isOwner: Bool, canAdd: Bool) -> TrackSectionView? {
        guard !tracks.isEmpty || canAdd else { return nil }
        let address = path("/v1/listings/\(listing.id.uuidString.lowercased())")
        return TrackSectionView(
            hint: localizer(isOwner ? "track.ownerHint" : "track.cellHint"),
            link: tracks.isEmpty ? nil : address + "/tracks",
            searchedLink: tracks.contains { $0.kind == .searchParty } ? address + "/searched-area" : nil,
            items: tracks.map { item($0, of: listing, isOwner: isOwner) },
            form: canAdd ? trackForm(listing, [:]) : nil
        )
    }

    private func item(_ track: TrackSummary, of listing: Listing, isOwner: Bool) -> TrackSectionView.ItemView {
        TrackSectionView.ItemView(
            action: listingPath(listing.id, "/tracks/\(track.number)"), kind: track.kind.rawValue,
            kindLabel: localizer("track.\(track.kind.rawValue)"),
            otherVisibility: (track.visibility == .owner ? Track.Visibility.everyone : .owner).rawValue,
            otherLabel: localizer(track.visibility == .owner ? "track.show" : "track.hide"), name: track.name,
            device: track.device,
            last: track.lastPointAt.map { localizer.moment($0, at: listing.location) },
            points: isOwner ? localizer("track.points", count: track.pointCount) : nil,
            visibilityLabel: isOwner ? localizer("track.seenBy.\(track.visibility.rawValue)") : nil,
            isOpen: track.isOpen, isMine: isOwner
        )
    }

    private func trackForm(_ listing: Listing, _ values: [String: String]) -> TrackFormView {
        TrackFormView(
            href: listingPath(listing.id), name: values["name"], longest: Track.maxNameLength,
            kinds: options(["search_party", "collar"], "track.choice", selected: values["kind"] ?? "search_party"),
            visibilities: options(["owner", "everyone"], "track.choice", selected: values["visibility"] ?? "owner")
        )
    }
}
