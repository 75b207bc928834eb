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
    let renderer: PageRenderer
    let service: SightingService
    let accountService: AccountService
    let listings: ListingStore

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/sighting", use: form)
        router.post("/listings/:id/sighting", use: send)
        router.post("/listings/:id/sightings", use: attach)
        router.post("/listings/:id/sightings/:sighting", use: decide)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = context.caller?.account
        let listing = try listings.get(context.parameters, seenBy: account, Listing.init)
        guard listing.isLost else { return renderer.redirect("/listings/\(listing.id.lowercased)") }
        var response = renderer.show(request, account, isPrivate: true) {
            $0.sighting(of: listing, in: renderer.timeZones.zone(at: listing.location))
        }
        // The token is set already with the form, so that a form sent twice, because a response was lost, comes from
        // the same guest account.
        if context.cookie == nil { renderer.cookie.set(Token(), in: &response) }
        return response
    }

    @Sendable private func send(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try listings.get(context.parameters, seenBy: viewer, Listing.init)
        let sent = try await renderer.forms.read(request, maxPhotos: 1)
        return try await renderer.handleForm {
            // The sighting is checked before a guest account is created, so that a refused one leaves no account behind.
            guard listing.isLost else { throw ServiceError.notLost }
            let zone = renderer.timeZones.zone(at: listing.location)
            let content = try SightingContent(form: sent, zone: zone)
            let draft = try content.located(by: service.finder, language: renderer.pageLanguage(request))
            let photo = try sent.photo()
            let token = context.cookie ?? Token()
            let account = try await accountService.account(request, context, token)
            let author = try listings.actor(account, at: listing)
            let id = sent.key?.id(for: author) ?? UUID()
            _ = try await service.add(
                draft,
                photo: photo,
                id: id,
                of: listing,
                by: author,
                from: context.client
            )
            let done = author.key == listing.owner ? "sighting.added" : "sighting.thanks"
            var response = renderer.redirect("/listings/\(listing.id.lowercased)", done: done)
            renderer.keep(token, of: account, context, in: &response)
            return response
        } orShow: { error, status in
            renderer.show(request, viewer, status: status, isPrivate: true) {
                $0.sighting(of: listing, typed: sent.typed, problem: error)
            }
        }
    }

    @Sendable private func decide(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try get(context)
        let id = try context.parameters.sighting
        let sent = try await renderer.forms.read(request)
        let state = try Field("state", sent["state"].map(JSONValue.string) ?? .null).choice(Sighting.State.self)
        guard let state else { throw ServiceError.invalid("state", "expected a decision") }
        _ = try await service.sightings.setState(state, of: id, at: listing, by: account)
        return renderer.redirect("/listings/\(listing.id.lowercased)#sightings")
    }

    @Sendable private func attach(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try get(context)
        let sent = try await renderer.forms.read(request)
        let id = try Field("listing", sent["listing"].map(JSONValue.string) ?? .null).uuid()
        _ = try await service.sightings.attach(id, to: listing, by: account)
        return renderer.redirect("/listings/\(listing.id.lowercased)", done: "sighting.attachedNow")
    }

    private func get(_ context: ServiceContext) throws -> (Listing, Account) {
        let account = try SignedInContext(context: context).account
        let listing = try listings.get(context.parameters, seenBy: account, Listing.init)
        return (listing, try listings.actor(account, at: listing))
    }
}

extension Listing {
    /// Whether sightings of the animal can be reported.
    fileprivate var isLost: Bool { content.status == .lost && !hidden }
}

extension SightingContent {
    /// - Parameter zone: the time zone of the listing, which the form shows times in, unless a script states another one.
    fileprivate init(form sent: FormReader.SubmittedForm, zone: TimeZone) throws {
        let typed = sent.typed.choosingPlace()
        var fields = try sent.values(typed.filter { ["text", "contact_phone", "lon", "lat"].contains($0.key) })
        fields[PointConfirmation.fieldName] = typed.pointConfirmation
        // A street that was typed with an unclear town.
        if let street = typed["whereabouts"] {
            fields["text"] = .string([street, typed["text"]].compactMap(\.self).joined(separator: "\n"))
        }
        // Scripts show the town of the chosen point.
        if fields["lon"] == nil, fields["lat"] == nil {
            fields["place"] = typed["place"].map(JSONValue.string)
        }
        if let text = typed["seen_at"] {
            let stated = typed["time_zone"].flatMap(TimeZone.init(identifier:)) ?? zone
            guard let time = Timestamp(written: text, zone: stated) else {
                throw ServiceError.invalid("seen_at", "expected a time like 26/11/2026 15:30 or 2026-11-26T15:30")
            }
            fields["seen_at"] = .string(time.text)
        }
        try self.init(fields)
    }
}
