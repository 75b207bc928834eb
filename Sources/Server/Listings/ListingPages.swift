import Concurrency
import Domain
import Flyer
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Matching
import Pages
import Photos
import SearchAreas
import SearchText
import Storage

/// The page of a listing, and the pages to edit it.
struct ListingPages {
    let site: Site
    let searchAreas: SearchAreaService
    let matches: MatchService
    let messages: MessageService
    let hours: PlaceHours
    let microchipLimits: MicrochipLimits
    let maps: MapPanels

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id", use: show)
        router.get("/listings/:id/card", use: card)
        router.get("/listings/:id/flyer.pdf", use: flyer)
        router.get("/listings/:id/kennel-sheet.pdf", use: kennelSheet)
        router.get("/listings/:id/picture.jpg", use: picture)
        router.get("/listings/:id/edit", use: form)
        router.post("/listings/:id/edit", use: edit)
        router.post("/listings/:id/status", use: setStatus)
        router.get("/listings/:id/home", use: home)
        router.post("/listings/:id/home", use: celebrate)
        router.post("/listings/:id/renew", use: renew)
        router.get("/listings/:id/delete", use: askToDelete)
        router.post("/listings/:id/delete", use: remove)
        router.get("/my", use: own)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let (listing, reader) = try site.stores.listings.getListing(context)
        let (isOwner, isNew) = (reader?.key == listing.owner, request.parameters["posted"] != nil)
        let wantsSteps = isOwner && listing.hasSteps && (isNew || request.parameters["help"] != nil)
        var page = ListingContext(isOwner: isOwner, isNew: isNew)
        page.hasReported = request.parameters["done"] == "sighting.thanks"
        page.isForOrganisation = isOwner && viewer?.key != listing.owner
        page.canDelete = viewer?.manages(listing.owner) == true
        if wantsSteps {
            let place = listing.location.coordinate
            page.steps = (try await nearest(.veterinary, to: place), try await nearest(.animalShelter, to: place))
        }
        if isOwner {
            try addMatches(of: listing, to: &page)
            page.readers = try site.stores.alerts.countReaders(of: listing)
            page.told = try site.stores.alerts.findTold(of: listing)
            page.copies = try await site.stores.photoCopies.findOwn(ofListing: listing.key).map {
                ($0.number, $0.listing, $0.otherNumber)
            }
        }
        page.listingsOfAnimal = try site.stores.animals.countListings(joinedWith: listing)
        page.sightings = try site.stores.sightings.findSightings(of: listing, seenBy: reader)
        let language = site.page.pageLanguage(request)
        page.settlements[listing.location.coordinate] = try settlement(nearestTo: listing.location, language)
        for sighting in page.sightings where page.settlements[sighting.point] == nil {
            page.settlements[sighting.point] = try site.finder.place(at: sighting.point, language: language)
        }
        page.timeline = try site.stores.timelines.entries(of: listing, seenBy: reader)
        if let reader {
            page.attachable = try site.stores.sightings.findListings(of: reader, toAttach: listing)
            page.ofBlocked = try site.stores.conversations.findSightingsOfBlocked(at: listing, by: reader)
        }
        page.searchArea = try await searchArea(of: listing, seenBy: reader)
        page.tracks = try site.stores.tracks.findSummaries(of: listing, seenBy: reader)
        return site.page.show(request, viewer, isPrivate: listing.isFullyVisible(to: viewer)) {
            $0.listing(listing, page)
        }
    }

    /// Returns nil if the listing has no search area.
    private func searchArea(
        of listing: Listing,
        seenBy viewer: Account?
    ) async throws -> (area: SearchArea, isCell: Bool, help: [HelpContact])? {
        guard let area = try? searchAreas.area(of: listing, seenBy: viewer) else { return nil }
        var help: [PointOfInterestStore.Entry] = []
        for circle in area.circles where circle.probability == HelpInside.share {
            var query = PointOfInterestStore.Query()
            query.categories = HelpInside.categories
            query.centre = circle.centre
            query.radius = circle.radiusMetres
            query.limit = HelpInside.maxCount
            let known = Set(help.map(\.key))
            help += try await site.stores.pois.findPointsOfInterest(query).filter { !known.contains($0.key) }
        }
        let nearest = Array(help.sorted { ($0.distance ?? 0) < ($1.distance ?? 0) }.prefix(HelpInside.maxCount))
        let isCell = !listing.isFullyVisible(to: viewer) && listing.location.exact != nil
        return (area, isCell, try await helpers(nearest))
    }

    /// The likeliest matches that come first on the page.
    private static let maxMatches = 3

    private func addMatches(of listing: Listing, to page: inout ListingContext) throws {
        let partners = try site.stores.matches.findPartners(of: listing)
        page.partners = partners.map { ($0.listing, $0.answers) }
        guard !partners.contains(where: { $0.answers.state == .agreed }) else { return }
        let known = Set(partners.map(\.listing.id))
        page.sameAnimal = try site.stores.matches.find(
            for: listing,
            .same,
            asOwner: true,
            minProbability: MatchPages.sameAnimal,
            limit: Self.maxMatches,
            Listing.init
        ).matches.filter { !known.contains($0.value.id) }
        let results = try site.stores.matches.find(
            for: listing,
            asOwner: true,
            minProbability: MatchPages.minProbability,
            limit: Self.maxMatches + known.count + 1,
            Listing.init
        )
        page.compared = results.considered
        let found = results.matches.filter { !known.contains($0.value.id) }
        page.matches = found.prefix(Self.maxMatches).filter { $0.probability >= PageBuilder.possible }
        page.hasMoreMatches = found.count > page.matches.count
    }

    @Sendable private func card(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try site.stores.listings.get(context.parameters, seenBy: viewer, Listing.init)
        let settlement = try settlement(nearestTo: listing.location, site.page.pageLanguage(request))
        return site.page.show(request, viewer, isPrivate: listing.isFullyVisible(to: viewer)) {
            $0.card(.init(listing, near: settlement))
        }
    }

    /// Returns nil for a listing of which only the town is known.
    private func settlement(nearestTo location: ListingLocation, _ language: Language) throws -> Place? {
        guard !location.approximate || location.exact != nil else { return nil }
        return try site.finder.place(at: location.coordinate, language: language)
    }

    @Sendable private func flyer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let format = try request.queryReader().choice("format", Flyer.Format.self) ?? .a4
        let listing = try site.stores.listings.get(context.parameters, seenBy: viewer, Listing.init)
        var photo: Data?
        if let first = listing.photos.first { photo = try? await site.photoService.bytes(of: first) }
        let place = listing.location.coordinate
        let vets = listing.content.status?.isOpen != false ? try await nearest(.veterinary, to: place) : []
        let origin = site.baseURL.text
        var flyer = site.page.localizer(request).flyer(of: listing, photo: photo, vets: vets, origin: origin)
        flyer.map = await maps.panel(of: listing.location)
        let finished = flyer
        // Drawing takes up to 0.4 seconds.
        let pdf = try await site.slowReads.run(RequestMeter.current) { try finished.pdf(format) }
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

    @Sendable private func kennelSheet(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let format = try request.queryReader().choice("format", KennelSheet.Format.self) ?? .a5
        let (listing, _) = try getOwn(context)
        var photo: Data?
        if let first = listing.photos.first { photo = try? await site.photoService.bytes(of: first) }
        let sheet = site.page.localizer(request).kennelSheet(
            of: listing, try site.stores.animalRecords.find(of: listing), photo: photo, origin: site.baseURL.text)
        let pdf = try await site.slowReads.run(RequestMeter.current) { try sheet.pdf(format) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/pdf", .cacheControl: CacheControl.noStore,
                .contentDisposition: "inline; filename=\"doggofinder-kennel.pdf\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(data: pdf))
        )
    }

    @Sendable private func picture(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let viewer = context.caller?.account
        let listing = try site.stores.listings.get(context.parameters, seenBy: viewer, Listing.init)
        var picture = site.page.localizer(request).picture(of: listing, origin: site.baseURL.text)
        let photo = listing.photos.first
        let place = "\(listing.location.coordinate) \(listing.location.precision) \(maps.version)"
        let tag = "\(Picture.design) \(picture) \(photo?.url ?? "") \(place)".utf8.entityTag
        var headers: HTTPFields = [
            .eTag: tag, .vary: "Accept-Language, Cookie",
            .cacheControl: listing.isFullyVisible(to: viewer) ? CacheControl.noStore : "private, no-cache",
        ]
        if request.knows(tag) { return Response(status: .notModified, headers: headers) }
        let pixels = if let photo { try await site.photoService.pixels(of: photo) } else { nil as Picture.Photo? }
        picture.map = await maps.panel(of: listing.location)
        let finished = picture
        let png = try await site.slowReads.run(RequestMeter.current) { try finished.png(photo: pixels) }
        headers[.contentType] = "image/jpeg"
        headers[.contentDisposition] = "inline; filename=\"doggofinder.jpg\""
        let jpeg = try await site.photoService.jpeg(of: png)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: jpeg))
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        let values = ListingForm.values(editing: listing, in: site.page.timeZones.zone(at: listing.location))
        return site.page.show(request, account, isPrivate: true) { $0.form(listing, values) }
    }

    @Sendable private func edit(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        var typed: [String: String] = [:]
        return try await site.page.handleForm {
            let sent = try await site.page.forms.read(request)
            typed = sent.typed
            try sent.expectFiles()
            let language = site.page.pageLanguage(request)
            let timeZone = FormTimeZone(zones: site.page.timeZones, finder: site.finder, language: language)
            let fields = try ListingFields(changing: listing, typed, timeZone).values
            let editor = ListingEditor(breeds: site.breeds, finder: site.finder, language: language)
            let hasPoint = fields["place"] == nil
            let (content, location) = try await site.slowReads.findPlace(site.finder, hasPoint: hasPoint) {
                try editor.edit(listing, fields)
            }
            let change = try PhotoChange(sent, of: listing)
            try await microchipLimits.takeChange(to: content, from: listing.content, by: account, at: context.client)
            let version = try sent.numbers("version", FormReader.versions).first
            let changed = try await site.stores.listings.update(
                listing,
                content: content,
                location: location,
                version: version,
                by: account
            )
            try await make(change, of: changed, request)
            await matches.tellHome(of: changed)
            guard let first = change.first else {
                return site.page.redirect("/listings/\(listing.id.lowercased)", done: "my.saved")
            }
            try await site.stores.listings.orderPhotos(of: changed, version: nil, first.putFirst) { _ in }
            return site.page.redirect("/listings/\(listing.id.lowercased)/edit", done: "my.saved")
        } orShow: { error, status in
            var current = listing
            if error.code == .preconditionFailed {
                // The form keeps the input and gets the new version number, so that sending it again overwrites the
                // other change.
                current = try getOwn(context).0
                typed["version"] = String(current.version)
            }
            return site.page.show(request, account, status: status, isPrivate: true) {
                $0.form(current, typed, problem: error)
            }
        }
    }

    private func make(_ change: PhotoChange, of listing: Listing, _ request: Request) async throws {
        for number in change.removed { _ = try await site.stores.photos.remove(.listing(listing.key, number: number)) }
        for (number, photo) in change.added {
            _ = try await site.photoService.store(
                photo,
                .listing(listing.key, number: number),
                site.page.pageLanguage(request)
            )
        }
        if !change.removed.isEmpty { await site.photoService.removeDeletedFiles() }
    }

    @Sendable private func setStatus(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        let wanted = try await site.page.forms.read(request)["status"] ?? ""
        let (content, location) = try change(listing, ["status": .string(wanted)])
        let changed = try await site.stores.listings.update(
            listing, content: content, location: location, version: nil, by: account)
        guard changed.content.status == .reunited else { return redirect(from: listing, account, done: "my.saved") }
        await matches.tellHome(of: changed)
        let former = listing.content.status.map { "?was=\($0.rawValue)" } ?? ""
        return site.page.redirect("/listings/\(listing.id.lowercased)/home\(former)")
    }

    /// The page for the owner of a listing whose animal has come home.
    @Sendable private func home(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        guard listing.content.status == .reunited else {
            return site.page.redirect("/listings/\(listing.id.lowercased)")
        }
        let former = try request.queryReader().choice("was", Listing.Status.self)
        let partner = try site.stores.matches.findPartners(of: listing).first {
            $0.answers.linkedAt == listing.updatedAt
        }
        let canThank = account.key == listing.owner
        let page = HomeContext(
            former: former, partner: partner?.listing,
            helpers: canThank ? try site.stores.conversations.findConfirmedAuthors(at: listing, by: account).count : 0,
            isThanked: request.parameters["done"] == "home.thanked", isShown: try site.stores.reunions.isShown(listing))
        return site.page.show(request, account, isPrivate: true) { $0.home(listing, page) }
    }

    /// Thanks those whose sightings were confirmed, or shows the reunion on the board.
    @Sendable private func celebrate(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        let form = try await site.page.forms.read(request)
        let path = "/listings/\(listing.id.lowercased)/home"
        guard listing.content.status == .reunited else { return site.page.redirect(path) }
        if form["thanks"] != nil, account.key == listing.owner {
            let text = site.page.localizer(request).thanks(for: listing)
            _ = try await messages.thank(text, forSightingsOf: listing, by: account)
            return site.page.redirect(path, done: "home.thanked")
        }
        guard let shown = form["shown"], ["yes", "no"].contains(shown) else {
            throw ServiceError.invalid("shown", "expected yes or no")
        }
        try await site.stores.reunions.setShown(shown == "yes", listing)
        return site.page.redirect(path, done: "my.saved")
    }

    /// Renews the listing, so that it does not expire.
    @Sendable private func renew(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context)
        try await site.stores.listings.renew(listing, by: account) { _ in }
        return redirect(from: listing, account, done: "my.renewed")
    }

    private func change(
        _ listing: Listing,
        _ fields: [String: JSONValue]
    ) throws -> (ListingContent, ListingLocation) {
        try ListingEditor(breeds: site.breeds, finder: site.finder).edit(listing, fields)
    }

    @Sendable private func askToDelete(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context, asManager: true)
        return site.page.show(request, account, isPrivate: true) { $0.delete(listing: listing) }
    }

    @Sendable private func remove(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, account) = try getOwn(context, asManager: true)
        guard try await site.page.forms.read(request)["confirmed"] == "yes" else {
            return site.page.redirect("/listings/\(listing.id.lowercased)/delete")
        }
        try await site.stores.listings.remove(listing, version: nil, member: account)
        await site.photoService.removeDeletedFiles()
        return redirect(from: listing, account, done: "my.deleted")
    }

    private func getOwn(_ context: ServiceContext, asManager: Bool = false) throws -> (Listing, Account) {
        let account = try SignedInContext(context: context).account
        return (try site.stores.listings.getOwn(context.parameters, account, asManager: asManager).listing, account)
    }

    /// Redirects to the list that the listing is in: the account's own, or the table of its organisation.
    private func redirect(from listing: Listing, _ account: Account, done: String) -> Response {
        let table = listing.organisation.map { "/my/table?organisation=\($0.id.lowercased)" }
        return site.page.redirect(listing.owner == account.key ? "/my" : table ?? "/my", done: done)
    }
}

/// The photos to remove, the new photos for the free numbers, and the photo that becomes the first one.
private struct PhotoChange {
    let removed: Set<Int>
    let first: Int?
    let added: [(number: Int, photo: ProcessedPhoto)]

    init(_ sent: FormReader.SubmittedForm, of listing: Listing) throws {
        let taken = Set(listing.photos.map(\.number))
        let removed = taken.intersection(try sent.numbers("remove_photo", 1...ListingPhoto.maxCount))
        let free = (1...ListingPhoto.maxCount).filter { !taken.contains($0) || removed.contains($0) }
        first = try sent.numbers("first_photo", 1...ListingPhoto.maxCount).first
        let photos = try sent.photos()
        guard photos.count <= free.count else { throw FormReader.tooManyPhotos() }
        self.removed = removed
        added = zip(free, photos).map { ($0, $1) }
    }
}

extension Int {
    /// Returns the numbers with this one first. One that is not there any more changes nothing.
    @Sendable fileprivate func putFirst(_ numbers: [Int]) -> [Int] {
        numbers.filter { $0 == self } + numbers.filter { $0 != self }
    }
}
