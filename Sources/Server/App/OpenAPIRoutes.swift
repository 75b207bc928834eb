import Domain
import HTTP
import HTTPTypes
import Hummingbird
import OpenAPI
import Pages
import Synchronization

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
final class APIReferenceRoutes: Sendable {
    private let renderer: PageRenderer
    /// The reference in the languages that were requested.
    private let references = Mutex<[Language: String]>([:])

    init(renderer: PageRenderer) {
        self.renderer = renderer
    }

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/api") { [self] request, context in
            let page = APIReferencePage(reference(renderer.pageLanguage(request)))
            return renderer.show(page, request, context.caller?.account)
        }
    }

    private func reference(_ language: Language) -> String {
        references.withLock { references in
            if let known = references[language] { return known }
            let reference = APIReference(Operation.all, renderer.baseURL)
            let context = PageContext(language: language, viewer: nil, origin: renderer.baseURL.text, address: "/api")
            let html = renderer.pages.render(reference, for: context)
            references[language] = html
            return html
        }
    }
}
