import Domain
import Foundation
import Photos
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Photos over HTTP")
struct PhotoRoutesTests {
    private static let beagle = #"{"status": "lost", "lon": 12.48, "lat": 41.89, "breed": "beagle"}"#

    private static func photo(width: Int = 40, height: Int = 30) throws -> Data {
        Data(try plainPNG(width: width, height: height))
    }

    @Test("An uploaded photo is available in all sizes wherever the listing appears")
    func story() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let before = try await service.send("GET", "/v1/listings/\(id)")
            let sent = try await service.send("PUT", "/v1/listings/\(id)/photos/2", bytes: try Self.photo(), token)
            #expect(sent.status == 201 && sent["number"] == .number(2) && sent["width"] == .number(40))
            #expect(sent.headers["location"] == sent.text("url"))
            let more = try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: try Self.photo(), token)
            let after = try await service.send("GET", "/v1/listings/\(id)")
            #expect(after["properties", "photos", "0", "url"] == more["url"])
            for name in ["number", "width", "height", "url", "medium", "thumbnail"] {
                #expect(after["properties", "photos", "1", name] == sent[name])
            }
            #expect(after["properties", "photos", "2"] == nil)
            #expect(after.headers["etag"] != before.headers["etag"])
            // Lists have the same photos, for anonymous and for signed-in users.
            for viewer in [nil, token] {
                let list = try await service.send("GET", "/v1/listings?lon=12.5&lat=41.9", token: viewer)
                #expect(list["features", "0", "properties", "photos"] == after["properties", "photos"])
            }
            for name in ["url", "medium", "thumbnail"] {
                let path = try #require(sent.text(name)).replacing("https://dogs.example.org", with: "")
                let file = try await service.send("GET", path)
                #expect(file.status == 200 && file.headers["content-type"] == "image/jpeg")
                #expect(file.body.prefix(3) == Data([0xFF, 0xD8, 0xFF]))
                #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
                let tag = try #require(file.headers["etag"])
                let again = try await service.send("GET", path, headers: ["If-None-Match": tag])
                #expect(again.status == 304 && again.body.isEmpty)
            }
        }
    }

    @Test("A card names a photo of 480 pixels, and one of an earlier version gives its 800 pixels for it")
    func cardSize() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let photo = try Self.photo(width: 1000, height: 900)
            let sent = try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: photo, token)
            let medium = try #require(sent.text("medium")).replacing("https://dogs.example.org", with: "")
            let small = medium.replacing("-800", with: "-480")
            let card = String(decoding: try await service.send("GET", "/listings/\(id)/card").body, as: UTF8.self)
            #expect(card.contains("\(small) 480w"))
            let (own, larger) = (try await service.send("GET", small), try await service.send("GET", medium))
            #expect(own.status == 200 && own.body.count < larger.body.count)
            let folder = PhotoFolder(data: service.board.folder.url)
            let file = try #require(UUID(uuidString: String(small.dropFirst("/photos/".count).prefix(36))))
            try FileManager.default.removeItem(at: folder.url(file, side: 480))
            let earlier = try await service.send("GET", small)
            #expect(earlier.status == 200 && earlier.body == larger.body)
            try FileManager.default.removeItem(at: folder.url(file, side: 320))
            #expect(try await service.send("GET", small.replacing("-480", with: "-320")).status == 404)
        }
    }

    /// The addresses of a listing's photos, by their numbers.
    private static func addresses(_ id: String, _ service: RunningService) async throws -> [Int: String] {
        let listing = try await service.send("GET", "/v1/listings/\(id)")
        return (0..<6).reduce(into: [:]) { photos, index in
            guard case .number(let number)? = listing["properties", "photos", "\(index)", "number"] else { return }
            photos[Int(number)] = listing.text("properties", "photos", "\(index)", "url")
        }
    }

    @Test("Another order of the photos gives the listing another first photo everywhere")
    func order() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            for number in [2, 4, 5] {
                let photo = try Self.photo(width: 40 + number)
                _ = try await service.send("PUT", "/v1/listings/\(id)/photos/\(number)", bytes: photo, token)
            }
            let before = try await Self.addresses(id, service)
            #expect(before.keys.sorted() == [2, 4, 5])
            let breeds = "SELECT count(*) FROM classification JOIN photo ON photo.id = photo_id"
            let classified = try await service.board.database.read { try $0.value(breeds) as Int? }
            let picture = try await service.send("GET", "/listings/\(id)/picture.jpg").headers["etag"]
            let tag = try #require(try await service.send("GET", "/v1/listings/\(id)", token: token).headers["etag"])
            let path = "/v1/listings/\(id)/photos/order"
            let answer = try await service.send(
                "PUT", path, #"{"numbers": [5, 2, 4]}"#, token: token, headers: ["If-Match": tag])
            #expect(answer.status == 200 && answer.headers["etag"] != tag)
            #expect(answer.text("properties", "photos", "0", "url") == before[5])
            #expect(answer["properties", "photos", "0", "width"] == .number(45))
            #expect(try await Self.addresses(id, service) == [2: before[5], 4: before[2], 5: before[4]])
            let first = try #require(before[5]).replacing("https://dogs.example.org", with: "")
            #expect(try await service.send("GET", first).status == 200)
            let thumbnail = first.replacing("-1600", with: "-320")
            for page in ["/board", "/feeds/listings.atom", "/listings/\(id)/card"] {
                let html = String(decoding: try await service.send("GET", page).body, as: UTF8.self)
                #expect(html.contains(page.hasPrefix("/feeds") ? first : thumbnail), "\(page)")
            }
            let html = String(decoding: try await service.send("GET", "/listings/\(id)").body, as: UTF8.self)
            #expect(html.contains(#"<meta property="og:image" content="https://dogs.example.org\#(first)">"#))
            #expect(try await service.send("GET", "/listings/\(id)/picture.jpg").headers["etag"] != picture)
            #expect(try await service.board.database.read { try $0.value(breeds) as Int? } == classified)
            // The same order again changes nothing.
            let again = try await service.send("PUT", path, #"{"numbers": [2, 4, 5]}"#, token: token)
            #expect(again.status == 200 && again.headers["etag"] == answer.headers["etag"])
            let late = try await service.send(
                "PUT", path, #"{"numbers": [4, 2, 5]}"#, token: token, headers: ["If-Match": tag])
            #expect(late.status == 412)
            #expect(try service.photoFiles() == 12)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("An order that is not one of the listing's photos changes nothing")
    func wrongOrder() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (token, other) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.beagle, token)
            let path = "/v1/listings/\(id)/photos/order"
            #expect(try await service.send("PUT", path, #"{"numbers": []}"#, token: token).status == 200)
            for number in 1...3 {
                _ = try await service.send("PUT", "/v1/listings/\(id)/photos/\(number)", bytes: try Self.photo(), token)
            }
            let before = try await Self.addresses(id, service)
            for body in [
                "{}", #"{"numbers": null}"#, #"{"numbers": "2,1,3"}"#, #"{"numbers": [0, 1, 2]}"#,
                #"{"numbers": [1.5, 2, 3]}"#, #"{"numbers": ["2", "1", "3"]}"#, #"{"numbers": [1e300, 2, 3]}"#,
                #"{"numbers": [1, 2, 3, 4, 5, 6, 7]}"#,
            ] {
                let answer = try await service.send("PUT", path, body, token: token)
                #expect(answer.status == 400 && answer.text("detail")?.contains("numbers") == true, "\(body)")
            }
            for numbers in ["[2, 1]", "[2, 1, 3, 4]", "[2, 2, 1]"] {
                let answer = try await service.send("PUT", path, #"{"numbers": \#(numbers)}"#, token: token)
                #expect(answer.status == 409 && answer.text("detail")?.contains("1, 2, 3") == true, "\(numbers)")
            }
            #expect(try await service.send("PUT", path, #"{"numbers": [3, 2, 1]}"#, token: other).status == 403)
            #expect(try await service.send("PUT", path, #"{"numbers": [3, 2, 1]}"#).status == 401)
            #expect(try await Self.addresses(id, service) == before)
        }
    }

    @Test("Orders and uploads at the same time lose no photo")
    func simultaneousOrders() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let photo = try Self.photo()
            for number in 1...3 {
                _ = try await service.send("PUT", "/v1/listings/\(id)/photos/\(number)", bytes: photo, token)
            }
            let orders = ["[2, 3, 1]", "[3, 2, 1]", "[1, 3, 2]"]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for round in 0..<30 {
                    group.addTask {
                        if round.isMultiple(of: 5) {
                            let path = "/v1/listings/\(id)/photos/\(round % 3 + 1)"
                            return try await service.send("PUT", path, bytes: photo, token).status
                        }
                        let body = #"{"numbers": \#(orders[round % 3])}"#
                        return try await service.send("PUT", "/v1/listings/\(id)/photos/order", body, token: token)
                            .status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 })
            let photos = try await Self.addresses(id, service)
            #expect(photos.keys.sorted() == [1, 2, 3] && Set(photos.values).count == 3)
            #expect(try service.photoFiles() == 12)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("Files are deleted with their photo, on replacement, with the listing and with the account")
    func files() async throws {
        try await RunningService.with { service in
            let token = try await service.register("anna@example.org")
            let id = try await service.post(Self.beagle, token)
            let path = "/v1/listings/\(id)/photos/1"
            let first = try await service.send("PUT", path, bytes: try Self.photo(), token)
            #expect(try service.photoFiles() == 4)
            let second = try await service.send("PUT", path, bytes: try Self.photo(), token)
            #expect(second.status == 200 && second["url"] != first["url"])
            #expect(try service.photoFiles() == 4)
            let gone = try #require(first.text("url")).replacing("https://dogs.example.org", with: "")
            #expect(try await service.send("GET", gone).status == 404)
            #expect(try await service.send("DELETE", path, token: token).status == 204)
            #expect(try await service.send("DELETE", path, token: token).status == 404)
            #expect(try service.photoFiles() == 0)
            _ = try await service.send("PUT", path, bytes: try Self.photo(), token)
            #expect(try await service.send("DELETE", "/v1/listings/\(id)", token: token).status == 204)
            #expect(try service.photoFiles() == 0)
            let other = try await service.post(Self.beagle, token)
            _ = try await service.send("PUT", "/v1/listings/\(other)/photos/6", bytes: try Self.photo(), token)
            _ = try await service.send("PUT", "/v1/me/picture", bytes: try Self.photo(), token)
            #expect(try service.photoFiles() == 8)
            #expect(try await service.send("DELETE", "/v1/me", token: token).status == 204)
            #expect(try service.photoFiles() == 0)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("A profile picture can be uploaded, linked and removed")
    func picture() async throws {
        try await RunningService.with { service in
            let token = try await service.register("anna@example.org")
            let sent = try await service.send("PUT", "/v1/me/picture", bytes: try Self.photo(), token)
            #expect(sent.status == 201)
            let profile = try await service.send("GET", "/v1/me", token: token)
            #expect(profile["picture"] == sent["medium"])
            // A profile that is sent back unchanged has no effect.
            let address = try #require(profile.text("picture"))
            let same = #"{"first_name": "Anna", "picture": "\#(address)"}"#
            #expect(try await service.send("PATCH", "/v1/me", same, token: token)["picture"] == sent["medium"])
            #expect(try service.photoFiles() == 4)
            let elsewhere = #"{"picture": "https://example.org/anna.jpg"}"#
            let changed = try await service.send("PATCH", "/v1/me", elsewhere, token: token)
            #expect(changed.text("picture") == "https://example.org/anna.jpg")
            #expect(try service.photoFiles() == 0)
            _ = try await service.send("PUT", "/v1/me/picture", bytes: try Self.photo(), token)
            #expect(try await service.send("DELETE", "/v1/me/picture", token: token).status == 204)
            #expect(try await service.send("GET", "/v1/me", token: token)["picture"] == .null)
            #expect(try service.photoFiles() == 0)
        }
    }

    @Test("Photos of a hidden listing are visible to its owner only")
    func hidden() async throws {
        try await RunningService.with { service in
            let (owner, other) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.beagle, owner)
            let sent = try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: try Self.photo(), owner)
            let path = try #require(sent.text("url")).replacing("https://dogs.example.org", with: "")
            let uuid = try #require(UUID(uuidString: id))
            let listing = try #require(try await service.board.listings.findListing(id: uuid))
            try await service.board.hide(listing)
            for viewer in [nil, other] {
                #expect(try await service.send("GET", path, token: viewer).status == 404)
                #expect(try await service.send("GET", "/v1/listings/\(id)/photos/1", token: viewer).status == 404)
            }
            let mine = try await service.send("GET", path, token: owner)
            #expect(mine.status == 200 && mine.headers["cache-control"] == "private, no-store")
        }
    }

    @Test("Other uploads are rejected with a reason")
    func refusals() async throws {
        try await RunningService.with { service in
            let (owner, other) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.beagle, owner)
            let photo = try Self.photo()
            let mine = "/v1/listings/\(id)/photos"
            let large = Data(count: PhotoProcessor.maxFileSize + 1)
            let cases: [(path: String, body: Data?, token: String?, status: Int)] = [
                ("\(mine)/1", photo, nil, 401), ("\(mine)/1", photo, other, 403), ("\(mine)/0", photo, owner, 400),
                ("\(mine)/7", photo, owner, 400), ("\(mine)/x", photo, owner, 400), ("\(mine)/1", nil, owner, 400),
                ("\(mine)/1", Data("<svg/>".utf8), owner, 415), ("\(mine)/1", photo.prefix(50), owner, 400),
                ("\(mine)/1", large, owner, 413), ("/v1/listings/\(UUID())/photos/1", photo, owner, 404),
                ("/v1/me/picture", photo, nil, 401), ("/v1/me/picture", Data("GIF89a".utf8), owner, 415),
            ]
            for (path, body, token, status) in cases {
                let answer = try await service.send("PUT", path, bytes: body, token)
                #expect(answer.status == status, "\(path)")
                #expect(answer.text("detail")?.isEmpty == false, "\(path)")
            }
            for path in [
                "/photos/\(UUID().lowercased)-800.jpg", "/photos/x.jpg", "/photos/..%2Fdoggofinder.sqlite",
                "/photos/\(UUID().lowercased)-801.jpg", "\(mine)/1",
            ] { #expect(try await service.send("GET", path).status == 404, "\(path)") }
            #expect(try service.photoFiles() == 0)
            #expect(
                try await service.board.database.read { try $0.value("SELECT count(*) FROM photo") as Int? } == 0
            )
        }
    }

    @Test("Many concurrent uploads are each answered, and exactly the accepted ones are stored")
    func crowd() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let photo = try Self.photo()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<120 {
                    group.addTask {
                        let body = number.isMultiple(of: 2) ? photo : Data("not a photo \(number)".utf8)
                        let path = "/v1/listings/\(id)/photos/\(number % 6 + 1)"
                        return try await service.send("PUT", path, bytes: body, token).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 415 } == 60)
            #expect(statuses.count { $0 == 200 || $0 == 201 } == 60)
            let listing = try await service.send("GET", "/v1/listings/\(id)")
            #expect(listing["properties", "photos", "2"] != nil && listing["properties", "photos", "3"] == nil)
            #expect(try service.photoFiles() == 12)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("Files without a record after a crash are deleted soon")
    func crash() async throws {
        try await RunningService.with { service in
            let (database, folder) = (service.board.database, PhotoFolder(data: service.board.folder.url))
            let photos = PhotoStore(database)
            let id = UUID()
            // The upload has been written up to the step before its row.
            try await photos.reserve(id)
            try await folder.write(try await PhotoProcessor.built().process([UInt8](try Self.photo())), id: id)
            try await photos.sweep { await folder.remove($0) }
            // The upload might still be in progress.
            #expect(try service.photoFiles() == 4)
            try await database.write { db in
                try db.execute("UPDATE photo_leftover SET removable_at = '2000-01-01T00:00:00.000Z'")
            }
            try await photos.sweep { await folder.remove($0) }
            #expect(try service.photoFiles() == 0)
            let left = try await database.read { try $0.value("SELECT count(*) FROM photo_leftover") as Int? }
            #expect(left == 0)
        }
    }
}
