import HTTPTypes
import Hummingbird
import Pages

/// The OpenAPI document and the API reference page.
struct OpenAPIRoutes {
    let document: OpenAPIDocument
    let renderer: PageRenderer

    private static let caching = "no-cache"

    func add(to router: Router<ServiceContext>) {
        router.get("/openapi.json", use: show)
        router.get("/api") { request, context in
            let page = APIReferencePage(Operation.all, renderer.baseURL, renderer.pageLanguage(request))
            return renderer.show(page, request, context.caller?.account)
        }
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var headers: HTTPFields = [.eTag: document.tag, .cacheControl: Self.caching]
        if request.knows(document.tag) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = OpenAPIDocument.mediaType
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.bytes))
        )
    }
}
