package import Domain
import Localization
package import Mustache

/// Asks for confirmation before a deletion.
package struct DeletePage: Page {
    package let template = "delete"
    package let section = PageSection.none
    let listing: Listing?
    let problem: ServiceError?

    /// - Parameter listing: the listing to delete; nil for the account with all its listings.
    package init(listing: Listing?, problem: ServiceError? = nil) {
        self.listing = listing
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        guard let listing else {
            return [
                "title": localizer("delete.title"), "question": localizer("delete.account"),
                "action": compose.path("/account/delete"), "back": compose.path("/account"),
                "problem": problem.map(localizer.problem) ?? "",
            ]
        }
        let own = compose.path("/listings/\(listing.id.uuidString.lowercased())")
        return [
            "title": localizer("delete.title"), "action": own + "/delete", "back": own,
            "question": localizer("delete.listing", ["name": localizer.name(listing.content)]),
        ]
    }
}
