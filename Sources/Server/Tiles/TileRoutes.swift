import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The listings and points of interest as vector tiles for map libraries.
struct TileRoutes {
    let site: Site

    func add(to router: Router<ServiceContext>) {
        for layer in TileLayer.allCases {
            router.get("/tiles/\(layer).json") { request, _ in try describe(layer, request) }
            router.get("/tiles/\(layer)/:z/:x/{y}.pbf") { try show(layer, $0, $1) }
        }
    }

    private func show(_ layer: TileLayer, _ request: Request, _ context: ServiceContext) throws -> Response {
        let tile = try MapTile(context.parameters)
        let content =
            switch layer {
            case .listings: try listingTile(tile, listingQuery(request))
            case .pois: try poiTile(tile, categories(request))
            }
        return answer(content.bytes, request, maxAge: layer.maxAge)
    }

    private func describe(_ layer: TileLayer, _ request: Request) throws -> Response {
        switch layer {
        case .listings: _ = try listingQuery(request)
        case .pois: _ = try categories(request)
        }
        // The URL of the tiles contains the same filters.
        let filters = site.baseURL.link(request).split(separator: "?", maxSplits: 1).dropFirst().map { "?" + $0 }
        var json = JSONWriter()
        json.tileJSON(
            layer: layer.rawValue,
            tiles: site.baseURL.link("/tiles/\(layer.rawValue)/{z}/{x}/{y}.pbf") + filters.joined(),
            attribution: layer.attribution,
            fields: layer.fields
        )
        var response = Response(json)
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }

    private func listingQuery(_ request: Request) throws -> ListingQuery {
        try site.queries.read(request)
    }

    private func categories(_ request: Request) throws -> [PointOfInterest.Category] {
        let query = request.queryReader()
        return try query.choices("category", PointOfInterest.Category.self) ?? PointOfInterest.Category.allCases
    }

    private func listingTile(_ tile: MapTile, _ query: ListingQuery) throws -> VectorTile {
        let found = try site.stores.search.findTile(tile, query)
        var content = VectorTile(layer: TileLayer.listings.rawValue)
        for cluster in found.clusters { content.add(cluster, in: tile) }
        for listing in found.listings { content.add(listing, in: tile, base: site.baseURL.text) }
        return content
    }

    private func poiTile(_ tile: MapTile, _ categories: [PointOfInterest.Category]) throws -> VectorTile {
        let found = try site.stores.pois.findTile(tile, categories)
        var content = VectorTile(layer: TileLayer.pois.rawValue)
        for cluster in found.clusters { content.add(cluster, in: tile) }
        for entry in found.entries { content.add(entry, in: tile) }
        return content
    }

    private func answer(_ bytes: [UInt8], _ request: Request, maxAge: Int) -> Response {
        let caching = "public, max-age=\(maxAge)"
        guard !bytes.isEmpty else { return Response(status: .noContent, headers: [.cacheControl: caching]) }
        let tag = bytes.entityTag
        if request.knows(tag) {
            return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: caching])
        }
        return Response(
            status: .ok,
            headers: [.contentType: VectorTile.mediaType, .eTag: tag, .cacheControl: caching],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}

enum TileLayer: String, CaseIterable {
    case listings
    case pois

    /// The time in seconds for which clients may cache a tile. Points of interest change rarely.
    var maxAge: Int { self == .listings ? 30 : 3600 }

    var attribution: String? {
        let openStreetMap = "https://www.openstreetmap.org/copyright"
        return self == .pois ? "<a href=\"\(openStreetMap)\">© OpenStreetMap contributors</a>" : nil
    }

    /// The attributes of single features, then those of clusters.
    var fields: KeyValuePairs<StaticString, String> {
        switch self {
        case .listings:
            [
                "id": "String", "status": "String", "species": "String", "name": "String", "breed": "String",
                "breed_keys": "String", "mixed": "Boolean", "thumbnail": "String", "last_seen_at": "String",
                "approximate": "Boolean", "count": "Number",
                "point_count": "Number", "exact": "Boolean",
            ]
        case .pois:
            [
                "id": "Number", "category": "String", "name": "String", "count": "Number", "point_count": "Number",
                "exact": "Boolean",
            ]
        }
    }
}

extension MapTile {
    /// Parses the path parameters of a tile.
    ///
    /// - Parameter row: the row, if it is not the parameter `y` alone.
    init(_ parameters: Parameters, row: String? = nil, zooms: ClosedRange<Int> = zooms) throws {
        guard let zoom = parameters.get("z").flatMap(\.wholeNumber), zooms.contains(zoom) else {
            throw ServiceError.invalid("z", "expected a number between 0 and \(zooms.upperBound)")
        }
        let last = 1 << zoom - 1
        let numbers = try [("x", parameters.get("x")), ("y", row ?? parameters.get("y"))].map { name, text in
            guard let number = text.flatMap(\.wholeNumber), (0...last).contains(number) else {
                throw ServiceError.invalid(name, "expected a number between 0 and \(last) at zoom \(zoom)")
            }
            return number
        }
        guard let tile = MapTile(zoom: zoom, column: numbers[0], row: numbers[1]) else {
            throw ServiceError(.notFound, "no such tile")
        }
        self = tile
    }
}
