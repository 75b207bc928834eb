import BreedModel
import Domain
import Foundation
import ImageClassifier
import ServerSupport
import TestSupport
import Testing

@Suite("Copies of photos over HTTP")
struct PhotoCopyRoutesTests {
    private static let listing = #"{"status": "lost", "lon": 12.48, "lat": 41.89, "species": "dog"}"#

    private static func photo(_ width: Int = 60) throws -> Data {
        Data(try plainPNG(width: width, height: width * 2 / 3, colour: [150, 110, 70]))
    }

    private static func model() async throws -> ImageModel {
        let models = ModelRegistry(
            directories: [BreedModel.models], labelMaps: BreedModel.labelMaps, defaultModel: BreedModel.id)
        return try await models.model()
    }

    @Test("The owner is told of a photo that is posted twice, and a moderator of one that another account has")
    func copies() async throws {
        try await RunningService.with(model: try await Self.model()) { service in
            let (owner, other, admin) = (
                try await service.guest(), try await service.guest(), try await service.admin()
            )
            let (first, second) = (
                try await service.post(Self.listing, owner), try await service.post(Self.listing, owner)
            )
            let sent = try await service.send("PUT", "/v1/listings/\(first)/photos/2", bytes: try Self.photo(), owner)
            #expect(sent.status == 201 && sent["copy_of"] == nil)
            let again = try await service.send(
                "PUT", "/v1/listings/\(second)/photos/1", bytes: try Self.photo(90), owner)
            #expect(again.text("copy_of", "listing") == first && again["copy_of", "number"] == .number(2))
            let html = ["Accept": "text/html", "Accept-Language": "it"]
            let page = try await service.send("GET", "/listings/\(second)", token: owner, headers: html)
            #expect(page.body.contains("La foto 1 è già in un altro tuo annuncio"))
            // Another listing is named once, though it has several of the photos.
            _ = try await service.send("PUT", "/v1/listings/\(second)/photos/2", bytes: try Self.photo(70), owner)
            let both = try await service.send("GET", "/listings/\(second)", token: owner, headers: html)
            #expect(String(decoding: both.body, as: UTF8.self).components(separatedBy: "altro tuo annuncio").count == 2)
            let others = try await service.send("GET", "/listings/\(second)", token: other, headers: html)
            #expect(!others.body.contains("altro tuo annuncio"))
            #expect(try await service.send("GET", "/v1/admin/reports", token: admin)["reports"] == .array([]))

            let taken = try await service.post(Self.listing, other)
            let copy = try await service.send("PUT", "/v1/listings/\(taken)/photos/1", bytes: try Self.photo(), other)
            #expect(copy.status == 201 && copy["copy_of"] == nil)
            let queue = try await service.send("GET", "/v1/admin/reports", token: admin)
            #expect(
                queue.text("reports", "0", "listing_id") == taken && queue.text("reports", "0", "subject") == "photo")
            #expect(queue["reports", "0", "photo_copies"] == .array([.string(first), .string(second)]))
            let moderation = try await service.send("GET", "/moderation", token: admin, headers: html)
            #expect(moderation.body.contains("La stessa foto è in annunci di altre persone"))
            #expect(moderation.body.contains("/listings/\(first)") && moderation.body.contains("/listings/\(second)"))
        }
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { String(decoding: self, as: UTF8.self).contains(text) }
}
