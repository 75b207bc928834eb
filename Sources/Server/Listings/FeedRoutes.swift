import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Pages
import Storage

/// The listings as feeds, newest first.
struct FeedRoutes {
    let site: Site

    private static let defaults = [
        "sort": ListingQuery.Order.newest.rawValue, "limit": String(PageSize.feed.defaultLimit),
    ]

    func add(to router: Router<ServiceContext>) {
        router.get("/feeds/listings.atom") { request, _ in try show(.atom, request) }
        router.get("/feeds/listings.rss") { request, _ in try show(.rss, request) }
    }

    private func show(_ format: FeedFormat, _ request: Request) throws -> Response {
        let language = try request.language(request.queryReader())
        let (listings, next) = try find(request, language)
        let visit = PageContext(language: language, viewer: nil, origin: site.baseURL.text, address: request.uri.string)
        let addresses: Pages.FeedAddresses = (
            first: site.baseURL.link(request, without: ["cursor"]),
            own: site.baseURL.link(request),
            next: next.map { site.baseURL.link(request, cursor: $0) },
            board: site.baseURL.link(request, to: "/board", without: ["cursor", "limit"])
        )
        let xml = site.page.pages.feed(
            format, of: listings, filters: BoardFilters(request.parameters), addresses, for: visit)
        let tag = xml.entityTag
        let headers: HTTPFields = [
            .eTag: tag, .lastModified: listings.updated.httpDate, .cacheControl: "no-cache",
            .vary: "Accept-Language",
        ]
        // `If-Modified-Since` is ignored, because the removal of a listing does not make the modification time later.
        if request.knows(tag) {
            return Response(status: .notModified, headers: headers)
        }
        var response = Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: xml)))
        response.headers[.contentType] = format.mediaType + "; charset=utf-8"
        response.headers[.contentLanguage] = language.rawValue
        return response
    }

    private func find(_ request: Request, _ language: Language) throws -> (listings: [Listing], next: String?) {
        let parameters = request.queryReader().assuming(Self.defaults)
        let query = try site.queries.read(parameters, language: language)
        var found: [Listing] = []
        let next = try site.stores.search.find(query) { row, _ in found.append(try Listing(row)) }
        return (found, next?.token)
    }
}
