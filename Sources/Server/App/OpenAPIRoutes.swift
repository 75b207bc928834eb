import HTTP
import HTTPTypes
import Hummingbird
import OpenAPI
import Pages

/// The OpenAPI document.
struct OpenAPIRoutes {
    let document: OpenAPIDocument

    private static let caching = "no-cache"

    func add(to router: Router<ServiceContext>) {
        router.get("/openapi.json", use: show)
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

/// The OpenAPI document as a page.
struct APIReferenceRoutes {
    let renderer: PageRenderer

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/api") { request, context in
            renderer.show(APIReferencePage(Operation.all, renderer.baseURL), request, context.caller?.account)
        }
    }
}
