import Domain
import HTTP
import Hummingbird
import Pages
import Storage

/// The page of an animal of which several listings tell. Each of the listings leads to it.
struct AnimalPages {
    let site: Site
    let service: AnimalService

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/animal", use: show)
        router.post("/listings/:id/animal", use: change)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let (listing, reader) = try site.stores.listings.getListing(context)
        guard let animal = try service.animal(of: listing, seenBy: reader) else {
            return site.page.redirect("/listings/\(listing.id.lowercased)")
        }
        // The reader's own sightings are shown with their points.
        let isPrivate = animal.listings.contains { $0.isFullyVisible(to: viewer) }
        return site.page.show(request, viewer, isPrivate: isPrivate) {
            $0.animal(
                animal,
                of: listing,
                isOwner: viewer?.acts(for: listing.owner) == true,
                isModerator: viewer?.role == .admin
            )
        }
    }

    /// Separates a listing from the others, for its owner or a moderator; or joins it with another one, for a moderator.
    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let listing = try site.stores.listings.get(context.parameters, seenBy: account, Listing.init)
        let form = try await site.page.forms.read(request)
        if let id = form["join"] {
            let other = try Field("join", .string(id)).uuid()
            try await service.join(listing.id, with: other, by: try AdminContext(context: context).actor)
            return site.page.redirect("/listings/\(listing.id.lowercased)/animal")
        }
        if account.acts(for: listing.owner) {
            try await site.stores.matches.part(listing)
        } else {
            try await site.stores.moderation.part(listing.id, by: try AdminContext(context: context).actor)
        }
        return site.page.redirect("/listings/\(listing.id.lowercased)", done: "joined.parted")
    }
}
