import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages

/// The static files of the pages: style sheets, scripts, icons, the service worker, and Leaflet from Debian's package.
struct AssetRoutes {
    let renderer: PageRenderer
    let siteName: String
    private let leaflet = LeafletFiles()

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/assets/:version/:file", use: asset)
        router.get("/leaflet/:file", use: leafletFile)
        router.get("/manifest.webmanifest", use: manifest)
        router.get("/favicon.ico", use: favicon)
        router.get("/sw.js", use: serviceWorker)
        router.get("/offline", use: offline)
    }

    @Sendable private func asset(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let assets = renderer.pages.assets
        guard let file = context.parameters.get("file").flatMap({ assets.file($0) }) else {
            throw ServiceError(.notFound, "no such file")
        }
        // A page of an older version may request a file of that version. It gets the current file, which caches must
        // not keep under the old address.
        let isCurrent = context.parameters.get("version") == assets.version
        return Self.answer(file, isCurrent ? "public, max-age=31536000, immutable" : "no-cache")
    }

    @Sendable private func leafletFile(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let file = context.parameters.get("file").flatMap({ leaflet.file($0) }) else {
            throw ServiceError(.notFound, "no such file: install libjs-leaflet and libjs-leaflet.markercluster")
        }
        return Self.answer(file, "public, max-age=604800")
    }

    /// Browsers and feed readers ask for this file whatever the pages say.
    @Sendable private func favicon(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let icon = renderer.pages.assets.favicon else { throw ServiceError(.notFound, "no such file") }
        return Self.answer(icon, "public, max-age=604800")
    }

    /// The service worker is at the root, because it can only control pages below its own path.
    @Sendable private func serviceWorker(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let assets = renderer.pages.assets
        guard let file = assets.file("sw.js") else { throw ServiceError(.notFound, "no such file") }
        // The version makes browsers fetch all files again when one of them has changed.
        // The screenshots are for the dialog that installs the app, which is shown once.
        let shell = assets.names.filter { $0 != "sw.js" && !$0.hasSuffix(".jpg") }.map { "\"\($0)\"" }.joined(
            separator: ",")
        let head = """
            const base = "\(renderer.baseURL.path)", version = "\(assets.version)", shell = [\(shell)];

            """
        return Self.answer(Assets.File(type: file.type, data: Data(head.utf8) + file.data), "no-cache")
    }

    @Sendable private func offline(_ request: Request, _ context: ServiceContext) async throws -> Response {
        renderer.show(request, nil) { $0.message(.offline) }
    }

    @Sendable private func manifest(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let base = renderer.baseURL.path
        let manifest = WebManifest(
            name: siteName,
            base: base,
            assets: "\(base)/assets/\(renderer.pages.assets.version)",
            localizer: renderer.localizer(request),
            hasAsset: { renderer.pages.assets.file($0) != nil }
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let file = Assets.File(type: "application/manifest+json", data: try encoder.encode(manifest))
        var response = Self.answer(file, "no-cache")
        response.vary(by: "Accept-Language, Cookie")
        return response
    }

    private static func answer(_ file: Assets.File, _ caching: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: file.type, .cacheControl: caching],
            body: ResponseBody(byteBuffer: ByteBuffer(data: file.data))
        )
    }
}

/// The files of Leaflet and its marker cluster plugin from Debian's packages `libjs-leaflet` and
/// `libjs-leaflet.markercluster`, kept in memory.
private struct LeafletFiles: Sendable {
    private static let folder = URL(filePath: "/usr/share/javascript/leaflet")
    private static let names = [
        "leaflet.css": "leaflet.css", "leaflet.js": "leaflet.min.js", "MarkerCluster.css": "MarkerCluster.css",
        "leaflet.markercluster.js": "leaflet.markercluster.min.js",
    ]
    private let files: [String: Assets.File]

    init() {
        files = Self.names.reduce(into: [:]) { files, name in
            guard let data = try? Data(contentsOf: Self.folder.appending(path: name.value)) else { return }
            let type = name.key.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
            files[name.key] = Assets.File(type: type, data: data)
        }
    }

    func file(_ name: String) -> Assets.File? { files[name] }
}
