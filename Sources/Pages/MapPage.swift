package import Domain
import Localization
package import Mustache

/// The map, and the listings of its area as a list for browsers that cannot show the map.
package struct MapPage: Page {
    package let template = "map"
    package let section = PageSection.map
    let filters: BoardFilters
    let centre: Coordinate?
    let zoom: Int
    let cards: [ListingCard]
    let asksForStreetPictures: Bool
    /// The error if the entered place is unknown or unclear.
    let problem: ServiceError?

    package init(
        filters: BoardFilters,
        centre: Coordinate?,
        zoom: Int,
        cards: [ListingCard],
        asksForStreetPictures: Bool = false,
        problem: ServiceError? = nil
    ) {
        self.filters = filters
        self.centre = centre
        self.zoom = zoom
        self.cards = cards
        self.asksForStreetPictures = asksForStreetPictures
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let statuses = Listing.Status.open.map { layer("status", $0.rawValue, localizer.status($0), selected: true) }
        let pois = PointOfInterest.Category.allCases.map {
            layer("category", $0.rawValue, localizer("poi.\($0.rawValue)"), selected: false)
        }
        return [
            "title": localizer("map.title"), "f": filters.content(), "layers": statuses + pois,
            "cards": cards.map { $0.content(compose) },
            "hasCards": !cards.isEmpty,
            "problem": filters.placeProblem(problem, localizer),
            "hasTowns": problem?.candidates.isEmpty == false, "towns": filters.towns(problem, "/map", compose),
            "lon": centre.map { String($0.lon) } ?? "", "lat": centre.map { String($0.lat) } ?? "", "zoom": zoom,
            "asksForStreetPictures": asksForStreetPictures,
        ]
    }

    private func layer(_ kind: String, _ value: String, _ label: String, selected: Bool) -> [String: any TemplateValue]
    {
        ["kind": kind, "value": value, "label": label, "selected": selected]
    }
}

/// The source of the map's background tiles.
package struct TileSource: Sendable {
    /// For example `https://tile.openstreetmap.org/{z}/{x}/{y}.png`.
    package let template: String
    /// The attribution as plain text.
    package let attribution: String

    package init(template: String, attribution: String) {
        self.template = template
        self.attribution = attribution
    }
}

/// The cards of an area without the rest of the page, for the list beside the map.
package struct CardsPage: Page {
    package let template = "map-cards"
    package let section = PageSection.none
    let cards: [ListingCard]

    package init(_ cards: [ListingCard]) {
        self.cards = cards
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        ["title": compose.localizer("map.title"), "cards": cards.map { $0.content(compose) }]
    }
}

/// A single card without the rest of the page, for the map.
package struct CardPage: Page {
    package let template = "single-card"
    package let section = PageSection.none
    let card: ListingCard

    package init(_ card: ListingCard) {
        self.card = card
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] { card.content(compose) }
}
