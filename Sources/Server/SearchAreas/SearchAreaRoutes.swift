import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import SearchAreas
import Storage

/// The API for the area to search for a lost animal.
struct SearchAreaRoutes {
    let site: Site
    let service: SearchAreaService

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/:id/search-area", use: show)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, viewer) = try site.stores.listings.getListing(context)
        let area = try service.area(of: listing, seenBy: viewer)
        var json = JSONWriter(capacity: 16_384)
        json.searchArea(
            area,
            isFitted: MissingAnimal(listing.content).isFitted,
            links: [Link(rel: "self", href: site.baseURL.link(request), type: "application/geo+json")]
        )
        var response = Response(json, type: "application/geo+json")
        response.vary(by: "Authorization, Cookie")
        if listing.isFullyVisible(to: viewer) { response.headers[.cacheControl] = CacheControl.noStore }
        return response
    }
}

extension JSONWriter {
    /// Writes a GeoJSON FeatureCollection of polygons, the largest first, so that maps draw the others above it.
    fileprivate mutating func searchArea(_ area: SearchArea, isFitted: Bool, links: [Link]) {
        object { json in
            json.field("type", "FeatureCollection")
            json.array("features", area.circles.reversed()) { $0.feature($1) }
            json.field("hours", area.hours)
            json.object("basis") { json in
                json.field("distances", isFitted ? "fitted" : "prior")
                json.field("growth", "prior")
            }
            json.object("calibration") { json in
                json.field("calibrated", area.calibration != nil)
                json.field("n", area.calibration?.count ?? 0)
            }
            json.links(links)
        }
    }

    private mutating func feature(_ circle: SearchArea.Circle) {
        object { json in
            json.field("type", "Feature")
            json.object("geometry") { json in
                let rings = circle.rings
                json.field("type", rings.count == 1 ? "Polygon" : "MultiPolygon")
                json.array("coordinates", rings) { json, ring in
                    if rings.count == 1 { json.ring(ring) } else { json.array([ring]) { $0.ring($1) } }
                }
            }
            json.object("properties") { json in
                json.field("probability", circle.probability)
                json.field("radius_m", Int(circle.radiusMetres))
                json.array("centre", [circle.centre.lon, circle.centre.lat]) { $0.number($1) }
                json.field("around", circle.around.rawValue)
            }
        }
    }

    private mutating func ring(_ ring: [Coordinate]) {
        array(ring) { json, corner in
            // Six decimals are 0.1 m.
            json.array([corner.lon, corner.lat]) { $0.number($1, decimals: 6) }
        }
    }
}
