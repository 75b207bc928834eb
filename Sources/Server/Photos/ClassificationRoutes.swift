import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Storage

/// Recognises the breed in a photo without storing the photo.
struct ClassificationRoutes {
    let service: PhotoService
    let classifications: ClassificationStore
    let localization: Localization
    let baseURL: BaseURL

    func add(to router: Router<ServiceContext>) {
        router.post("/v1/classifications", use: classify)
        router.get("/v1/classifications/:id", use: show)
    }

    @Sendable private func classify(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let language = try request.language(request.queryReader())
        let found = try await service.classify(request)
        try await classifications.add(found)
        var response = answer(found, language, status: .created)
        response.headers[.location] = baseURL.link("/v1/classifications/\(found.id.lowercased)")
        return response
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let language = try request.language(request.queryReader())
        guard let id = context.parameters.get("id").flatMap(UUID.init(uuidString:)),
            let found = try classifications.findClassification(id: id)
        else { throw ServiceError(.notFound, "no such classification: they are kept for a day") }
        return answer(found, language)
    }

    private func answer(
        _ found: RecordedClassification,
        _ language: Language,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var response = Response.object(status: status) { json in
            json.field("id", found.id.lowercased)
            json.field("outcome", found.outcome)
            json.array("predictions", found.predictions) { json, prediction in
                json.object { json in
                    let breed = service.recogniser.breed(label: prediction.label)
                    json.field("label", prediction.label)
                    json.field("key", service.recogniser.key(of: prediction.label))
                    json.field("name", breed?.name(in: language) ?? name(of: prediction.label, language))
                    json.field("confidence", prediction.probability, decimals: 4)
                }
            }
            json.field("model", found.model)
            json.field("model_version", found.version)
            json.array("links", searches(for: found)) { json, link in
                json.object { json in
                    json.field("rel", link.rel)
                    json.field("href", link.href)
                    json.field("type", "application/geo+json")
                }
            }
        }
        response.headers[.vary] = "Accept-Language"
        return response
    }

    /// Returns the link to the search for the dog in the photo.
    private func searches(for found: RecordedClassification) -> [Link] {
        guard service.recogniser.ranking(found) != nil else { return [] }
        return [Link(rel: "search", href: baseURL.link("/v1/listings?classification=\(found.id.lowercased)"))]
    }

    /// Returns the name of a label that is not a breed.
    private func name(of label: String, _ language: Language) -> String {
        let (localizer, key) = (localization.localizer(language), "label.\(label)")
        return localizer.has(key) ? localizer(key) : label.replacing("_", with: " ")
    }
}
