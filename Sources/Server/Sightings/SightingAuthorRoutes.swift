import Domain
import HTTP
import Hummingbird
import Storage

/// The API with which the owner of a listing writes to the author of a sighting, and blocks them.
struct SightingAuthorRoutes {
    let site: Site
    let messages: MessageRoutes

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .post("/v1/listings/:id/sightings/:sighting/messages", use: write)
            .post("/v1/listings/:id/sightings/:sighting/block", use: block)
    }

    @Sendable private func write(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let (listing, actor) = try site.stores.listings.getListing(context)
        let id = try context.parameters.sighting
        return try await messages.send(.author(ofSighting: id, ofListing: listing.id), request, context, by: actor)
    }

    @Sendable private func block(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let (listing, actor) = try site.stores.listings.getListing(context)
        let id = try context.parameters.sighting
        try await messages.service.conversations.block(authorOfSighting: id, at: listing.id, by: actor)
        return .noContent
    }
}
