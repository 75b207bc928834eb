import Credentials
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for the tracks of collars and search parties.
struct TrackRoutes {
    let site: Site
    let service: TrackService

    static let gpx = ["application/gpx+xml", "application/xml", "text/xml"]
    private static let varies = "Authorization, Cookie"

    private var tracks: TrackStore { service.tracks }

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/:id/tracks", use: list)
        router.get("/v1/listings/:id/tracks/:number", use: show)
        router.get("/v1/listings/:id/searched-area", use: searchedArea)
        router.post("/v1/listings/:id/tracks/:number/points", use: addPoints)
        router.group(context: SignedInContext.self)
            .put("/v1/listings/:id/tracks/:number", use: put)
            .patch("/v1/listings/:id/tracks/:number", use: edit)
            .delete("/v1/listings/:id/tracks/:number", use: remove)
            .post("/v1/listings/:id/tracks/:number/device-token", use: issueToken)
    }

    // MARK: - Reading

    @Sendable private func list(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, viewer) = try site.stores.listings.getListing(context)
        let found = try tracks.findTracks(of: listing, seenBy: viewer)
        let response = Response.collection(found, selfLink: site.baseURL.link(request)) { $0.track($1, of: listing.id) }
        return personal(response, listing, viewer)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, viewer) = try site.stores.listings.getListing(context)
        let track = try tracks.getTrack(try context.parameters.trackNumber, of: listing, seenBy: viewer)
        guard track.isExact, request.knows(track.entityTag) else { return answer(track, of: listing, viewer) }
        let response = Response(status: .notModified, headers: [.eTag: track.entityTag])
        return personal(response, listing, viewer)
    }

    @Sendable private func searchedArea(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let (listing, viewer) = try site.stores.listings.getListing(context)
        let area = try await service.searchedArea(of: listing, seenBy: viewer)
        var json = JSONWriter(capacity: 16_384)
        json.searchedArea(area, isExact: viewer?.key == listing.owner)
        return personal(Response(json, type: "application/geo+json"), listing, viewer)
    }

    private func personal(_ response: Response, _ listing: Listing, _ viewer: Account?) -> Response {
        var response = response
        response.vary(by: Self.varies)
        if listing.isFullyVisible(to: viewer) { response.headers[.cacheControl] = CacheControl.noStore }
        return response
    }

    private func answer(
        _ track: Track,
        of listing: Listing,
        _ viewer: Account?,
        isNew: Bool = false,
        leftOut: Int? = nil
    ) -> Response {
        var json = JSONWriter(capacity: 1024 + 64 * track.pointCount)
        json.track(track, of: listing.id, leftOut: leftOut)
        var response = Response(json, status: isNew ? .created : .ok, type: "application/geo+json")
        if track.isExact { response.headers[.eTag] = track.entityTag }
        if isNew {
            response.headers[.location] = site.baseURL.link(
                "/v1/listings/\(listing.id.lowercased)/tracks/\(track.number)")
        }
        return personal(response, listing, viewer)
    }

    // MARK: - Writing

    @Sendable private func put(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let query = request.queryReader()
        _ = (try query.choice("kind", Track.Kind.self), try query.choice("visibility", Track.Visibility.self))
        let number = try context.parameters.trackNumber
        let (listing, owner) = try site.stores.listings.getOwn(context)
        let type = request.mediaType ?? ""
        guard type == "application/json" || Self.gpx.contains(type) else {
            throw ServiceError(
                .unsupportedMediaType,
                "Content-Type: expected application/gpx+xml, or application/json for a device"
            )
        }
        if type == "application/json" {
            let opened = try await open(number, of: listing, request, owner)
            return answer(opened.track, of: listing, owner, isNew: opened.isNew)
        }
        let (stored, leftOut) = try await store(number, of: listing, request, owner)
        return answer(stored.track, of: listing, owner, isNew: stored.isNew, leftOut: leftOut)
    }

    private func open(
        _ number: Int,
        of listing: Listing,
        _ request: Request,
        _ owner: Account
    ) async throws -> (track: Track, isNew: Bool) {
        let fields = try await request.fields(TrackContent.fieldNames + ["device"])
        guard let device = try Field("device", fields["device"] ?? .null).text(atMost: Track.maxDeviceLength) else {
            throw ServiceError.invalid("device", "expected a name of the device")
        }
        return try await tracks.open(
            number,
            of: listing,
            try TrackContent(fields),
            device: device,
            by: owner,
            Self.check(request)
        )
    }

    private func store(
        _ number: Int,
        of listing: Listing,
        _ request: Request,
        _ owner: Account
    ) async throws -> (stored: (track: Track, isNew: Bool), leftOut: Int) {
        let content = try TrackContent(request)
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > TrackService.maxFileSize {
            throw ServiceError.largeTrack
        }
        let (file, name) = try await service.receive(request.body)
        let stored = try await tracks.put(
            file,
            as: number,
            of: listing,
            content.named(name),
            by: owner,
            Self.check(request)
        )
        return (stored, file.leftOut)
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let number = try context.parameters.trackNumber
        let (listing, owner) = try site.stores.listings.getOwn(context)
        let fields = try await request.fields(["name", "visibility", "closed"], mediaTypes: .mergePatch)
        let change = try TrackChange(fields)
        let track = try await tracks.edit(number, of: listing, change, by: owner, Self.check(request))
        return answer(track, of: listing, owner)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let number = try context.parameters.trackNumber
        try await tracks.remove(number, of: try site.stores.listings.getOwn(context).listing, Self.check(request))
        return .noContent
    }

    private static func check(_ request: Request) -> TrackStore.Check {
        let precondition = Precondition(request)
        return { tag in try precondition.check(tag.map { ["\"\($0)\""] } ?? []) }
    }

    // MARK: - Devices

    @Sendable private func issueToken(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let number = try context.parameters.trackNumber
        let listing = try site.stores.listings.getOwn(context).listing
        let token = Token()
        try await tracks.setToken(token.digest, of: number, of: listing)
        return .uncachedObject(status: .created) { json in
            json.field("token", token.text)
            json.field("url", site.baseURL.link("/v1/listings/\(listing.id.lowercased)/tracks/\(number)/points"))
        }
    }

    @Sendable private func addPoints(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let number = try context.parameters.trackNumber
        let received: ReceivedPoints
        if context.caller == nil, let token = request.bearerToken {
            let listing = try context.parameters.uuid(orElse: "no such listing")
            // Nothing is read from strangers.
            guard try tracks.isDevice(token.digest, number: number, listing: listing) else {
                throw ServiceError.unknownDevice
            }
            try await service.limits.takePoints(of: number, listing: listing)
            let points = try await self.points(request)
            received = try await tracks.add(points, tokenHash: token.digest, number: number, listing: listing)
        } else {
            let listing = try site.stores.listings.getOwn(SignedInContext(context: context)).listing
            try await service.limits.takePoints(of: number, listing: listing.id)
            received = try await tracks.add(try await points(request), to: number, of: listing)
        }
        return .uncachedObject { json in
            json.field("added", received.added)
            json.field("points", received.total)
        }
    }

    private func points(_ request: Request) async throws -> [TrackPoint] {
        let fields = try await request.fields(["points"])
        return try [TrackPoint](fields["points"] ?? .null)
    }
}

extension Track {
    var entityTag: String { "\"\(Self.tag(openedAt: openedAt, version: version))\"" }
}

extension TrackContent {
    /// Reads what the query of an upload says of the track.
    fileprivate init(_ request: Request) throws {
        let query = request.queryReader()
        let values = try Self.fieldNames.map { ($0, try query.value($0).map(JSONValue.string) ?? .null) }
        try self.init(Dictionary(values) { $1 })
    }
}

extension Parameters {
    /// The `number` parameter of the path.
    var trackNumber: Int {
        get throws(ServiceError) {
            guard let number = get("number").flatMap({ $0.wholeNumber }), Track.numbers.contains(number) else {
                throw .invalid(
                    "number",
                    "expected the number of a track, \(Track.numbers.lowerBound) to \(Track.numbers.upperBound)"
                )
            }
            return number
        }
    }
}
