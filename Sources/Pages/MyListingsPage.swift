package import Domain
import Mustache
package import SearchText

/// The list of the user's own listings, with a search.
package struct MyListingsView: PageView {
    package static let template = "my"
    /// The names of the filters.
    package static let filterNames = ["q", "status", "sort"]
    let hasListings, isFiltered, isOldest: Bool
    let search: SearchView
    let next, problem: String?
    let statuses: [OptionView]
    let items: [ItemView]

    struct ItemView: TemplateView {
        let card: CardView
        let hiddenNote: String?
        let actions: OwnerActionsView
    }
}

extension PageBuilder {
    /// - Parameter own: each listing with the number of possible matches to look at.
    package func myListings(
        filters: BoardFilters,
        reading: SearchReading? = nil,
        _ own: [(listing: Listing, matchCount: Int)],
        next: String?,
        problem: ServiceError? = nil
    ) -> MyListingsView {
        MyListingsView(
            hasListings: !own.isEmpty || !filters.isPlain, isFiltered: !filters.isPlain,
            isOldest: filters["sort"] == "created_at",
            search: search(SearchResult(reading), "/my", filters.values), next: next.map(path),
            problem: problem.map(localizer.problem),
            statuses: options(Listing.Status.allCases, "status", selected: filters["status"]),
            items: own.map { listing, matchCount in
                MyListingsView.ItemView(
                    card: card(.init(listing)), hiddenNote: listing.hidden ? localizer("my.hidden") : nil,
                    actions: ownerActions(listing, matchCount: matchCount)
                )
            }
        )
    }
}
