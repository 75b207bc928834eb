package import Domain
package import Mustache

/// The list of the user's own listings, with a search.
package struct MyListingsPage: Page {
    package let template = "my"
    package let section = PageSection.mine
    /// The names of the filters.
    package static let filterNames = ["q", "status", "sort"]
    let filters: BoardFilters
    let cards: [ListingCard]
    /// The path and query of the next page.
    let next: String?
    let problem: ServiceError?

    package init(filters: BoardFilters, cards: [ListingCard], next: String?, problem: ServiceError? = nil) {
        self.filters = filters
        self.cards = cards
        self.next = next
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let isFiltered = !filters.isPlain
        return [
            "title": localizer("my.title"), "hasListings": !cards.isEmpty || isFiltered,
            "items": cards.map { $0.content(compose) }, "next": next.map(compose.path) ?? "",
            "isFiltered": isFiltered, "isOldest": filters["sort"] == "created_at",
            "f": filters.content(), "problem": problem.map(localizer.problem) ?? "",
            "statuses": compose.options(
                Listing.Status.self,
                "status",
                selected: filters["status"].flatMap(Listing.Status.init)
            ),
        ]
    }
}
