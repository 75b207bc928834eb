import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The files that search engines ask for: which pages they may read (RFC 9309), and the addresses of the open listings
/// (sitemaps.org).
struct SitemapRoutes {
    let search: ListingSearch
    let baseURL: BaseURL

    /// The listings in one file. The protocol allows 50,000; this many are read within the budget of a slow read.
    static let pageSize = 5_000
    /// Pages with private data or forms, and the API, whose contents the pages show.
    private static let privatePaths = [
        "/account", "/basemap/", "/embed", "/feeds/", "/inbox", "/moderation", "/my", "/photo-search", "/report",
        "/tiles/", "/v1/",
    ]
    private static let privateListingPaths = ["card", "delete", "edit", "renew", "status", "write"]

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/robots.txt", use: robots)
        router.get("/sitemap.xml", use: index)
        router.get("/sitemap/:status/:after", use: page)
    }

    @Sendable private func robots(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let paths = Self.privatePaths + Self.privateListingPaths.map { "/listings/*/\($0)" }
        let lines =
            ["User-agent: *"] + paths.map { "Disallow: \(baseURL.path)\($0)" }
            + ["Allow: \(baseURL.path)/", "", "Sitemap: \(baseURL.link("/sitemap.xml"))", ""]
        return answer(lines.joined(separator: "\n"), "text/plain; charset=utf-8")
    }

    @Sendable private func index(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let files = try search.sitemapPages(of: Self.pageSize).map { page in
            "<sitemap><loc>\(baseURL.link("/sitemap/\(page.status.rawValue)/\(page.after)").xml)</loc></sitemap>"
        }
        return answer(xml("sitemapindex", files), "application/xml; charset=utf-8")
    }

    @Sendable private func page(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let status = context.parameters.get("status").flatMap(Listing.Status.init(rawValue:)), status.isOpen,
            let after = context.parameters.get("after")?.wholeNumber, after >= 0
        else { throw ServiceError(.notFound, "no such sitemap") }
        let page = ListingSearch.SitemapPage(status: status, after: Int64(after))
        let urls = try search.sitemapEntries(page, limit: Self.pageSize).map { entry in
            "<url><loc>\(baseURL.link("/listings/\(entry.uuid)").xml)</loc><lastmod>\(entry.updatedAt.text)</lastmod></url>"
        }
        guard !urls.isEmpty else { throw ServiceError(.notFound, "no such sitemap") }
        return answer(xml("urlset", urls), "application/xml; charset=utf-8")
    }

    private func xml(_ element: String, _ items: [String]) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <\(element) xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        \(items.joined(separator: "\n"))
        </\(element)>

        """
    }

    private func answer(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "public, max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

extension String {
    /// The text with the characters escaped that have a meaning in XML. A base URL can contain `&` and `'`.
    fileprivate var xml: String {
        replacing("&", with: "&amp;").replacing("'", with: "&apos;").replacing("<", with: "&lt;")
    }
}
