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
    let site: Site
    let accountService: AccountService
    let microchipLimits: MicrochipLimits
    let reporter: SightingReporter

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/post", use: form)
        router.post("/post", use: post)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let ban = context.ban { return site.page.show(.ban(ban), request) }
        let account = context.caller?.account
        // Each request for the form is for a new listing: going back in the browser's history must not show the ID of
        // the previous one.
        let given = request.parameters.filter { Self.given.contains($0.key) }
        let values = ListingForm.values(for: account).merging(given) { $1 }
        var response = try site.page.show(request, account, isPrivate: true) {
            $0.form(nil, values, memberships: try memberships(of: account))
        }
        // The token is set already with the form, so that a form sent twice, because a response was lost, comes from
        // the same guest account.
        if context.cookie == nil { site.page.cookie.set(Token(), in: &response) }
        return response
    }

    /// The fields that links to the form fill in.
    private static let given: Set<String> = ["status", "place", "lon", "lat"]

    @Sendable private func post(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var typed: [String: String] = [:]
        return try await site.page.handleForm {
            let sent = try await site.page.forms.read(request)
            typed = sent.typed
            try sent.expectFiles()
            try sent.expectSession(context)
            let language = site.page.pageLanguage(request)
            let editor = ListingEditor(breeds: site.breeds, finder: site.finder, language: language)
            let timeZone = FormTimeZone(zones: site.page.timeZones, finder: site.finder, language: language)
            // The listing is validated before a guest account is created, so that a refused listing leaves no account
            // behind.
            let poster = try poster(typed["organisation"], context)
            let fields = try ListingFields(typed, timeZone).values
            let written = try await site.slowReads.findPlace(site.finder, hasPoint: fields["lon"] != nil) {
                try editor.create(fields, owner: poster)
            }
            let photos = try sent.photos()
            let isSeen = written.0.status == .sighted
            let seen = isSeen ? await site.photoService.recogniser.classifyIfPossible(photos) : []
            if let answer = try await answerSighting(sent, written, seen, by: poster, request, context) {
                return answer
            }
            try await microchipLimits.takeChange(to: written.0, by: poster, at: context.client)
            let token = context.cookie ?? Token()
            let viewer = try await accountService.account(request, context, token)
            let account = typed["organisation"] == nil ? viewer : poster ?? viewer
            let id = sent.key?.id(for: account) ?? UUID()
            let draft = ListingStore.Draft(id: id, content: written.0, location: written.1)
            try await post(draft, photos, seen, by: account, for: viewer, language)
            var response = site.page.redirect("/listings/\(id.lowercased)?posted")
            site.page.keep(token, of: viewer, context, in: &response)
            return response
        } orShow: { error, status in
            let viewer = context.caller?.account
            return try site.page.show(request, viewer, status: status) {
                $0.form(nil, typed, problem: error, memberships: try memberships(of: viewer))
            }
        }
    }

    func memberships(of account: Account?) throws -> [Organisation.Membership] {
        guard let account, !account.memberships.isEmpty else { return [] }
        return try site.stores.organisations.findMemberships(of: account)
    }

    /// The account that owns the new listing; nil for a guest who has none yet.
    private func poster(_ organisation: String?, _ context: ServiceContext) throws -> Account? {
        guard let organisation else { return context.caller?.account }
        let id = try Field("organisation", .string(organisation)).uuid()
        return try site.stores.organisations.getAccount(id: id, for: try SignedInContext(context: context).account)
    }

    /// Stores the listing and all photos, or nothing. If the form was sent before, stores only the photos that did not
    /// arrive then.
    ///
    /// - Parameter seen: what the model saw in each photo; empty if it was not asked.
    private func post(
        _ draft: ListingStore.Draft,
        _ photos: [ProcessedPhoto],
        _ seen: [RecordedClassification?],
        by account: Account,
        for member: Account?,
        _ language: Language
    ) async throws {
        let (listing, isRepeated) = try await site.stores.listings.createOnce(draft, owner: account, by: member) {
            row, isRepeated in
            (try Listing(row), isRepeated)
        }
        guard !isRepeated else { return try await keep(photos, seen, of: listing, language) }
        do {
            try await keep(photos, seen, of: listing, language)
        } catch {
            try await site.stores.listings.remove(listing, version: nil)
            await site.photoService.removeDeletedFiles()
            throw error
        }
    }

    private func keep(
        _ photos: [ProcessedPhoto],
        _ seen: [RecordedClassification?],
        of listing: Listing,
        _ language: Language
    ) async throws {
        for (number, photo) in zip(1..., photos) where !listing.photos.contains(where: { $0.number == number }) {
            let known = seen.count >= number ? seen[number - 1] : nil
            _ = try await site.photoService.store(
                photo, .listing(listing.key, number: number), language, known: known)
        }
    }
}
