import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import OpenAPI
import Pages
import Synchronization

/// The OpenAPI document, which is built at the first request.
final class OpenAPIRoutes: Sendable {
    private static let caching = "no-cache"

    private let baseURL: BaseURL
    private let built = Mutex<OpenAPIDocument?>(nil)

    init(baseURL: BaseURL) {
        self.baseURL = baseURL
    }

    func add(to router: Router<ServiceContext>) {
        router.get("/openapi.json") { [self] request, _ in try show(request) }
    }

    private func show(_ request: Request) throws -> Response {
        let document = try document()
        var headers: HTTPFields = [.eTag: document.tag, .cacheControl: Self.caching]
        if request.knows(document.tag) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = OpenAPIDocument.mediaType
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: document.bytes))
        )
    }

    private func document() throws -> OpenAPIDocument {
        try built.withLock { built in
            if let built { return built }
            let document = try OpenAPIDocument(baseURL)
            built = document
            return document
        }
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
            let reference = reference(renderer.pageLanguage(request))
            return renderer.show(request, context.caller?.account) { $0.api(reference) }
        }
    }

    private func reference(_ language: Language) -> String {
        references.withLock { references in
            if let known = references[language] { return known }
            let context = PageContext(language: language, viewer: nil, origin: renderer.baseURL.text, address: "/api")
            let html = renderer.pages.render(for: context) { $0.apiReference(Operation.all, renderer.baseURL) }
            references[language] = String(decoding: html, as: UTF8.self)
            return String(decoding: html, as: UTF8.self)
        }
    }
}
