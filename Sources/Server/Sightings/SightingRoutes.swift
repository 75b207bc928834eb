import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages
import Storage

/// The API for sightings of lost animals, and for the timelines of listings.
struct SightingRoutes {
    let site: Site
    let service: SightingService

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/:id/sightings", use: list)
        router.get("/v1/listings/:id/timeline", use: timeline)
        router.group(context: SignedInContext.self)
            .post("/v1/listings/:id/sightings", use: create)
            .patch("/v1/listings/:id/sightings/:sighting", use: decide)
    }

    @Sendable private func list(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, reader) = try site.stores.listings.getListing(context)
        let found = try service.sightings.findSightings(of: listing, seenBy: reader)
        return .uncachedObject { json in
            json.array("sightings", found) { [site] in
                $0.sighting($1, in: listing.location.countryCode, base: site.baseURL.text)
            }
            json.field("numberReturned", found.count)
        }
    }

    @Sendable private func timeline(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let localizer = site.localization.localizer(try request.language(request.queryReader()))
        let (listing, reader) = try site.stores.listings.getListing(context)
        let entries = try site.stores.timelines.entries(of: listing, seenBy: reader)
        var response = Response.uncachedObject { json in
            json.array("entries", entries) { $0.timelineEntry($1, text: localizer.text(of: $1)) }
            json.field("numberReturned", entries.count)
        }
        response.vary(by: "Accept-Language")
        return response
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let (listing, account) = try site.stores.listings.getListing(context)
        let sent = try await site.page.forms.readFields(request)
        var fields = sent.fields
        if let attached = fields.removeValue(forKey: "listing"), attached != .null {
            guard fields.isEmpty, sent.photo == nil else {
                throw ServiceError.invalid("listing", "expected no other fields: the listing has the time and place")
            }
            let id = try Field("listing", attached).uuid()
            let sighting = try await service.sightings.attach(id, to: listing, by: account)
            return answer(sighting, of: listing, status: .created)
        }
        let draft = try await service.locate(try SightingContent(fields), try request.language())
        let id = try request.idempotencyKey?.id(for: account) ?? UUID()
        let added = try await service.add(
            draft,
            photo: sent.photo,
            id: id,
            of: listing,
            by: account,
            from: context.client
        )
        var response = answer(added.sighting, of: listing, status: .created)
        if added.isRepeated { response.headers[.idempotencyReplayed] = "true" }
        return response
    }

    @Sendable private func decide(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let (listing, actor) = try site.stores.listings.getListing(context)
        let fields = try await request.fields(["state"], mediaTypes: .mergePatch)
        guard let state = try Field("state", fields["state"] ?? .null).choice(Sighting.State.self) else {
            let states = Sighting.State.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServiceError.invalid("state", "expected one of \(states)")
        }
        let id = try context.parameters.sighting
        return answer(
            try await service.sightings.setState(state, of: id, at: listing, by: actor),
            of: listing
        )
    }

    private func answer(
        _ sighting: Sighting,
        of listing: Listing,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var response = Response.uncached(status: status) {
            $0.sighting(sighting, in: listing.location.countryCode, base: site.baseURL.text)
        }
        if status == .created {
            response.headers[.location] = site.baseURL.link("/v1/listings/\(listing.id.lowercased)/sightings")
        }
        return response
    }
}

extension Parameters {
    /// The `sighting` parameter of the path.
    var sighting: UUID {
        get throws(ServiceError) {
            guard let id = get("sighting").flatMap(UUID.init(uuidString:)) else {
                throw ServiceError(.notFound, "no such sighting")
            }
            return id
        }
    }
}
