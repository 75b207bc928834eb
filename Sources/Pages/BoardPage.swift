package import Domain
import Foundation
import Localization
package import Mustache

/// The values of the search form, as entered.
package struct BoardFilters: Sendable {
    package static let names = [
        "status", "species", "breed", "place", "q", "lon", "lat", "radius", "sort", "classification",
    ]
    package private(set) var values: [String: String]

    /// Removes empty values, which forms also send.
    package init(_ values: [String: String]) {
        self.values = values.filter { Self.names.contains($0.key) && !$0.value.isEmpty }
    }

    package subscript(_ name: String) -> String? { values[name] }

    /// Whether the form contains a distance from a town.
    package var isAroundTown: Bool { values["lon"] == nil && values["radius"] != nil && values["place"] != nil }

    /// The filters and a cursor as the query of a URL.
    package func query(cursor: String) -> String {
        Self.query(values.merging(["cursor": cursor]) { $1 })
    }

    /// The filters without some of them.
    package func removing(_ names: String...) -> BoardFilters {
        BoardFilters(values.filter { !names.contains($0.key) })
    }

    /// The filters with another place as the query of a URL.
    func query(place: String) -> String {
        Self.query(values.merging(["place": place]) { $1 })
    }

    /// Returns the text of a problem with the entered place, or of another problem; empty if there is none.
    func placeProblem(_ problem: ServiceError?, _ localizer: Localizer) -> String {
        guard let problem else { return "" }
        guard problem.field == "place", let place = values["place"] else { return localizer.problem(problem) }
        return localizer(problem.candidates.isEmpty ? "board.unknownPlace" : "board.unclearPlace", ["place": place])
    }

    /// Returns links to the same page with each of the towns that the entered place may mean.
    func towns(_ problem: ServiceError?, _ path: String, _ compose: PageBuilder) -> [[String: any TemplateValue]] {
        (problem?.candidates ?? []).map { place in
            ["name": place.fullName, "href": compose.path(path + query(place: place.fullName))]
        }
    }

    /// The parameters as the query of a URL.
    package static func query(_ values: [String: String]) -> String {
        var components = URLComponents()
        components.queryItems = values.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
        return "?" + (components.percentEncodedQuery ?? "").replacing("+", with: "%2B")
    }

    /// Whether there are no filters except a sort order.
    package var isPlain: Bool { values.keys.allSatisfy { $0 == "sort" } }

    /// The distance in metres; nil if the entered value is not valid.
    fileprivate var metres: Double? {
        values["radius"].flatMap(\.decimalNumber).flatMap { (0...Coordinate.maxDistance).contains($0) ? $0 : nil }
    }

    func content() -> [String: any TemplateValue] {
        Dictionary(uniqueKeysWithValues: Self.names.map { ($0, values[$0] ?? "") })
    }

    func heading(_ localizer: Localizer) -> String {
        if isAroundTown, let place = values["place"], let metres {
            return localizer("board.titleAround", ["place": place, "distance": localizer.distance(metres)])
        }
        if let place = values["place"] { return localizer("board.titleIn", ["place": place]) }
        return localizer(values["lon"] == nil ? "board.title" : "board.titleNear")
    }
}

/// The number of the results of a search.
package struct ResultCount: Sendable {
    let number: Int
    /// If false, there are more results than `number`.
    let isExact: Bool

    package init(number: Int, isExact: Bool) {
        self.number = number
        self.isExact = isExact
    }
}

/// A breed that a photo may show.
package struct LikelyBreed: Sendable {
    let name: String
    /// From 0 to 1.
    let probability: Double

    package init(name: String, probability: Double) {
        self.name = name
        self.probability = probability
    }
}

/// The page with the search form and a list of listings.
package struct BoardPage: Page {
    package let template = "board"
    package let section = PageSection.board
    let filters: BoardFilters
    let cards: [ListingCard]
    /// The path and query of the next page.
    let next: String?
    /// The path and query of the feed with the same filters; nil if there is none.
    let feed: String?
    /// The id of the last event before the listings were read; nil if the page is not updated live.
    let lastEvent: Int64?
    /// The breeds that the photo of a photo search probably shows, the most likely one first.
    let likely: [LikelyBreed]
    let problem: ServiceError?
    /// The number of all results; nil if it is not shown.
    let count: ResultCount?

    package init(
        filters: BoardFilters,
        cards: [ListingCard],
        next: String?,
        feed: String? = nil,
        lastEvent: Int64?,
        likely: [LikelyBreed] = [],
        problem: ServiceError? = nil,
        count: ResultCount? = nil
    ) {
        self.filters = filters
        self.cards = cards
        self.next = next
        self.feed = feed
        self.lastEvent = lastEvent
        self.likely = likely
        self.problem = problem
        self.count = count
    }

    private static let radii = [1_000, 5_000, 10_000, 25_000, 50_000, 100_000]

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let isAround = filters.isAroundTown || filters["lon"] != nil
        let heading = problem == nil ? filters.heading(localizer) : localizer("board.title")
        let sort = filters["sort"] ?? (isAround ? "distance" : "-created_at")
        var content: [String: any TemplateValue] = [
            "title": heading, "heading": heading,
            "canonical": compose.origin + "/board", "feed": feed.map(compose.path) ?? "",
            "cards": cards.map { $0.content(compose) },
            "next": next.map(compose.path) ?? "", "isLive": lastEvent != nil,
            "lastEvent": lastEvent.map { String($0) } ?? "",
            "isFiltered": !filters.isPlain, "f": content(of: filters), "chosen": chosen(localizer),
            "problem": filters.placeProblem(problem, localizer),
            "hasTowns": problem?.candidates.isEmpty == false, "towns": filters.towns(problem, "/board", compose),
            "count": countText(localizer),
            "alertOffer": problem == nil ? AlertOffer(filters).content(compose) as any TemplateValue : false,
            "nothing": localizer(filters.isPlain ? "board.empty" : "board.nothing"), "widen": widened(compose),
            "statuses": statuses(compose),
            "species": compose.options(Species.self, "species", selected: filters["species"].flatMap(Species.init)),
            "radii": Self.radii.map { option(String($0), localizer.distance(Double($0)), filters["radius"]) },
            "sorts": [("-created_at", "newest"), ("created_at", "oldest"), ("distance", "distance")].map {
                option($0.0, localizer("board.\($0.1)"), sort)
            },
        ]
        // Otherwise the page shows the confirmation of the preceding action.
        if !likely.isEmpty { content["notice"] = recognised(localizer) }
        return content
    }

    /// The breeds that the photo probably shows, with their probabilities.
    private func recognised(_ localizer: Localizer) -> String {
        let breeds = likely.prefix(3).map {
            localizer("photo.resultOne", ["breed": $0.name, "share": localizer.percentage($0.probability)])
        }
        return localizer("photo.result", ["breeds": localizer.alternatives(breeds)])
    }

    /// The values of the form. The breed of a photo is in the field, so that the visitor can correct it.
    private func content(of filters: BoardFilters) -> [String: any TemplateValue] {
        var content = filters.content()
        if filters["breed"] == nil, let first = likely.first { content["breed"] = first.name }
        return content
    }

    private func statuses(_ compose: PageBuilder) -> [[String: any TemplateValue]] {
        let both = PhotoSearchPage.foundOrSighted
        var options = compose.options(
            Listing.Status.self,
            "status",
            selected: filters["status"].flatMap(Listing.Status.init),
            among: [.lost, .found, .sighted, .reunited]
        )
        options.append(option(both, compose.localizer("board.foundOrSighted"), filters["status"]))
        return options
    }

    private func countText(_ localizer: Localizer) -> String {
        guard let count, count.number > 0 else { return "" }
        if count.number == 1, count.isExact { return localizer("board.countOne") }
        return localizer(count.isExact ? "board.count" : "board.countAtLeast", ["n": localizer.number(count.number)])
    }

    /// The address of the same search in a circle around the town; empty if the search has a radius or no town.
    private func widened(_ compose: PageBuilder) -> String {
        guard let place = filters["place"], filters["radius"] == nil else { return "" }
        return compose.path(
            "/board" + BoardFilters.query(filters.values.merging(["place": place, "radius": "25000"]) { $1 })
        )
    }

    /// A short text of the filters, shown because the form is collapsed.
    private func chosen(_ localizer: Localizer) -> String {
        let status =
            filters["status"] == PhotoSearchPage.foundOrSighted
            ? localizer("board.foundOrSighted") : filters["status"].flatMap(Listing.Status.init).map(localizer.status)
        let species = filters["species"].flatMap(Species.init).map { localizer("species.\($0.rawValue)") }
        let near = filters["lon"].map { _ in localizer("board.nearMe") }
        let radius = filters.metres.map { localizer.distance($0) }
        return [status, species, filters["breed"], filters["place"] ?? near, radius].compactMap(\.self)
            .joined(separator: " · ")
    }

    private func option(_ value: String, _ label: String, _ selected: String?) -> [String: any TemplateValue] {
        ["value": value, "label": label, "selected": value == selected]
    }
}

/// The list of listings for embedding in other sites.
package struct EmbeddedBoard: Page {
    package let template = "embed"
    package let section = PageSection.board
    let board: BoardPage
    /// The path and query of the full page with the same filters.
    let whole: String

    package init(_ board: BoardPage, whole: String) {
        self.board = board
        self.whole = whole
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        board.content(compose).merging(["canonical": compose.origin + whole]) { $1 }
    }
}
