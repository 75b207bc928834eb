import Domain
import HTTP
import Hummingbird
import Pages
import Storage

/// The page of an animal of which several listings tell. Each of the listings leads to it.
struct AnimalPages {
    let renderer: PageRenderer
    let listings: ListingStore
    let service: AnimalService
    let matches: MatchStore
    let moderation: ModerationStore

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/animal", use: show)
        router.post("/listings/:id/animal", use: change)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let (listing, reader) = try listings.getListing(context)
        guard let animal = try service.animal(of: listing, seenBy: reader) else {
            return renderer.redirect("/listings/\(listing.id.lowercased)")
        }
        // The reader's own sightings are shown with their points.
        let isPrivate = animal.listings.contains { $0.isFullyVisible(to: viewer) }
        return renderer.show(request, viewer, isPrivate: isPrivate) {
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
        let listing = try listings.get(context.parameters, seenBy: account, Listing.init)
        let form = try await renderer.forms.read(request)
        if let id = form["join"] {
            let other = try Field("join", .string(id)).uuid()
            try await service.join(listing.id, with: other, by: try AdminContext(context: context).actor)
            return renderer.redirect("/listings/\(listing.id.lowercased)/animal")
        }
        if account.acts(for: listing.owner) {
            try await matches.part(listing)
        } else {
            try await moderation.part(listing.id, by: try AdminContext(context: context).actor)
        }
        return renderer.redirect("/listings/\(listing.id.lowercased)", done: "joined.parted")
    }
}
