import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import SearchText
import Storage

/// The API for listings: everybody can read them, owners can write them.
struct ListingRoutes {
    let site: Site
    let microchipLimits: MicrochipLimits
    let matches: MatchService

    /// The request header that determines the meaning of place names.
    private static let variesByPlace = "Accept-Language"

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings", use: search)
        router.get("/v1/listings/count", use: count)
        router.get("/v1/listings/clusters", use: clusters)
        router.get("/v1/listings/:id", use: show)
        router.group(context: SignedInContext.self)
            .get("/v1/me/listings", use: own)
            .post("/v1/listings", use: create)
            .patch("/v1/listings/:id", use: edit)
            .delete("/v1/listings/:id", use: remove)
            .post("/v1/listings/:id/renewal", use: renew)
            .put("/v1/listings/:id/photos/order", use: orderPhotos)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try site.queries.read(request, photo: ranking(request))
        return try page(query, request, viewer: context.caller?.account)
    }

    private func ranking(_ request: Request) throws -> PhotoRanking? {
        let query = request.queryReader()
        guard query.has("classification") else { return nil }
        return try site.stores.classifications.ranking(query.text("classification") ?? "", site.photoService.recogniser)
    }

    @Sendable private func count(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let found = try site.stores.search.count(site.queries.read(request))
        var response = Response.object { json in
            json.field("count", found.count)
            json.field("exact", found.isExact)
        }
        response.vary(by: Self.variesByPlace)
        return response
    }

    @Sendable private func clusters(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try site.queries.read(request)
        let zoom = try request.queryReader().zoom()
        let clusters = try site.stores.search.clusters(query, zoom: zoom)
        var response = Response.collection(clusters, selfLink: site.baseURL.link(request)) { $0.feature($1) }
        response.vary(by: Self.variesByPlace)
        return response
    }

    @Sendable private func own(_ request: Request, _ context: SignedInContext) async throws -> Response {
        var query = try site.queries.read(request, photo: ranking(request), codes: .all)
        let organisation = try request.queryReader().text("organisation").map { text in
            try Field("organisation", .string(text)).uuid()
        }
        query.restrict(
            to: try organisation.map { try site.stores.organisations.getAccount(id: $0, for: context.account) }
                ?? context.account,
            statuses: request.queryReader().has("status") ? query.statuses : nil
        )
        var response = try page(query, request, viewer: context.account)
        response.headers[.cacheControl] = CacheControl.noStore
        return response
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = context.caller?.account
        return try site.stores.listings.get(context.parameters, seenBy: account) { row in
            try .listing(row, viewer: account, site.baseURL, for: request)
        }
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        var fields = try await request.fields()
        let account = try poster(fields.removeValue(forKey: "organisation"), context)
        let id = try request.idempotencyKey?.id(for: account)
        let editor = ListingEditor(breeds: site.breeds, finder: site.finder, language: try request.language())
        let written = try await site.slowReads.findPlace(site.finder, hasPoint: fields["lon"] != nil) {
            Result { try editor.create(fields, owner: account) }
        }
        let content = try? written.get().0
        // The lookup comes before the error, because a post that was valid the first time may be invalid now.
        if let id {
            let repeated = try site.stores.listings.findListing(id: id) { row in
                if content == nil { try Listing(row).expectTexts(of: fields) }
                return try created(row, true, content, by: account)
            }
            if let repeated { return repeated }
        }
        let (valid, location) = try written.get()
        try await microchipLimits.takeChange(to: valid, by: account, at: context.client)
        guard let id else {
            let draft = ListingStore.Draft(content: valid, location: location)
            return try await site.stores.listings.create(draft, owner: account, by: context.account) {
                try created($0, by: account)
            }
        }
        let draft = ListingStore.Draft(id: id, content: valid, location: location)
        return try await site.stores.listings.createOnce(draft, owner: account, by: context.account) {
            row, isRepeated in
            try created(row, isRepeated, valid, by: account)
        }
    }

    /// The account that owns a new listing: the caller's, or that of the organisation for which the caller posts.
    private func poster(_ organisation: JSONValue?, _ context: SignedInContext) throws -> Account {
        guard let organisation, organisation != .null else { return context.account }
        return try site.stores.organisations.getAccount(
            id: try Field("organisation", organisation).uuid(), for: context.account)
    }

    /// - Parameter content: the content of this post. If it is a repetition, it must be that of the first post.
    private func created(
        _ row: ListingRow,
        _ isRepeated: Bool = false,
        _ content: ListingContent? = nil,
        by account: Account
    ) throws -> Response {
        if isRepeated { try Listing(row).expectPost(of: content, by: account) }
        var response = try answer(row, viewer: account).created(listing: row.string(.uuid) ?? "", site.baseURL)
        if isRepeated { response.headers[.idempotencyReplayed] = "true" }
        return response
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let listing = try site.stores.listings.getOwn(context).listing
        let version = try listing.requiredVersion(request)
        let editor = ListingEditor(breeds: site.breeds, finder: site.finder, language: try request.language())
        let fields = try await request.fields(mediaTypes: .mergePatch)
        let (content, location) = try await site.slowReads.findPlace(site.finder, hasPoint: fields["place"] == nil) {
            try editor.edit(listing, fields)
        }
        let account = context.account
        try await microchipLimits.takeChange(to: content, from: listing.content, by: account, at: context.client)
        let (changed, response) = try await site.stores.listings.update(
            listing, content: content, location: location, version: version, by: account
        ) { row in (try Listing(row), try answer(row, viewer: account)) }
        await matches.tellHome(of: changed)
        return response
    }

    @Sendable private func renew(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = context.account
        let listing = try site.stores.listings.getOwn(context).listing
        return try await site.stores.listings.renew(listing, by: account) { row in try answer(row, viewer: account) }
    }

    @Sendable private func orderPhotos(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = context.account
        let listing = try site.stores.listings.getOwn(context).listing
        let version = try listing.requiredVersion(request)
        let fields = try await request.fields()
        let numbers = try Field("numbers", fields["numbers"] ?? .null).photoNumbers()
        let order = { @Sendable (_: [Int]) in numbers }
        return try await site.stores.listings.orderPhotos(of: listing, version: version, order) {
            try answer($0, viewer: account)
        }
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let listing = try site.stores.listings.getOwn(context.parameters, context.account, asManager: true).listing
        try await site.stores.listings.remove(
            listing, version: try listing.requiredVersion(request), member: context.account)
        await site.photoService.removeDeletedFiles()
        return .noContent
    }

    private func answer(_ row: ListingRow, viewer: Account?) throws -> Response {
        try .listing(row, viewer: viewer, site.baseURL)
    }

    private func page(
        _ query: ListingQuery,
        _ request: Request,
        viewer: Account?
    ) throws -> Response {
        let language = try request.language(request.queryReader())
        let (localizer, titles) = (site.localization.localizer(language), site.titles[language])
        var (isPrivate, isLast) = (false, false)
        var response = try Response.collection(selfLink: site.baseURL.link(request), capacity: query.limit) { json in
            var count = 0
            func write(_ row: ListingRow, _ match: ListingMatch) throws {
                let isWhole = row.isFullyVisible(to: viewer)
                if isWhole { isPrivate = true }
                try json.feature(
                    row,
                    base: site.baseURL.text,
                    full: isWhole,
                    titles: titles,
                    match: { $0.members(of: match, localizer) }
                )
                count += 1
            }
            let next =
                if query.isOpen, viewer?.role != .admin {
                    try site.stores.search.findFeatures(query, exceptOf: viewer?.key, rows: write) { feature, match in
                        json.feature(begun: feature, base: site.baseURL.text, titles: titles) {
                            $0.members(of: match, localizer)
                        }
                        count += 1
                    }
                } else {
                    try site.stores.search.find(query, write)
                }
            isLast = next == nil
            return (count, next.map { site.baseURL.link(request, cursor: $0.token) })
        } members: { json, count in
            guard let reading = query.reading else { return }
            json.reading(reading)
            guard count == 0, isLast, query.cursor == nil, query.photo == nil else { return }
            json.alternatives(try alternatives(reading, request, query))
        }
        response.vary(by: Response.listingVaries + ", " + Self.variesByPlace)
        if isPrivate { response.headers[.cacheControl] = CacheControl.noStore }
        return response
    }

    private func alternatives(
        _ reading: SearchReading,
        _ request: Request,
        _ query: ListingQuery
    ) throws -> [SearchAlternative] {
        // Those of an owner are not searched again: they see all of theirs on one page.
        guard query.owner == nil else { return [] }
        return try site.queries.alternatives(to: reading, request.queryReader(), language: request.language())
    }
}

extension Listing {
    /// Throws `usedIdempotencyKey` if the listing was made from another post. An edited listing cannot tell.
    ///
    /// - Parameter content: the content of this post; nil if it is not valid any more.
    fileprivate func expectPost(of content: ListingContent?, by account: Account) throws(ServiceError) {
        guard owner == account.key else { throw .usedIdempotencyKey }
        guard version == 1, let content else { return }
        let isSame =
            content.status == self.content.status && content.species == self.content.species
            && Self.ownTexts.allSatisfy { content[$0] == self.content[$0] }
        guard isSame else { throw .usedIdempotencyKey }
    }

    /// Throws `usedIdempotencyKey` if the listing was made from another post than these fields, which are not valid (any
    /// more). An edited listing cannot tell, except from a post without a status.
    fileprivate func expectTexts(of fields: [String: JSONValue]) throws(ServiceError) {
        func text(_ field: ListingField) -> String? {
            guard case .string(let text)? = fields[field.name], !text.trimmed.isEmpty else { return nil }
            return String(text.trimmed)
        }
        guard let status = text(.status) else { throw .usedIdempotencyKey }
        guard version == 1 else { return }
        guard status == content.status?.rawValue, Self.ownTexts.allSatisfy({ text($0) == content[$0] }) else {
            throw .usedIdempotencyKey
        }
    }

    /// The texts that are stored as they were posted.
    private static let ownTexts: [ListingField] = [.name, .colour, .marks, .collar, .reward, .description]
}

extension Listing {
    /// Returns the version that `If-Match` requires, or nil if the request requires none.
    fileprivate func requiredVersion(_ request: Request) throws -> Int? {
        guard let header = request.headers[.ifMatch], header != "*" else { return nil }
        guard header.entityTags.contains(where: entityTags.contains) else {
            throw ServiceError(.preconditionFailed, "If-Match: the listing was changed meanwhile: read it again")
        }
        return version
    }
}

extension Field {
    /// Returns the numbers of photos in an array.
    fileprivate func photoNumbers() throws(ServiceError) -> [Int] {
        let problem = invalid("expected an array of numbers from 1 to \(ListingPhoto.maxCount), such as [2, 1, 3]")
        guard case .array(let values) = value, values.count <= ListingPhoto.maxCount else { throw problem }
        var numbers: [Int] = []
        for value in values {
            guard case .number(let number) = value, let whole = Int(exactly: number),
                (1...ListingPhoto.maxCount).contains(whole)
            else { throw problem }
            numbers.append(whole)
        }
        return numbers
    }
}

extension JSONWriter {
    /// Writes what a search says of a listing.
    fileprivate mutating func members(of match: ListingMatch, _ localizer: Localizer) {
        if let distance = match.distance { field("distance", distance, decimals: 3) }
        guard let photo = match.photo else { return }
        if let breed = photo.breed { field("likelihood", breed, decimals: 4) }
        guard !photo.evidence.isEmpty else { return }
        field("score_bits", photo.bits, decimals: 2)
        evidence(photo.evidence, distance: match.distance ?? 0, localizer)
    }
}

extension ClassificationStore {
    /// Returns the ranking by the classified photo; nil if `classification` is nil.
    func ranking(_ classification: String?, _ recogniser: BreedRecogniser) throws -> PhotoRanking? {
        guard let classification else { return nil }
        guard let id = UUID(uuidString: classification), let found = try findClassification(id: id) else {
            throw ServiceError.invalid("classification", "expected the id of a classification of the last day")
        }
        guard let ranking = recogniser.ranking(found) else {
            throw ServiceError.invalid("classification", "expected a photo of a dog: this one shows no breed")
        }
        return ranking
    }
}
