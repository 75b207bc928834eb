import Credentials
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages
import Storage

/// The form to tell the owner of a listing where the lost animal was seen, and the owner's decisions.
struct SightingPages {
    let reporter: SightingReporter

    private var site: Site { reporter.site }
    private var service: SightingService { reporter.service }

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/sighting", use: form)
        router.post("/listings/:id/sighting", use: send)
        router.post("/listings/:id/sightings", use: attach)
        router.post("/listings/:id/sightings/:sighting", use: decide)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = context.caller?.account
        let listing = try site.stores.listings.get(context.parameters, seenBy: account, Listing.init)
        guard listing.takesSightings else { return site.page.redirect("/listings/\(listing.id.lowercased)") }
        var response = site.page.show(request, account, isPrivate: true) {
            $0.sighting(of: listing, in: site.page.timeZones.zone(at: listing.location))
        }
        // The token is set already with the form, so that a form sent twice, because a response was lost, comes from
        // the same guest account.
        if context.cookie == nil { site.page.cookie.set(Token(), in: &response) }
        return response
    }

    @Sendable private func send(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try site.stores.listings.get(context.parameters, seenBy: viewer, Listing.init)
        let sent = try await site.page.forms.read(request, maxPhotos: 1)
        return try await site.page.handleForm {
            try await reporter.report(sent.typed, sent, of: listing, request, context)
        } orShow: { error, status in
            site.page.show(request, viewer, status: status, isPrivate: true) {
                $0.sighting(of: listing, typed: sent.typed, problem: error)
            }
        }
    }

    @Sendable private func decide(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try get(context)
        let id = try context.parameters.sighting
        let sent = try await site.page.forms.read(request)
        let state = try Field("state", sent["state"].map(JSONValue.string) ?? .null).choice(Sighting.State.self)
        guard let state else { throw ServiceError.invalid("state", "expected a decision") }
        _ = try await service.sightings.setState(state, of: id, at: listing, by: account)
        return site.page.redirect("/listings/\(listing.id.lowercased)#sightings")
    }

    @Sendable private func attach(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try get(context)
        let sent = try await site.page.forms.read(request)
        let id = try Field("listing", sent["listing"].map(JSONValue.string) ?? .null).uuid()
        _ = try await service.sightings.attach(id, to: listing, by: account)
        return site.page.redirect("/listings/\(listing.id.lowercased)", done: "sighting.attachedNow")
    }

    private func get(_ context: ServiceContext) throws -> (Listing, Account) {
        let account = try SignedInContext(context: context).account
        let listing = try site.stores.listings.get(context.parameters, seenBy: account, Listing.init)
        return (listing, try site.stores.listings.actor(account, at: listing))
    }
}
