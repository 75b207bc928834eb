package import Domain

/// Asks before something is gone for good.
package struct DeletePage: Page {
    package let template = "delete"
    package let section = PageSection.none
    let listing: Listing?

    /// - Parameter listing: nil for the account with all its listings.
    package init(listing: Listing?) {
        self.listing = listing
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        guard let listing else {
            return [
                "title": wording("delete.title"), "question": wording("delete.account"),
                "action": compose.path("/account/delete"), "back": compose.path("/account"),
            ]
        }
        let own = compose.path("/listings/\(listing.id.uuidString.lowercased())")
        return [
            "title": wording("delete.title"), "action": own + "/delete", "back": own,
            "question": wording("delete.listing", ["name": wording.name(listing.content)]),
        ]
    }
}
