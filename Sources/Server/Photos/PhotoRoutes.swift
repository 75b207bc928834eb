import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Photos
import Storage

/// The API for photos of listings and pictures of accounts. Owners upload them. Everybody can download the processed
/// files, and those of sightings and messages if they may see these.
struct PhotoRoutes {
    let stores: Stores
    let service: PhotoService
    let baseURL: BaseURL

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/:id/photos/:number", use: show)
        router.get("/photos/:file", use: file)
        router.group(context: SignedInContext.self)
            .put("/v1/listings/:id/photos/:number", use: put)
            .delete("/v1/listings/:id/photos/:number", use: remove)
            .put("/v1/me/picture", use: putPicture)
            .delete("/v1/me/picture", use: removePicture)
    }

    // MARK: - Downloads

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let listing = try stores.listings.get(context.parameters, seenBy: context.caller?.account, Listing.init)
        guard let entry = try stores.photos.find(.listing(listing.key, number: try context.parameters.photoNumber()))
        else {
            throw ServiceError(.notFound, "no such photo")
        }
        return Response(
            status: .seeOther,
            headers: [
                .location: baseURL.link(entry.url), .cacheControl: "no-cache", .vary: "Authorization, Cookie",
                .eTag: "\"\(entry.id.lowercased)\"",
            ]
        )
    }

    @Sendable private func file(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard let (id, side) = context.parameters.photoFile,
            let caching = try PhotoAccess(stores: stores).cacheControl(of: id, for: context.caller?.account)
        else { throw ServiceError(.notFound, "no such photo") }
        let tag = "\"\(id.lowercased)-\(side)\""
        var headers: HTTPFields = [.eTag: tag, .cacheControl: caching.rawValue]
        if caching != .immutable { headers[.vary] = "Authorization, Cookie" }
        if request.knows(tag) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = "image/jpeg"
        let bytes = try await service.bytes(of: id, side: side)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }

    // MARK: - Uploads

    @Sendable private func put(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let number = try context.parameters.photoNumber()
        let listing = try stores.listings.getOwn(context).listing
        return try await receive(request, .listing(listing.key, number: number))
    }

    @Sendable private func putPicture(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await receive(request, .account(context.account.key))
    }

    private func receive(_ request: Request, _ owner: PhotoStore.Owner) async throws -> Response {
        let precondition = Precondition(request)
        let check: PhotoStore.Check = { try precondition.check($0.map(Self.tags(of:)) ?? []) }
        // The precondition is checked before the photo has arrived, and again when the photo is stored.
        try check(try stores.photos.find(owner)?.id)
        let receipt = try await service.receive(request, owner, check)
        let copy = try await copy(at: owner)
        let entry = receipt.entry
        var response = Response.object(status: receipt.isNew ? .created : .ok) { json in
            if case .listing(_, let number) = owner { json.field("number", number) }
            json.field("width", entry.width)
            json.field("height", entry.height)
            json.field("url", baseURL.link(entry.url))
            json.field("medium", baseURL.link(entry.medium))
            json.field("thumbnail", baseURL.link(entry.thumbnail))
            if let copy {
                json.object("copy_of") { json in
                    json.field("listing", copy.listing.lowercased)
                    json.field("number", copy.otherNumber)
                }
            }
            // `/v1/classifications/{id}` returns the complete classification.
            if let found = receipt.classification {
                json.object("classification") { json in
                    json.field("id", found.id.lowercased)
                    json.field("outcome", found.outcome)
                    json.field("label", found.predictions.first?.label)
                }
            }
        }
        response.headers[.location] = baseURL.link(entry.url)
        return response
    }

    /// Returns the owner's photo of which the photo of a listing is a copy.
    private func copy(at owner: PhotoStore.Owner) async throws -> PhotoCopies.OwnCopy? {
        guard case .listing(let key, let number) = owner else { return nil }
        return try await stores.photoCopies.findOwn(ofListing: key).first { $0.number == number }
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let number = try context.parameters.photoNumber()
        let listing = try stores.listings.getOwn(context).listing
        return try await remove(request, .listing(listing.key, number: number))
    }

    @Sendable private func removePicture(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await remove(request, .account(context.account.key))
    }

    private func remove(_ request: Request, _ owner: PhotoStore.Owner) async throws -> Response {
        let precondition = Precondition(request)
        guard try await stores.photos.remove(owner, { try precondition.check($0.map(Self.tags(of:)) ?? []) }) else {
            throw ServiceError(.notFound, "no such photo")
        }
        await service.removeDeletedFiles()
        return .noContent
    }

    /// Returns the entity tags of the photo and of each of its sizes.
    private static func tags(of id: UUID) -> [String] {
        ["\"\(id.lowercased)\""] + PhotoProcessor.sides.map { "\"\(id.lowercased)-\($0)\"" }
    }
}

extension Parameters {
    fileprivate func photoNumber() throws -> Int {
        guard let number = get("number").flatMap({ $0.wholeNumber }), (1...ListingPhoto.maxCount).contains(number)
        else {
            throw ServiceError.invalid("number", "expected the place of a photo, 1 to \(ListingPhoto.maxCount)")
        }
        return number
    }

    /// The ID and size in a file name such as `0b6c...-800.jpg`.
    fileprivate var photoFile: (id: UUID, side: Int)? {
        guard let name = get("file"), name.hasSuffix(".jpg"), name.utf8.count <= 45,
            let id = UUID(uuidString: String(name.prefix(36))),
            let side = Int(name.dropFirst(37).dropLast(4)), PhotoProcessor.sides.contains(side),
            name == "\(id.lowercased)-\(side).jpg"
        else { return nil }
        return (id, side)
    }
}
