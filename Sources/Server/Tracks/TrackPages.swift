import Domain
import Forms
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Localization
import Pages
import Storage

/// The owner's form to upload a track, and what the owner does with the tracks of a listing.
struct TrackPages {
    let site: Site
    let service: TrackService

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/listings/:id/tracks", use: form)
        router.post("/listings/:id/tracks", use: upload)
        router.post("/listings/:id/tracks/:number", use: change)
    }

    @Sendable private func form(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let listing = try site.stores.listings.getOwn(own).listing
        return site.page.show(request, own.account, isPrivate: true) { $0.track(of: listing) }
    }

    @Sendable private func upload(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let (listing, owner) = try site.stores.listings.getOwn(own)
        var typed: [String: String] = [:]
        return try await site.page.handleForm {
            guard listing.content.status == .lost, !listing.hidden else { throw ServiceError.noTracks }
            let received = try await receive(request, &typed)
            let content = try TrackContent(typed.mapValues(JSONValue.string))
            let (file, name) = try received.get()
            _ = try await service.tracks.put(
                file,
                as: nil,
                of: listing,
                content.named(name),
                by: owner
            )
            return site.page.redirect(
                "/listings/\(listing.id.lowercased)", done: file.leftOut == 0 ? "track.added" : "track.added_partly")
        } orShow: { error, status in
            site.page.show(request, own.account, status: status, isPrivate: true) {
                $0.track(of: listing, typed: typed, problem: error)
            }
        }
    }

    /// Reads the fields into `typed`. A file that cannot be read is an error of the result, so that the form can be shown
    /// again with its other fields.
    private func receive(
        _ request: Request,
        _ typed: inout [String: String]
    ) async throws -> Result<(file: TrackFile, name: String?), ServiceError> {
        guard request.mediaType == "multipart/form-data" else {
            throw ServiceError(.unsupportedMediaType, "Content-Type: expected multipart/form-data")
        }
        var result = Result<(file: TrackFile, name: String?), ServiceError>.failure(
            .invalid("track", "expected a file")
        )
        let reader = try MultipartReader(request.body, contentType: request.headers[.contentType] ?? "")
        while let part = try await reader.next() {
            switch part {
            case .field(let name, let value): if !value.isEmpty { typed[name] = value }
            case .file(let file):
                do {
                    result = .success(try await service.receive(file))
                } catch let error as ServiceError where [.invalid, .tooLarge].contains(error.code) {
                    result = .failure(.invalid("track", error.message))
                }
            }
        }
        return result
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let own = try SignedInContext(context: context)
        let (listing, owner) = try site.stores.listings.getOwn(own)
        let number = try context.parameters.trackNumber
        let wanted = try await site.page.forms.read(request)["action"] ?? ""
        let change: TrackChange
        switch wanted {
        case "delete":
            try await service.tracks.remove(number, of: listing)
            return site.page.redirect("/listings/\(listing.id.lowercased)#tracks")
        case "close": change = TrackChange(isClosed: true)
        case Track.Visibility.owner.rawValue: change = TrackChange(visibility: .owner)
        case Track.Visibility.everyone.rawValue: change = TrackChange(visibility: .everyone)
        default: throw ServiceError.invalid("action", "expected close, delete, owner or everyone")
        }
        _ = try await service.tracks.edit(number, of: listing, change, by: owner)
        return site.page.redirect("/listings/\(listing.id.lowercased)#tracks")
    }
}
