package import Domain
import Localization
import Mustache

/// The map, and the listings of its area as a list for browsers that cannot show the map.
package struct MapView: PageView {
    package static let template = "map"
    let place, lon, lat, problem: String?
    let zoom: Int
    let towns: [LinkView]
    let layers: [LayerView]
    let cards: [CardView]
    let asksForStreetPictures: Bool

    struct LayerView: TemplateView {
        let kind, value, label: String
        let selected: Bool
    }
}

/// The cards of an area without the rest of the page, for the list beside the map.
package struct CardsView: PageView {
    package static let template = "map-cards"
    let cards: [CardView]
}

extension PageBuilder {
    /// - Parameter problem: the error if the entered place is unknown or unclear.
    package func map(
        filters: BoardFilters,
        centre: Coordinate?,
        zoom: Int,
        cards: [ListingCard],
        asksForStreetPictures: Bool = false,
        problem: ServiceError? = nil
    ) -> MapView {
        let statuses = Listing.Status.open.map {
            MapView.LayerView(kind: "status", value: $0.rawValue, label: localizer.status($0), selected: true)
        }
        let pois = PointOfInterest.Category.allCases.map {
            let label = localizer("poi.\($0.rawValue)")
            return MapView.LayerView(kind: "category", value: $0.rawValue, label: label, selected: false)
        }
        return MapView(
            place: filters["place"],
            lon: centre.map { String($0.lon) },
            lat: centre.map { String($0.lat) },
            problem: filters.placeProblem(problem, localizer), zoom: zoom,
            towns: filters.towns(problem, "/map", self), layers: statuses + pois, cards: cards.map(card),
            asksForStreetPictures: asksForStreetPictures
        )
    }

    package func cards(_ cards: [ListingCard]) -> CardsView { CardsView(cards: cards.map(card)) }
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
