import Foundation
import FoundationNetworking
import Photos
import ServerSupport
import TestSupport
import Testing

@Suite("Pictures to share")
struct ListingPictureTests {
    private static func body(phone: String, isPublic: Bool, name: String = "Argo") -> String {
        """
        {"status": "lost", "name": "\(name)", "lon": 14.8, "lat": 40.7, "last_seen_at": "2026-07-01T10:30:00Z",
        "contact_phone": "\(phone)", "contact_phone_public": \(isPublic)}
        """
    }

    private static func size(_ jpeg: Data) async throws -> [Int] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "picture.jpg")
        try jpeg.write(to: file)
        let photo = try await PhotoProcessor.built().process(file)
        return [photo.jpegs[0].width, photo.jpegs[0].height]
    }

    @Test("The picture is a square JPEG, with and without a photo")
    func square() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.body(phone: "+39 333 1234567", isPublic: true), token)
            let bare = try await service.send("GET", "/listings/\(id)/picture.jpg")
            #expect(bare.status == 200 && bare.headers["content-type"] == "image/jpeg")
            #expect(try await Self.size(bare.body) == [1080, 1080])
            for (width, height) in [(1200, 900), (600, 1200), (10, 10)] {
                let png = Data(try plainPNG(width: width, height: height, colour: [40, 120, 200]))
                let path = "/v1/listings/\(id)/photos/1"
                try await service.send("PUT", path, bytes: png, token, ["Content-Type": "image/png"])
                let picture = try await service.send("GET", "/listings/\(id)/picture.jpg")
                #expect(try await Self.size(picture.body) == [1080, 1080], "\(width) x \(height)")
                #expect(picture.body != bare.body && picture.headers["etag"] != bare.headers["etag"])
            }
        }
    }

    @Test("A hidden telephone number changes nothing in the picture, a public one does")
    func hiddenPhone() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.body(phone: "+39 333 1234567", isPublic: false), token)
            func picture(_ phone: String, isPublic: Bool) async throws -> RunningService.Answer {
                let change = Self.body(phone: phone, isPublic: isPublic)
                #expect(try await service.send("PATCH", "/v1/listings/\(id)", change, token: token).status == 200)
                return try await service.send("GET", "/listings/\(id)/picture.jpg")
            }
            let hidden = try await picture("+39 333 1234567", isPublic: false)
            let other = try await picture("+39 089 7654321", isPublic: false)
            #expect(hidden.body == other.body && hidden.headers["etag"] == other.headers["etag"])
            let shown = try await picture("+39 333 1234567", isPublic: true)
            #expect(shown.body != hidden.body && shown.headers["etag"] != hidden.headers["etag"])
        }
    }

    @Test("A known entity tag is answered with 304, until the listing or the language changes")
    func entityTags() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.body(phone: "+39 333 1234567", isPublic: true), token)
            let path = "/listings/\(id)/picture.jpg"
            let first = try await service.send("GET", path)
            #expect(first.headers["cache-control"] == "private, no-cache")
            let known = ["If-None-Match": try #require(first.headers["etag"])]
            let again = try await service.send("GET", path, headers: known)
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(again.headers["etag"] == first.headers["etag"])
            let italian = try await service.send("GET", path + "?lang=it", headers: known)
            #expect(italian.status == 200 && italian.body != first.body)
            // A field that the picture does not show.
            try await service.send("PATCH", "/v1/listings/\(id)", #"{"colour": "brown"}"#, token: token)
            #expect(try await service.send("GET", path, headers: known).status == 304)
            try await service.send("PATCH", "/v1/listings/\(id)", #"{"name": "Fido"}"#, token: token)
            #expect(try await service.send("GET", path, headers: known).status == 200)
        }
    }

    @Test("Pages of listings without a photo name the picture as the image of their preview")
    func preview() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.body(phone: "+39 333 1234567", isPublic: true), token)
            func image() async throws -> String {
                let answer = try await service.send("GET", "/listings/\(id)?lang=it", headers: ["Accept": "text/html"])
                let html = String(decoding: answer.body, as: UTF8.self)
                #expect(html.contains(#"<meta property="og:image:width""#))
                #expect(html.firstMatch(of: /<meta property="og:image:alt" content="[^"]+">/) != nil)
                return String(try #require(html.firstMatch(of: /<meta property="og:image" content="([^"]+)">/)).1)
            }
            let address = try await image()
            #expect(address.hasSuffix("/listings/\(id)/picture.jpg?lang=it"))
            let png = Data(try plainPNG(width: 800, height: 600))
            try await service.send(
                "PUT",
                "/v1/listings/\(id)/photos/1",
                bytes: png,
                token,
                ["Content-Type": "image/png"]
            )
            #expect(try await image().hasSuffix("-1600.jpg"))
        }
    }

    @Test("The service answers while many pictures are drawn")
    func many() async throws {
        try await RunningService.with(hasModel: false) { service in
            let id = try await service.post(Self.body(phone: "+39 333 1234567", isPublic: true), service.guest())
            let address = try #require(URL(string: service.base + "/listings/\(id)/picture.jpg"))
            // The requests below have connections of their own: a session waits for one of its six for each host.
            let session = URLSession(configuration: .ephemeral)
            let answered = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        let (_, response) = try await session.data(from: address)
                        // A slow machine refuses those that have waited for too long.
                        let status = (response as? HTTPURLResponse)?.statusCode
                        #expect(status == 200 || status == 503)
                        return status == 200 ? "picture" : "refused"
                    }
                }
                for _ in 0..<5 {
                    group.addTask {
                        let answer = try await service.send("GET", "/healthz")
                        #expect(answer.status == 200)
                        return "health"
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answered.count == 29 && answered.contains("picture"))
            #expect(try #require(answered.lastIndex(of: "health")) < 20)
        }
    }
}
