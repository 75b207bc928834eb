import Domain
import Foundation
import HTTP
import Hummingbird
import Pages
import Storage

/// The page on which the owner of a listing writes to the author of a sighting, and the button to block them.
struct SightingAuthorPages {
    let pages: MessagePages

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/sightings/:sighting/write", use: form)
        router.post("/listings/:id/sightings/:sighting/write", use: write)
        router.post("/listings/:id/sightings/:sighting/block", use: block)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, sighting, account) = try get(context)
        let known = try? pages.messages.conversations.getConversation(id: sighting.id, of: account)
        if let known { return pages.site.page.redirect(pages.path(known.id)) }
        return pages.page(request, account) { $0.write(about: listing, sighting) }
    }

    @Sendable private func write(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, sighting, account) = try get(context)
        let sent = try await pages.site.page.forms.read(request, maxPhotos: 1)
        return try await pages.attempt(sent, request) {
            let message = try await pages.messages.send(
                try sent.message,
                photo: try sent.photo(),
                in: pages.site.page.pageLanguage(request),
                id: sent.key?.id(for: account) ?? UUID(),
                to: .author(ofSighting: sighting.id, ofListing: listing.id),
                by: account,
                from: context.client
            )
            return pages.site.page.redirect(pages.path(message.conversation), done: "inbox.sent")
        } again: { form, status in
            pages.page(request, account, status: status) { $0.write(about: listing, sighting, form) }
        }
    }

    @Sendable private func block(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, sighting, account) = try get(context)
        try await pages.messages.conversations.block(authorOfSighting: sighting.id, at: listing.id, by: account)
        return pages.site.page.redirect("/listings/\(listing.id.lowercased)", done: "case.blocked")
    }

    /// Throws `forbidden` unless the caller owns the listing and somebody else has reported the sighting.
    private func get(_ context: ServiceContext) throws -> (Listing, Sighting, Account) {
        let account = try SignedInContext(context: context).account
        let (listing, owner) = try pages.site.stores.listings.getOwn(context.parameters, account)
        let id = try context.parameters.sighting
        let sighting = try pages.site.stores.sightings.getSighting(id: id, of: listing, seenBy: owner)
        guard !sighting.isMine else { throw ServiceError(.forbidden, "you added this sighting yourself") }
        return (listing, sighting, owner)
    }
}
