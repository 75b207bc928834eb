package import Domain
import Localization
package import Mustache

/// A table of one's own listings, or of those of an organisation, in which many are changed at once.
package struct TablePage: Page {
    package let template = "table"
    package let section = PageSection.mine
    /// The names of the parameters.
    package static let names = ["q", "status", "species", "sort", "organisation"]
    /// The columns by which the table can be sorted.
    package static let columns = ["name", "status", "species", "place", "created", "expires"]
    let values: [String: String]
    let listings: [Listing]
    let count: Int
    let memberships: [Organisation.Membership]
    /// The paths and queries of the pages before and after; nil if there is none.
    let previous: String?
    let next: String?
    let problem: ServiceError?

    package init(
        values: [String: String],
        listings: [Listing],
        count: Int,
        memberships: [Organisation.Membership] = [],
        previous: String? = nil,
        next: String? = nil,
        problem: ServiceError? = nil
    ) {
        self.values = values
        self.listings = listings
        self.count = count
        self.memberships = memberships
        self.previous = previous
        self.next = next
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "title": localizer("table.title"), "f": values.templateValues,
            "rows": listings.map { row($0, compose) }, "hasRows": !listings.isEmpty,
            "count": localizer(count == 1 ? "table.count.one" : "table.count", ["count": localizer.number(count)]),
            "columns": Self.columns.map { column($0, compose) },
            "sorts": Self.columns.flatMap { sortChoices($0, compose) },
            "owners": owners(localizer), "hasOwners": !memberships.isEmpty,
            "previous": previous.map(compose.path) ?? "", "next": next.map(compose.path) ?? "",
            "problem": problem.map(localizer.problem) ?? "",
            "statuses": compose.options(
                Listing.Status.self,
                "status",
                selected: values["status"].flatMap(Listing.Status.init)
            ),
            "species": compose.options(Species.self, "species", selected: values["species"].flatMap(Species.init)),
        ]
    }

    private func row(_ listing: Listing, _ compose: PageBuilder) -> [String: any TemplateValue] {
        let (localizer, id) = (compose.localizer, listing.id.uuidString.lowercased())
        let status = listing.content.status ?? .lost
        return [
            "id": id, "href": compose.path("/listings/\(id)"), "name": localizer.name(listing.content),
            "reference": listing.content[.reference] ?? "", "status": status.rawValue,
            "statusLabel": localizer.status(status), "speciesLabel": localizer("species.\(listing.content.species)"),
            "where": localizer.place(listing.location),
            "created": localizer.day(listing.createdAt, at: listing.location),
            "expires": listing.expiresAt.map { localizer.day($0, at: listing.location) } ?? "",
            "isHidden": listing.hidden,
        ]
    }

    private func column(_ name: String, _ compose: PageBuilder) -> [String: any TemplateValue] {
        let (isUp, isDown) = (values["sort"] == name, (values["sort"] ?? "-created") == "-" + name)
        let query = BoardFilters.query(values.merging(["sort": isUp ? "-" + name : name]) { $1 })
        return [
            "label": compose.localizer("table.\(name)"), "href": compose.path("/my/table" + query),
            "order": isUp ? "ascending" : isDown ? "descending" : "none", "isUp": isUp, "isDown": isDown,
        ]
    }

    private func sortChoices(_ name: String, _ compose: PageBuilder) -> [[String: any TemplateValue]] {
        ["", "-"].map { sign in
            [
                "value": sign + name,
                "label": compose.localizer("table.\(name)") + (sign.isEmpty ? " ↑" : " ↓"),
                "selected": (values["sort"] ?? "-created") == sign + name,
            ]
        }
    }

    private func owners(_ localizer: Localizer) -> [[String: any TemplateValue]] {
        memberships.map { membership in
            let id = membership.organisation.id.uuidString.lowercased()
            return [
                "value": id, "label": membership.organisation.content.name, "selected": values["organisation"] == id,
            ]
        }
    }
}
