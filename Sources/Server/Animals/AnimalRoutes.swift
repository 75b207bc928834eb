import Domain
import Formats
import HTTP
import Hummingbird
import Storage

/// The API for animals of which several listings tell.
struct AnimalRoutes {
    let site: Site
    let service: AnimalService

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/:id/animal", use: show)
        router.group(context: SignedInContext.self).delete("/v1/listings/:id/animal", use: part)
        router.group(context: AdminContext.self)
            .post("/v1/admin/listings/:id/join", use: join)
            .post("/v1/admin/listings/:id/part", use: partAsModerator)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, reader) = try site.stores.listings.getListing(context)
        guard let animal = try service.animal(of: listing, seenBy: reader) else {
            throw ServiceError(.notFound, "the listing is not joined with others")
        }
        let viewer = context.caller?.account
        var json = JSONWriter(capacity: 2048 * (animal.listings.count + 1))
        try json.object { json in
            try json.array("listings", animal.listings) { json, one in
                _ = try site.stores.listings.find(one.id, seenBy: viewer) { row in
                    try json.feature(row, base: site.baseURL.text, full: row.isFullyVisible(to: viewer))
                }
            }
            json.array("way", animal.way) { $0.step($1) }
        }
        var response = Response(json)
        response.vary(by: "Authorization, Cookie")
        if reader != nil { response.headers[.cacheControl] = CacheControl.noStore }
        return response
    }

    @Sendable private func part(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await site.stores.matches.part(try site.stores.listings.getOwn(context).listing)
        return .noContent
    }

    @Sendable private func join(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such listing")
        let fields = try await request.fields(["listing", "note"])
        let other = try Field("listing", fields["listing"] ?? .null).uuid()
        let note = try Field("note", fields["note"] ?? .null).note()
        try await service.join(id, with: other, note: note, by: context.actor)
        return .noContent
    }

    @Sendable private func partAsModerator(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such listing")
        let fields = try await request.fields(["note"])
        try await site.stores.moderation.part(
            id, note: try Field("note", fields["note"] ?? .null).note(), by: context.actor)
        return .noContent
    }
}

extension JSONWriter {
    fileprivate mutating func step(_ step: Animal.Step) {
        object { json in
            json.field("listing", step.listing.id.lowercased)
            json.field("sighting", step.sighting?.id.lowercased)
            json.field("at", step.at.text)
            json.field("lon", step.coordinate.lon)
            json.field("lat", step.coordinate.lat)
            json.field("approximate", step.isApproximate)
            json.field("place", step.place)
        }
    }
}
