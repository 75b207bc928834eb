import Domain
import Formats
import Gazetteer
import HTTP
import Hummingbird

/// Geocoding and reverse geocoding with the gazetteer.
struct PlaceRoutes {
    let gazetteer: Gazetteer
    let baseURL: BaseURL

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/places", use: search)
        router.get("/v1/places/reverse", use: reverse)
    }

    @Sendable private func reverse(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        guard let point = try query.point() else {
            throw ServiceError.invalid("lon", "expected degrees between -180 and 180; lon and lat go together")
        }
        let answer = try gazetteer.reverse(point, language: try request.language(query), alternatives: 3)
        var json = JSONWriter()
        json.answer(answer.place, alternatives: answer.alternatives)
        var response = Response(json)
        response.vary(by: "Accept-Language")
        return response
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        guard let text = try query.text("q") else { throw ServiceError.invalid("q", "expected a place's name") }
        let places = try gazetteer.search(
            text,
            near: try query.point(),
            language: try request.language(query),
            limit: try query.limit(.places)
        )
        var response = Response.collection(places, selfLink: baseURL.link(request)) { $0.feature($1) }
        response.vary(by: "Accept-Language")
        return response
    }
}
