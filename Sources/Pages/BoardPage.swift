package import Domain
import Foundation
import Localization
import Mustache

/// The values of the search form, as entered.
package struct BoardFilters: Sendable {
    package static let names = [
        "status", "species", "breed", "crosses", "place", "q", "lon", "lat", "radius", "sort", "classification",
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

    /// Returns the text of a problem with the entered place, or of another problem.
    func placeProblem(_ problem: ServiceError?, _ localizer: Localizer) -> String? {
        guard let problem else { return nil }
        guard problem.field == "place", let place = values["place"] else { return localizer.problem(problem) }
        return localizer(problem.candidates.isEmpty ? "board.unknownPlace" : "board.unclearPlace", ["place": place])
    }

    /// Returns links to the board with each of the towns that the entered place may mean.
    func towns(_ problem: ServiceError?, _ compose: PageBuilder) -> [LinkView] {
        (problem?.candidates ?? []).map { place in
            LinkView(name: place.fullName, href: compose.path("/board" + query(place: place.fullName)))
        }
    }

    /// The parameters that are not empty as the query of a URL; empty if there are none.
    package static func link(_ values: [String: String]) -> String {
        let all = values.filter { !$0.value.isEmpty }
        return all.isEmpty ? "" : query(all)
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

    func heading(_ localizer: Localizer) -> String {
        if isAroundTown, let place = values["place"], let metres {
            return localizer("board.titleAround", ["place": place, "distance": localizer.distance(metres)])
        }
        if let place = values["place"] { return localizer("board.titleIn", ["place": place]) }
        return localizer(values["lon"] == nil ? "board.title" : "board.titleNear")
    }
}

/// The page with the search form and a list of listings.
package struct BoardView: PageView {
    package static let template = "board"
    let heading, canonical: String
    let search: SearchView
    let feed, next, lastEvent, recognised, chosen, problem, count, nothing: String?
    let widen: LinkView?
    let breed, place, lon, lat, classification: String?
    let isFiltered, hasNoCrosses: Bool
    /// The forms for whoever comes to a board without filters.
    let doors: [LinkView]
    /// The form for whoever has found an animal that a search by photo did not find.
    let postFound: String?
    let cards: [CardView]
    let towns: [LinkView]
    let alertOffer: AlertOfferView?
    /// The newest animals that are home, whose owners agreed to show it.
    let reunions: [ReunionView]
    let statuses, species, radii, sorts: [OptionView]
}

/// An animal that is home, on the board.
struct ReunionView: TemplateView {
    let href, name, days: String
    let photo: PhotoView?
    /// Nil if there is a photo.
    let drawing: DrawingView?
}

/// The list of listings for embedding in other sites.
package struct EmbeddedBoardView: PageView {
    package static let template = "embed"
    let heading, whole: String
    let cards: [CardView]
}

/// The result of a search of the board.
package struct BoardResult: Sendable {
    package var filters: BoardFilters
    package var cards: [ListingCard] = []
    /// The path and query of the next page.
    package var next: String?
    /// The path and query of the feed with the same filters; nil if there is none.
    package var feed: String?
    /// The id of the last event before the listings were read; nil if the page is not updated live.
    package var lastEvent: Int64?
    /// The breeds that the photo of a photo search probably shows, the most likely one first.
    package var likely: [(name: String, probability: Double)] = []
    package var problem: ServiceError?
    package var search = SearchResult()
    /// The listings of the newest animals that are home.
    package var reunions: [Listing] = []
    /// The number of all results; nil if it is not shown. If it is not exact, there are more results.
    package var count: (number: Int, isExact: Bool)?

    package init(_ filters: BoardFilters) {
        self.filters = filters
    }
}

extension PageBuilder {
    package func board(_ result: BoardResult) -> BoardView {
        let filters = result.filters
        let sort = filters["sort"] ?? (filters.isAroundTown || filters["lon"] != nil ? "distance" : "-created_at")
        return BoardView(
            heading: heading(of: result), canonical: origin + "/board",
            search: search(result.search, "/board", filters.values), feed: result.feed.map(path),
            next: result.next.map(path),
            lastEvent: result.lastEvent.map { String($0) },
            recognised: recognised(result.likely), chosen: chosen(filters),
            problem: filters.placeProblem(result.problem, localizer), count: countText(result.count),
            nothing: nothing(result), widen: widened(filters),
            // The breed of a photo is in the field, so that the visitor can correct it.
            breed: filters["breed"] ?? result.likely.first?.name, place: filters["place"], lon: filters["lon"],
            lat: filters["lat"], classification: filters["classification"], isFiltered: !filters.isPlain,
            hasNoCrosses: filters["crosses"] == "no", doors: doors(result), postFound: postFound(filters),
            cards: cards(of: result.cards), towns: filters.towns(result.problem, self),
            alertOffer: canAlert(result) ? AlertOfferView(filters) : nil, reunions: result.reunions.map(reunion),
            statuses: statuses(filters),
            species: options(Species.allCases, "species", selected: filters["species"]),
            radii: [1_000, 5_000, 10_000, 25_000, 50_000, 100_000].map {
                option(String($0), localizer.distance(Double($0)), filters["radius"])
            },
            sorts: [("-created_at", "newest"), ("created_at", "oldest"), ("distance", "distance")].map {
                option($0.0, localizer("board.\($0.1)"), sort)
            }
        )
    }

    private func reunion(_ listing: Listing) -> ReunionView {
        let name = localizer.name(listing.content)
        let days = listing.daysAway
        return ReunionView(
            href: listingPath(listing.id), name: name,
            days: localizer("home.after", count: max(1, days)),
            photo: listing.photos.first.map { photo($0, name: name, of: 1) }, drawing: drawing(of: listing))
    }

    /// Only the first page of the whole board has doors.
    private func doors(_ result: BoardResult) -> [LinkView] {
        guard result.filters.isPlain, result.lastEvent != nil else { return [] }
        return Listing.Status.open.map { status in
            LinkView(
                name: localizer("door.\(status.rawValue)"),
                href: path("/post" + BoardFilters.query(["status": status.rawValue])))
        }
    }

    private func postFound(_ filters: BoardFilters) -> String? {
        guard filters["classification"] != nil, filters["status"] == Listing.Status.lost.rawValue else { return nil }
        let place = filters.values.filter { ["place", "lon", "lat"].contains($0.key) }
        return path("/post" + BoardFilters.query(place.merging(["status": "found", "from": "photo"]) { $1 }))
    }

    /// - Parameter whole: the path and query of the full page with the same filters.
    package func embeddedBoard(_ result: BoardResult, whole: String) -> EmbeddedBoardView {
        EmbeddedBoardView(heading: heading(of: result), whole: origin + whole, cards: cards(of: result.cards))
    }

    /// Whether an alert can find something: searches do not find microchips.
    private func canAlert(_ result: BoardResult) -> Bool {
        result.problem == nil && result.search.reading?.microchip == nil
    }

    private func heading(of result: BoardResult) -> String {
        result.problem == nil ? result.filters.heading(localizer) : localizer("board.title")
    }

    /// The breeds that the photo probably shows, with their probabilities.
    private func recognised(_ likely: [(name: String, probability: Double)]) -> String? {
        guard !likely.isEmpty else { return nil }
        let breeds = likely.prefix(3).map {
            localizer("photo.breed", ["breed": $0.name, "share": localizer.percentage($0.probability)])
        }
        return localizer("photo.result", ["breeds": localizer.alternatives(breeds)])
    }

    private func nothing(_ result: BoardResult) -> String? {
        guard result.search.alternatives.isEmpty else { return nil }
        if result.next != nil { return localizer("board.unfinished") }
        return localizer(result.filters.isPlain ? "board.empty" : "board.nothing")
    }

    private func statuses(_ filters: BoardFilters) -> [OptionView] {
        let both = PhotoSearchView.foundOrSighted
        let single = options(Listing.Status.open + [.reunited], "status", selected: filters["status"])
        return single + [option(both, localizer("board.foundOrSighted"), filters["status"])]
    }

    private func countText(_ count: (number: Int, isExact: Bool)?) -> String? {
        guard let count, count.number > 0 else { return nil }
        if count.isExact { return localizer("board.count", count: count.number) }
        return localizer("board.countAtLeast", ["n": localizer.number(count.number)])
    }

    /// The same search in a circle around the town; nil if the search has a radius or no town.
    private func widened(_ filters: BoardFilters) -> LinkView? {
        guard let place = filters["place"], filters["radius"] == nil else { return nil }
        let values = filters.values.merging(["place": place, "radius": String(Self.widerRadius)]) { $1 }
        return LinkView(
            name: localizer("board.widen", ["distance": localizer.distance(Double(Self.widerRadius))]),
            href: path("/board" + BoardFilters.query(values))
        )
    }

    /// In metres.
    private static let widerRadius = 25_000

    /// A short text of the filters, shown because the form is collapsed.
    private func chosen(_ filters: BoardFilters) -> String {
        let status =
            filters["status"] == PhotoSearchView.foundOrSighted
            ? localizer("board.foundOrSighted") : filters["status"].flatMap(Listing.Status.init).map(localizer.status)
        let species = filters["species"].flatMap(Species.init).map { localizer("species.\($0.rawValue)") }
        let near = filters["lon"].map { _ in localizer("board.nearMe") }
        let radius = filters.metres.map { localizer.distance($0) }
        let crosses = filters["crosses"] == "no" ? localizer("board.noCrosses") : nil
        return [status, species, filters["breed"], crosses, filters["place"] ?? near, radius].compactMap(\.self)
            .joined(separator: " · ")
    }

    func option(_ value: String, _ label: String, _ selected: String?) -> OptionView {
        OptionView(value: value, label: label, selected: value == selected)
    }
}
