import Concurrency
import Domain
import Formats
import HTTP
import Hummingbird
import Mapillary
import Storage

/// The API for points of interest: vets, pet shops, shelters.
struct PointOfInterestRoutes {
    let pois: PointOfInterestStore
    let hours: PlaceHours
    let slowReads: SlowReadExecutor
    /// Nil if the operator has no token for Mapillary.
    let streetPictures: StreetPictures?
    let baseURL: BaseURL

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/pois", use: search)
        router.get("/v1/pois/:id", use: show)
        router.get("/v1/pois/:id/street-pictures", use: showStreetPictures)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try PointOfInterestStore.Query(request)
        let entries = try await pois.findPointsOfInterest(query)
        // Up to 200 values are read.
        let found = try await slowReads.run(RequestMeter.current) { entries.map { ($0, hours.opening(of: $0.poi)) } }
        return .collection(found, selfLink: baseURL.link(request)) { [countries = hours.countries] in
            $0.feature($1.0, country: countries.country, opening: $1.1)
        }
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var json = JSONWriter()
        let entry = try await find(context)
        let opening = try await slowReads.run(RequestMeter.current) { hours.opening(of: entry.poi) }
        json.feature(entry, country: hours.countries.country, opening: opening)
        return Response(json, type: "application/geo+json")
    }

    @Sendable private func showStreetPictures(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let place = try await find(context).poi.coordinate
        let isLikely = try await streetPictures?.areLikely(near: place) ?? nil
        var json = JSONWriter()
        json.object { $0.field("likely", isLikely) }
        var response = Response(json)
        response.headers[.cacheControl] = isLikely == nil ? "no-cache" : "public, max-age=3600"
        return response
    }

    private func find(_ context: ServiceContext) async throws -> PointOfInterestStore.Entry {
        guard let key = context.parameters.get("id").flatMap(Int64.init),
            let entry = try await pois.findPointOfInterest(key: key)
        else { throw ServiceError(.notFound, "no such point of interest") }
        return entry
    }
}

extension PointOfInterestStore.Query {
    fileprivate init(_ request: Request) throws {
        self.init()
        let query = request.queryReader()
        if let wanted = try query.choices("category", PointOfInterest.Category.self) { categories = wanted }
        centre = try query.point()
        radius = try query.radius()
        box = try query.box()
        limit = try query.limit(.pois)
        guard centre != nil || box != nil else {
            throw ServiceError.invalid("lon", "expected lon and lat, or bbox")
        }
    }
}
