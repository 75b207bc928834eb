import Concurrency
import Domain
import Formats
import Foundation
import Gazetteer
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages
import SearchText
import Storage

/// The map page, and the data for its maps.
struct MapPages {
    let site: Site
    let places: PlaceSearch
    /// Whether the map asks the server where street pictures are likely.
    let asksForStreetPictures: Bool
    let basemap: BasemapTiles

    /// The radius in metres around the centre of the map for the list below it.
    private static let reach = 25_000.0

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/map", use: map)
        router.get("/map/cards", use: cards)
        router.get("/map/settings", use: settings)
        router.get("/map/outlines", use: outlines)
    }

    @Sendable private func map(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let parameters = request.parameters
        let language = site.page.pageLanguage(request)
        var text = MapText()
        var problem: ServiceError?
        do {
            text = try await read(parameters["q"], near: Coordinate(parameters), site.page.localizer(request))
        } catch let error as ServiceError where error.field == "q" {
            problem = error
        }
        let centre = text.area?.centre ?? Coordinate(parameters)
        var query = text.query
        if let centre {
            query.circle = ListingQuery.Circle(centre: centre, radius: max(Self.reach, text.area?.radius ?? 0))
            query.order = .distance
        } else {
            query.box = site.settings.mapArea
        }
        var cards: [ListingCard] = []
        _ = try site.stores.search.find(query) { row, match in
            cards.append(.init(try Listing(row), distance: match.distance))
        }
        let result = try text.result(site.queries, site.stores.search, language, isEmpty: cards.isEmpty)
        let entered = parameters["zoom"].flatMap(\.wholeNumber).map { min(max($0, 1), 19) }
        let zoom = text.zoom ?? entered ?? (centre == nil ? 5 : 12)
        return site.page.show(request, context.caller?.account, status: problem == nil ? .ok : .badRequest) {
            $0.map(
                text: parameters["q"],
                words: text.words,
                address: text.isAddress ? text.area?.name : nil,
                hasAddresses: !places.addresses.isEmpty,
                search: result,
                centre: centre,
                zoom: zoom,
                cards: cards,
                asksForStreetPictures: asksForStreetPictures,
                problem: problem
            )
        }
    }

    private func read(_ text: String?, near: Coordinate?, _ localizer: Localizer) async throws -> MapText {
        let language = localizer.language
        guard !places.addresses.isEmpty else { return try MapText(text, site.queries, language) { _ in nil } }
        // Streets are searched off the event loop.
        return try await site.slowReads.run(RequestMeter.current) {
            try MapText(text, site.queries, language) { words in
                try places.address(called: words, near: near ?? site.settings.mapArea?.middle, language: language)
                    .map { NamedArea(address: localizer.address($0), at: $0.coordinate) }
            }
        }
    }

    /// Returns the cards of the listings in an area, for the list beside the map.
    @Sendable private func cards(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try site.queries.read(request)
        guard query.box != nil else {
            throw ServiceError.invalid("bbox", "expected minLon,minLat,maxLon,maxLat")
        }
        var cards: [ListingCard] = []
        _ = try site.stores.search.find(query) { row, _ in cards.append(.init(try Listing(row))) }
        return site.page.show(request, context.caller?.account) { $0.cards(cards) }
    }

    /// Returns the sources of the map tiles for all maps on the pages: the operator's, and the service itself.
    @Sendable private func settings(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var response = Response.object { json in
            json.field("tiles", site.page.tiles?.template)
            json.field("attribution", site.page.tiles?.attribution)
            json.field("basemap", BasemapRoutes.template(basemap, base: site.baseURL.path))
            json.field("outlines", site.page.localizer(request)(basemap.hasStreets ? "map.streets" : "map.outlines"))
        }
        response.vary(by: "Accept-Language, Cookie")
        return response
    }

    /// Returns the bundled outlines as GeoJSON, with the precision that a zoom level of a web map needs.
    @Sendable private func outlines(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        guard let box = try query.box() else {
            throw ServiceError.invalid("bbox", "expected minLon,minLat,maxLon,maxLat")
        }
        let zoom = try query.zoom() ?? 5
        // The size of a pixel in degrees; a tile is 256 pixels wide.
        let pixel = 360 / (256 * pow(2, Double(zoom)))
        let decimals = min(4, Int((-log10(pixel / 2)).rounded(.up)))
        // The tolerance is at least a thousandth of the height of the box, because no screen shows finer details of it.
        let tolerance = max(3 * pixel, (box.northEast.lat - box.southWest.lat) / 1_000)
        let polygons = places.gazetteer.outlines(in: box, tolerance: tolerance)
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

extension Localizer {
    /// Returns the name of a street, house or landmark with its town; "near ..." if it is not the house that was asked for.
    fileprivate func address(_ place: Place) -> String {
        let name = place.addressName ?? place.fullName
        return place.address?.precision == .nearestHouse ? self("map.nearAddress", ["address": name]) : name
    }
}

extension Coordinate {
    fileprivate init?(_ parameters: [String: String]) {
        guard let lon = parameters["lon"]?.decimalNumber, let lat = parameters["lat"]?.decimalNumber else { return nil }
        self.init(lon: lon, lat: lat)
    }
}
