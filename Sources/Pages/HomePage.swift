package import Domain
import Foundation
import Localization
import Mustache

/// The page for an owner whose animal has come home, or who has brought it home.
package struct HomeView: PageView {
    package static let template = "home"
    let heading, lead, listing: String
    let photo: PhotoView?
    let share: ListingView.ShareView
    let undo: UndoView?

    /// The form that reopens the listing.
    struct UndoView: TemplateView {
        let action, name, value: String
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - former: the status before; nil if it is not known.
    ///   - partner: the listing of the other owner who had confirmed the match.
    package func home(_ listing: Listing, former: Listing.Status?, partner: Listing? = nil) -> HomeView {
        let heading = heading(of: listing, partner)
        let isOthers = former.map { $0 != .lost } ?? false
        return HomeView(
            heading: heading,
            lead: isOthers ? localizer("home.thanks") : daysAway(of: listing), listing: listingPath(listing.id),
            photo: listing.photos.first.map { photo($0, name: localizer.name(listing.content), of: 1) },
            share: share(listing, heading),
            undo: undo(listing, former, partner)
        )
    }

    private func heading(of listing: Listing, _ partner: Listing?) -> String {
        guard let name = listing.content.name ?? partner?.content.name else { return localizer("home.unnamed") }
        let sex = (listing.content.sex ?? partner?.content.sex)?.rawValue ?? "unknown"
        return localizer("home.heading.\(sex)", ["name": name])
    }

    private func daysAway(of listing: Listing) -> String {
        let days = Int((Double(listing.updatedAt.milliseconds - listing.seenAt.milliseconds) / 86_400_000).rounded())
        return switch days {
        case 1: localizer("home.days.one")
        case 2...: localizer("home.days", ["n": localizer.number(days)])
        default: localizer("home.soon")
        }
    }

    private func undo(_ listing: Listing, _ former: Listing.Status?, _ partner: Listing?) -> HomeView.UndoView? {
        if let partner {
            let match = listingPath(listing.id, "/matches/\(partner.id.uuidString.lowercased())/home")
            return HomeView.UndoView(action: match, name: "home", value: "no")
        }
        guard let former, former.isOpen else { return nil }
        return HomeView.UndoView(action: listingPath(listing.id, "/status"), name: "status", value: former.rawValue)
    }
}
