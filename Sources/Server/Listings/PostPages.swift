import Credentials
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Photos
import Storage

/// The form to post a listing, for guests too.
struct PostPages {
    let renderer: PageRenderer
    let accountService: AccountService
    let listings: ListingStore
    let breeds: Breeds
    let finder: any PlaceFinder
    let microchipLimits: MicrochipLimits

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/post", use: form)
        router.post("/post", use: post)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let ban = context.ban { return renderer.show(.ban(ban), request) }
        let account = context.caller?.account
        // Each request for the form is for a new listing: going back in the browser's history must not show the ID of
        // the previous one.
        var response = renderer.show(ListingForm(for: account), request, account, isPrivate: true)
        // The token is set already with the form, so that a form sent twice, because a response was lost, comes from
        // the same guest account.
        if context.cookie == nil { renderer.cookie.set(Token(), in: &response) }
        return response
    }

    @Sendable private func post(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var typed: [String: String] = [:]
        return try await renderer.handleForm {
            let sent = try await renderer.forms.read(request)
            typed = sent.typed
            try sent.expectFiles()
            let language = renderer.pageLanguage(request)
            let editor = ListingEditor(breeds: breeds, finder: finder, language: language)
            let timeZone = FormTimeZone(zones: renderer.timeZones, finder: finder, language: language)
            // The listing is validated before a guest account is created, so that a refused listing leaves no account
            // behind.
            let written = try editor.create(try ListingFields(typed, timeZone).values, owner: context.caller?.account)
            let photos = try sent.photos()
            try microchipLimits.takeChange(to: written.0, by: context.caller?.account, at: context.client)
            let token = context.cookie ?? Token()
            let account = try await accountService.account(request, context, token)
            let id = sent.key?.id(for: account) ?? UUID()
            let draft = ListingStore.Draft(id: id, content: written.0, location: written.1)
            try await post(draft, photos, by: account, language)
            var response = renderer.redirect("/listings/\(id.lowercased)?posted")
            renderer.keep(token, of: account, context, in: &response)
            return response
        } orShow: { error, status in
            let page = ListingForm(nil, typed: typed, problem: error)
            return renderer.show(page, request, context.caller?.account, status: status)
        }
    }

    /// Stores the listing and all photos, or nothing. If the form was sent before, stores only the photos that did not
    /// arrive then.
    private func post(
        _ draft: ListingStore.Draft,
        _ photos: [ProcessedPhoto],
        by account: Account,
        _ language: Language
    ) async throws {
        let (listing, isRepeated) = try await listings.createOnce(draft, owner: account) { row, isRepeated in
            (try Listing(row), isRepeated)
        }
        guard !isRepeated else { return try await keep(photos, of: listing, language) }
        do {
            try await keep(photos, of: listing, language)
        } catch {
            try await listings.remove(listing, version: nil)
            await renderer.photoService.removeDeletedFiles()
            throw error
        }
    }

    private func keep(_ photos: [ProcessedPhoto], of listing: Listing, _ language: Language) async throws {
        for (number, photo) in zip(1..., photos) where !listing.photos.contains(where: { $0.number == number }) {
            _ = try await renderer.photoService.store(photo, .listing(listing.key, number: number), language)
        }
    }
}
