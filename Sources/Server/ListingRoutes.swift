import Domain
import Formats
import Foundation
import HTTPTypes
import Hummingbird
import Storage

/// The board: everybody reads, owners write.
struct ListingRoutes {
    let listings: ListingStore
    let breeds: Breeds
    let finder: any PlaceFinder
    let baseURL: BaseURL

    private static let mergePatch = ["application/merge-patch+json", "application/json"]

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings", use: search)
        router.get("/v1/listings/:id", use: show)
        router.group(context: SignedInContext.self)
            .get("/v1/me/listings", use: own)
            .post("/v1/listings", use: create)
            .patch("/v1/listings/:id", use: edit)
            .delete("/v1/listings/:id", use: remove)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try ListingQuery(request, breeds: breeds, finder: finder)
        return page(try await listings.findListings(query), request, viewer: context.caller?.account)
    }

    @Sendable private func own(_ request: Request, _ context: SignedInContext) async throws -> Response {
        var query = try ListingQuery(request, breeds: breeds, finder: finder)
        if request.uri.queryParameters["status"] == nil { query.statuses = Listing.Status.allCases }
        query.owner = context.account.key
        query.includesHidden = true
        return page(try await listings.findListings(query), request, viewer: context.account)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = context.caller?.account
        let listing = try await getListing(context.parameters, account)
        let tag = listing.entityTag(for: account)
        if let known = request.headers[.ifNoneMatch], known.entityTags.contains(where: { $0 == tag || $0 == "*" }) {
            return Response(status: .notModified, headers: [.eTag: tag, .vary: "Authorization"])
        }
        return response(listing, viewer: account)
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let editor = ListingEditor(breeds: breeds, finder: finder, language: try request.language())
        let (content, location) = try editor.create(try await request.fields(), owner: context.account)
        let draft = ListingStore.Draft(content: content, location: location)
        let listing = try await listings.create(draft, owner: context.account)
        var response = response(listing, viewer: context.account, status: .created)
        response.headers[.location] = baseURL.link("/v1/listings/\(listing.id.lowercased)")
        return response
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let listing = try await getOwn(context)
        let version = try listing.requiredVersion(request)
        let editor = ListingEditor(breeds: breeds, finder: finder, language: try request.language())
        let (content, location) = try editor.edit(listing, try await request.fields(mediaTypes: Self.mergePatch))
        let edited = try await listings.update(listing, content: content, location: location, version: version)
        return response(edited, viewer: context.account)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let listing = try await getOwn(context)
        try await listings.remove(listing, version: try listing.requiredVersion(request))
        return .noContent
    }

    private func getListing(_ parameters: Parameters, _ viewer: Account?) async throws -> Listing {
        guard let id = parameters.get("id").flatMap(UUID.init(uuidString:)),
            let listing = try await listings.findListing(id: id, seenBy: viewer)
        else { throw ServiceError(.notFound, "no such listing") }
        return listing
    }

    private func getOwn(_ context: SignedInContext) async throws -> Listing {
        let listing = try await getListing(context.parameters, context.account)
        guard listing.owner == context.account.key else {
            throw ServiceError(.forbidden, "only its owner may change a listing")
        }
        return listing
    }

    private func response(_ listing: Listing, viewer: Account?, status: HTTPResponse.Status = .ok) -> Response {
        var json = JSONWriter()
        json.feature(listing, full: listing.isOpen(to: viewer))
        var response = Response(json, status: status, type: "application/geo+json")
        response.headers[.eTag] = listing.entityTag(for: viewer)
        response.headers[.vary] = "Authorization"
        return response
    }

    private func page(_ page: ListingPage, _ request: Request, viewer: Account?) -> Response {
        var links = [Link(rel: "self", href: baseURL.link(request))]
        if let next = page.next {
            links.append(Link(rel: "next", href: baseURL.link(request, setting: ("cursor", next.token))))
        }
        var response = Response.collection(page.entries, links: links) { json, entry in
            json.feature(entry.listing, distance: entry.distance, full: entry.listing.isOpen(to: viewer))
        }
        response.headers[.vary] = "Authorization"
        return response
    }
}

extension Listing {
    /// Owner and admins see what is hidden from others.
    fileprivate func isOpen(to viewer: Account?) -> Bool {
        viewer.map { $0.key == owner || $0.role == .admin } ?? false
    }

    /// The same version looks different to its owner.
    fileprivate func entityTag(for viewer: Account?) -> String {
        isOpen(to: viewer) ? "\"\(version)-full\"" : "\"\(version)\""
    }

    /// The version an edit insists on; nil where it insists on none.
    fileprivate func requiredVersion(_ request: Request) throws -> Int? {
        guard let header = request.headers[.ifMatch], header != "*" else { return nil }
        guard header.entityTags.contains(where: { $0 == "\"\(version)\"" || $0 == "\"\(version)-full\"" }) else {
            throw ServiceError(.preconditionFailed, "If-Match: the listing was changed meanwhile: read it again")
        }
        return version
    }
}

extension String {
    /// The tags of an `If-Match` or `If-None-Match` list, weak ones as their strong twins.
    fileprivate var entityTags: [String] {
        split(separator: ",").map { String($0.trimmed) }.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
    }
}
