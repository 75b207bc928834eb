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
    let action: String
    /// The offer to thank those who saw the animal; nil if there is nobody, or if it was done.
    let thanks: String?
    let isShown: Bool
    let undo: UndoView?

    /// The form that reopens the listing.
    struct UndoView: TemplateView {
        let action, name, value: String
    }
}

/// The data of the page besides the listing.
package struct HomeContext {
    /// The status before; nil if it is not known.
    let former: Listing.Status?
    /// The listing of the other owner who had confirmed the match.
    let partner: Listing?
    /// The number of people whose sightings the owner has confirmed.
    let helpers: Int
    let isThanked: Bool
    /// Whether the board shows the reunion.
    let isShown: Bool

    package init(
        former: Listing.Status? = nil,
        partner: Listing? = nil,
        helpers: Int = 0,
        isThanked: Bool = false,
        isShown: Bool = false
    ) {
        (self.former, self.partner, self.helpers) = (former, partner, helpers)
        (self.isThanked, self.isShown) = (isThanked, isShown)
    }
}

extension Localizer {
    /// The message to those who saw the animal of a listing that is home.
    package func thanks(for listing: Listing) -> String {
        guard let name = listing.content.name else { return self("home.thanksUnnamed") }
        return self("home.thanksText", ["name": name])
    }
}

extension PageBuilder {
    package func home(_ listing: Listing, _ page: HomeContext) -> HomeView {
        let (former, partner) = (page.former, page.partner)
        let heading = heading(of: listing, partner)
        let isOthers = former.map { $0 != .lost } ?? false
        return HomeView(
            heading: heading,
            lead: isOthers ? localizer("home.thanks") : daysAway(of: listing),
            listing: listingPath(listing.id),
            photo: listing.photos.first.map { photo($0, name: localizer.name(listing.content), of: 1) },
            share: share(listing, heading), action: listingPath(listing.id, "/home"),
            thanks: page.helpers == 0 || page.isThanked ? nil : thanksOffer(page.helpers), isShown: page.isShown,
            undo: undo(listing, former, partner)
        )
    }

    private func heading(of listing: Listing, _ partner: Listing?) -> String {
        guard let name = listing.content.name ?? partner?.content.name else { return localizer("home.unnamed") }
        let sex = (listing.content.sex ?? partner?.content.sex)?.rawValue ?? "unknown"
        return localizer("home.heading.\(sex)", ["name": name])
    }

    private func thanksOffer(_ count: Int) -> String {
        localizer("home.seenBy", count: count)
    }

    private func daysAway(of listing: Listing) -> String {
        let days = listing.daysAway
        return days > 0 ? localizer("home.days", count: days) : localizer("home.soon")
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

extension Listing {
    /// The whole days from when the animal was last seen until the listing became `reunited`, its last change unless it was
    /// edited since.
    var daysAway: Int { Int((Double(updatedAt.milliseconds - seenAt.milliseconds) / 86_400_000).rounded()) }
}
