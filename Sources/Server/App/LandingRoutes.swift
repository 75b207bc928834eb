import Domain
import Formats
import HTTP
import Hummingbird

/// The root URL of the service: the board for browsers, links to the API for other clients.
struct LandingRoutes {
    let site: Site
    let board: BoardPages

    func add(to router: Router<ServiceContext>) {
        router.get("/", use: landing)
    }

    /// Returns the board to browsers, and links to the API to other clients. Pages that link to the API's version use
    /// `f=json`.
    @Sendable private func landing(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard !request.wantsPage || request.uri.queryParameters["f"] == "json" else {
            var page = try await board.board(request, context)
            page.vary(by: "Accept")
            return page
        }
        var response = Response.object { json in
            json.field("title", site.settings.name)
            json.field("description", "Reuniting lost dogs with their people")
            json.links(
                Self.links.map { Link(rel: $0.rel, href: site.baseURL.link($0.href), type: $0.type, title: $0.title) }
            )
        }
        response.headers[.vary] = "Accept"
        return response
    }

    /// The links of the API. OGC API - Features requires the first five; GIS programs identify them by `rel` and
    /// `type`.
    private static let links = [
        Link(rel: "self", href: "/", type: "application/json", title: "This page"),
        Link(rel: "alternate", href: "/", type: "text/html", title: "The board for people"),
        Link(
            rel: "service-desc",
            href: "/openapi.json",
            type: "application/vnd.oai.openapi+json;version=3.0",
            title: "All of it, for programs"
        ),
        Link(rel: "conformance", href: "/conformance", type: "application/json", title: "What it conforms to"),
        Link(rel: "data", href: "/collections", type: "application/json", title: "Collections of features"),
        Link(rel: "related", href: "/v1/listings", type: "application/geo+json", title: "Listings"),
        Link(
            rel: "related",
            href: "/v1/pois?lon=14.79&lat=40.77&radius=10000",
            type: "application/geo+json",
            title: "Help nearby"
        ),
        Link(rel: "related", href: "/v1/breeds", type: "application/json", title: "Breeds"),
        Link(rel: "related", href: "/v1/places?q=Salerno", type: "application/geo+json", title: "Places by name"),
        Link(
            rel: "related",
            href: "/v1/places/reverse?lon=14.79&lat=40.77",
            type: "application/json",
            title: "The place at a point"
        ),
    ]
}
