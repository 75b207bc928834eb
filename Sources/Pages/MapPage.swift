package import Domain
import Localization
import Mustache

/// The map, and the listings of its area as a list for browsers that cannot show the map.
package struct MapView: PageView {
    package static let template = "map"
    let search: SearchView
    /// The words that filter the listings on the map: those that name no place.
    let words: String?
    let onBoard: LinkView?
    let lon, lat, problem: String?
    /// The street, house or landmark in the middle of the map.
    let address: String?
    let zoom: Int
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
    /// - Parameters:
    ///   - text: of the search.
    ///   - words: those of the text that name no place.
    ///   - address: the street, house or landmark in the middle of the map.
    ///   - hasAddresses: whether streets, houses and landmarks are found.
    package func map(
        text: String? = nil,
        words: String? = nil,
        address: String? = nil,
        hasAddresses: Bool = false,
        search: SearchResult = SearchResult(),
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
            search: self.search(search, "/map", text.map { ["q": $0] } ?? [:], hasAddresses: hasAddresses),
            words: words,
            onBoard: text.map { text in
                LinkView(
                    name: localizer("map.onBoard", ["words": text]),
                    href: path("/board" + BoardFilters.link(["q": text])))
            },
            lon: centre.map { String($0.lon) },
            lat: centre.map { String($0.lat) },
            problem: problem.map(localizer.problem), address: address, zoom: zoom, layers: statuses + pois,
            cards: cards.map { card($0) },
            asksForStreetPictures: asksForStreetPictures
        )
    }

    package func cards(_ cards: [ListingCard]) -> CardsView { CardsView(cards: cards.map { card($0) }) }
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
