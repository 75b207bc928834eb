package import Mustache

/// The list of the user's own listings.
package struct MyListingsPage: Page {
    package let template = "my"
    package let section = PageSection.mine
    let cards: [ListingCard]
    /// The path and query of the next page.
    let next: String?

    package init(cards: [ListingCard], next: String?) {
        self.cards = cards
        self.next = next
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "title": compose.localizer("my.title"), "hasListings": !cards.isEmpty,
            "items": cards.map { $0.content(compose) },
            "next": next.map(compose.path) ?? "",
        ]
    }
}
