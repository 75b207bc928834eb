import Concurrency
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages
import Photos
import Storage

/// The page of a listing, and the pages to edit it.
struct ListingPages {
    let renderer: PageRenderer
    let listings: ListingStore
    let search: ListingSearch
    let photos: PhotoStore
    let breeds: Breeds
    let finder: any PlaceFinder
    let slowReads: SlowReadExecutor

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id", use: show)
        router.get("/listings/:id/card", use: card)
        router.get("/listings/:id/flyer.pdf", use: flyer)
        router.get("/listings/:id/edit", use: form)
        router.post("/listings/:id/edit", use: edit)
        router.post("/listings/:id/status", use: setStatus)
        router.post("/listings/:id/renew", use: renew)
        router.get("/listings/:id/delete", use: askToDelete)
        router.post("/listings/:id/delete", use: remove)
        router.get("/my", use: own)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try listings.get(context.parameters, seenBy: viewer, Listing.init)
        let page = ListingPage(
            listing,
            isOwner: viewer?.key == listing.owner,
            isNew: request.uri.queryParameters["posted"] != nil
        )
        return renderer.show(page, request, viewer, isPrivate: listing.isFullyVisible(to: viewer))
    }

    @Sendable private func card(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try listings.get(context.parameters, seenBy: viewer, Listing.init)
        return renderer.show(
            CardPage(ListingCard(listing)),
            request,
            viewer,
            isPrivate: listing.isFullyVisible(to: viewer)
        )
    }

    @Sendable private func flyer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try listings.get(context.parameters, seenBy: viewer, Listing.init)
        var photo: Data?
        if let first = listing.photos.first { photo = try? await renderer.photoService.bytes(of: first) }
        let flyer = renderer.localizer(request).flyer(of: listing, photo: photo, origin: renderer.baseURL.text)
        // Drawing takes up to 0.4 seconds.
        let pdf = try await slowReads.run(RequestMeter.current) { try flyer.pdf() }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/pdf", .vary: "Accept-Language, Cookie",
                .cacheControl: listing.isFullyVisible(to: viewer) ? CacheControl.noStore : "private, no-cache",
                .contentDisposition: "inline; filename=\"doggofinder.pdf\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(data: pdf))
        )
    }

    @Sendable private func own(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let ban = context.ban { return renderer.show(.ban(ban), request) }
        var values: [String: String] = [:]
        if let cursor = request.parameters["cursor"] { values["cursor"] = cursor }
        var query = try ListingQuery(.init(values), breeds: breeds, finder: finder, language: .english)
        guard let account = context.caller?.account else {
            return renderer.show(MyListingsPage(cards: [], next: nil), request, nil, isPrivate: true)
        }
        query.restrict(to: account)
        var cards: [ListingCard] = []
        let next = try search.find(query) { row, _ in cards.append(ListingCard(try Listing(row))) }
        let page = MyListingsPage(cards: cards, next: next.map { "/my?cursor=\($0.token)" })
        return renderer.show(page, request, account, isPrivate: true)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        return renderer.show(ListingForm(editing: listing), request, account, isPrivate: true)
    }

    @Sendable private func edit(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        var typed: [String: String] = [:]
        return try await renderer.handleForm {
            let sent = try await renderer.forms.read(request)
            typed = sent.typed
            try sent.expectFiles()
            let fields = try ListingFields(changing: listing, typed).values
            let editor = ListingEditor(breeds: breeds, finder: finder, language: renderer.pageLanguage(request))
            let (content, location) = try editor.edit(listing, fields)
            let change = try PhotoChange(sent, of: listing)
            let version = try sent.numbers("version", FormReader.versions).first
            let changed = try await listings.update(listing, content: content, location: location, version: version)
            try await make(change, of: changed, request)
            return renderer.redirect("/listings/\(listing.id.lowercased)", done: "my.saved")
        } orShow: { error, status in
            var current = listing
            if error.code == .preconditionFailed {
                // The form keeps the input and gets the new version number, so that sending it again overwrites the
                // other change.
                current = try getOwn(context).0
                typed["version"] = String(current.version)
            }
            let page = ListingForm(current, typed: typed, problem: error)
            return renderer.show(page, request, account, status: status, isPrivate: true)
        }
    }

    private func make(_ change: PhotoChange, of listing: Listing, _ request: Request) async throws {
        for number in change.removed { _ = try await photos.remove(.listing(listing.key, number: number)) }
        for (number, photo) in change.added {
            _ = try await renderer.photoService.store(
                photo,
                .listing(listing.key, number: number),
                renderer.pageLanguage(request)
            )
        }
        if !change.removed.isEmpty { await renderer.photoService.removeDeletedFiles() }
    }

    @Sendable private func setStatus(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, _) = try getOwn(context)
        let wanted = try await renderer.forms.read(request)["status"] ?? ""
        let (content, location) = try change(listing, ["status": .string(wanted)])
        _ = try await listings.update(listing, content: content, location: location, version: nil)
        return renderer.redirect("/my", done: content.status == .reunited ? "my.happy" : "my.saved")
    }

    /// Renews the listing, so that it does not expire.
    @Sendable private func renew(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await listings.renew(try getOwn(context).0) { _ in }
        return renderer.redirect("/my", done: "my.renewed")
    }

    private func change(
        _ listing: Listing,
        _ fields: [String: JSONValue]
    ) throws -> (ListingContent, ListingLocation) {
        try ListingEditor(breeds: breeds, finder: finder).edit(listing, fields)
    }

    @Sendable private func askToDelete(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        return renderer.show(DeletePage(listing: listing), request, account, isPrivate: true)
    }

    @Sendable private func remove(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, _) = try getOwn(context)
        guard try await renderer.forms.read(request)["confirmed"] == "yes" else {
            return renderer.redirect("/listings/\(listing.id.lowercased)/delete")
        }
        try await listings.remove(listing, version: nil)
        await renderer.photoService.removeDeletedFiles()
        return renderer.redirect("/my", done: "my.deleted")
    }

    private func getOwn(_ context: ServiceContext) throws -> (Listing, Account) {
        let own = try SignedInContext(context: context)
        return (try listings.getOwn(context.parameters, own.account), own.account)
    }
}

/// The photos to remove, and the new photos for the free numbers.
private struct PhotoChange {
    let removed: Set<Int>
    let added: [(number: Int, photo: ProcessedPhoto)]

    init(_ sent: FormReader.SubmittedForm, of listing: Listing) throws {
        let taken = Set(listing.photos.map(\.number))
        let removed = taken.intersection(try sent.numbers("remove_photo", 1...ListingPhoto.maxCount))
        let free = (1...ListingPhoto.maxCount).filter { !taken.contains($0) || removed.contains($0) }
        guard sent.photos.count <= free.count else { throw FormReader.tooManyPhotos }
        self.removed = removed
        added = zip(free, sent.photos).map { ($0, $1) }
    }
}
