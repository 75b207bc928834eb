import Domain
import Formats
import Foundation
import Gazetteer
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The map, and what is drawn on it.
struct MapPages {
    let renderer: PageRenderer
    let listings: ListingStore
    let gazetteer: Gazetteer

    /// Metres that the list below the map reaches around its centre.
    private static let reach = 25_000.0

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/map", use: map)
        router.get("/map/settings", use: settings)
        router.get("/map/outlines", use: outlines)
    }

    @Sendable private func map(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let parameters = request.parameters
        let filters = BoardFilters(parameters)
        let named = try filters["place"].flatMap {
            try gazetteer.place(named: $0, language: renderer.pageLanguage(request))?.coordinate
        }
        let centre = named ?? Coordinate(lon: parameters["lon"], lat: parameters["lat"])
        var query = ListingQuery()
        if let centre {
            query.circle = ListingQuery.Circle(centre: centre, radius: Self.reach)
            query.order = .distance
        }
        var cards: [ListingCard] = []
        _ = try listings.findListings(query) { row, match in
            cards.append(ListingCard(try Listing(row), distance: match.distance))
        }
        let zoom = parameters["zoom"].flatMap { Int($0) }.map { min(max($0, 1), 19) } ?? (centre == nil ? 5 : 12)
        let page = MapPage(filters: filters, centre: centre, zoom: zoom, cards: cards)
        return renderer.show(page, request, context.caller?.account)
    }

    /// Where the pictures of the map come from, for every map of the pages.
    @Sendable private func settings(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var json = JSONWriter()
        json.object { json in
            json.field("tiles", renderer.tiles?.template)
            json.field("attribution", renderer.tiles?.attribution)
            json.field("outlines", renderer.localizer(request)("map.outlines"))
        }
        var response = Response(json)
        response.vary(by: "Accept-Language, Cookie")
        return response
    }

    /// The bundled outlines as GeoJSON, as fine as a zoom of a web map shows them.
    @Sendable private func outlines(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try QueryReader(request)
        guard let box = try query.box() else {
            throw ServiceError.invalid("bbox", "expected minLon,minLat,maxLon,maxLat")
        }
        let zoom = try query.zoom() ?? 5
        // Degrees, of 256 pixels a tile.
        let pixel = 360 / (256 * pow(2, Double(zoom)))
        let decimals = min(4, Int((-log10(pixel / 2)).rounded(.up)))
        // No screen shows more of them at once than this.
        let tolerance = max(3 * pixel, (box.northEast.lat - box.southWest.lat) / 1_000)
        let polygons = gazetteer.outlines(in: box, tolerance: tolerance)
        var json = JSONWriter(capacity: 1 << 18)
        json.object { json in
            json.field("type", "MultiPolygon")
            json.array("coordinates", polygons) { json, rings in
                json.array(rings) { json, ring in
                    json.array(ring) { json, point in
                        json.array([point.lon, point.lat]) { $0.number($1, decimals: decimals) }
                    }
                }
            }
        }
        var response = Response(json, type: "application/geo+json")
        response.headers[.cacheControl] = "public, max-age=86400"
        return response
    }
}

extension Coordinate {
    fileprivate init?(lon: String?, lat: String?) {
        guard let lon = lon.flatMap(Double.init), let lat = lat.flatMap(Double.init) else { return nil }
        self.init(lon: lon, lat: lat)
    }
}
