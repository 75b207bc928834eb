import Concurrency
import Domain
import Formats
import Gazetteer
import HTTP
import Hummingbird

/// Geocoding and reverse geocoding with the gazetteer.
struct PlaceRoutes {
    let gazetteer: Gazetteer
    let search: PlaceSearch
    let slowReads: SlowReadExecutor
    let baseURL: BaseURL

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/places", use: find)
        router.get("/v1/places/reverse", use: reverse)
    }

    @Sendable private func reverse(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        guard let point = try query.point() else {
            throw ServiceError.invalid("lon", "expected degrees between -180 and 180; lon and lat go together")
        }
        let language = try request.language(query)
        let (place, alternatives) = try await slowReads.run(RequestMeter.current) {
            let answer = try gazetteer.reverse(point, language: language, alternatives: 3)
            return (try search.withAddress(answer.place, at: point), answer.alternatives)
        }
        var response = Response.json { $0.answer(place, alternatives: alternatives) }
        response.vary(by: "Accept-Language")
        return response
    }

    @Sendable private func find(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        guard let text = try query.text("q") else { throw ServiceError.invalid("q", "expected a place's name") }
        let (near, language, limit) = (try query.point(), try request.language(query), try query.limit(.places))
        let places = try await slowReads.run(RequestMeter.current) {
            try search.places(called: text, near: near, language: language, limit: limit)
        }
        var response = Response.collection(places, selfLink: baseURL.link(request)) { $0.feature($1) }
        response.vary(by: "Accept-Language")
        return response
    }
}
