import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Conditional requests")
struct ConditionalRequestTests {
    @Test("An unchanged answer gives 304, and a changed one gives the new version")
    func notModified() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "lon": 14.8, "lat": 40.7}"#, token)
            for (path, token) in [
                ("/v1/listings", nil), ("/v1/listings/count", nil), ("/v1/listings/\(id)", nil),
                ("/v1/listings/\(id)", token), ("/v1/breeds", nil), ("/v1/places?q=Roma", nil),
                ("/v1/pois?lon=1&lat=1", nil), ("/v1/me", token), ("/board", nil),
                ("/sw.js", nil), ("/nominatim/status", nil), ("/collections", nil),
                ("/collections/listings/items", nil),
            ] {
                let first = try await service.send("GET", path, token: token)
                let tag = try #require(first.headers["etag"], "\(path)")
                for method in ["GET", "HEAD"] {
                    let again = try await service.send(method, path, token: token, headers: ["If-None-Match": tag])
                    #expect(again.status == 304 && again.body.isEmpty, "\(method) \(path)")
                    #expect(again.headers["etag"] == tag && again.headers["content-type"] == nil, "\(path)")
                    #expect(again.headers["cache-control"] == first.headers["cache-control"], "\(path)")
                    #expect(Self.varies(again).isSuperset(of: Self.varies(first)), "\(method) \(path)")
                }
                let other = try await service.send("GET", path, token: token, headers: ["If-None-Match": "\"x\""])
                #expect(other.status == 200 && other.headers["etag"] == tag && !other.body.isEmpty, "\(path)")
            }
            let tag = try #require(try await service.send("GET", "/v1/listings").headers["etag"])
            try await service.send("PATCH", "/v1/listings/\(id)", #"{"name": "Argo"}"#, token: token)
            let changed = try await service.send("GET", "/v1/listings", headers: ["If-None-Match": tag])
            #expect(changed.status == 200 && changed.headers["etag"] != tag)
        }
    }

    @Test("Private answers are not stored by caches")
    func keptNowhere() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, other) = (try await service.guest(), try await service.guest())
            let admin = try await service.admin()
            let id = try await service.post(#"{"status": "lost", "lon": 14.8, "lat": 40.7}"#, owner)
            let listing = "/v1/listings/\(id)"
            for (path, readers) in [
                (listing, [owner, admin]), ("/v1/listings", [owner, admin]), ("/v1/me/listings", [owner, other]),
            ] {
                for reader in readers {
                    let answer = try await service.send("GET", path, token: reader)
                    #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store", "\(path)")
                }
            }
            for path in [listing, "/v1/listings"] {
                for reader in [nil, other] {
                    let answer = try await service.send("GET", path, token: reader)
                    #expect(answer.headers["cache-control"]?.contains("no-store") != true, "\(path)")
                    #expect(answer.headers["etag"] != nil, "\(path)")
                }
            }
            #expect(
                try await service.send("GET", listing, token: owner).headers["etag"]?.hasSuffix("\"1-full\"") == true
            )
            let page = ["Accept": "text/html"]
            for path in [
                "/my", "/account", "/account/delete", "/listings/\(id)", "/listings/\(id)/edit",
                "/listings/\(id)/delete", "/listings/\(id)/card", "/listings/\(id)/flyer.pdf",
                "/listings/\(id)/picture.jpg",
            ] {
                let answer = try await service.send("GET", path, token: owner, headers: page)
                #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store", "\(path)")
            }
            for (reader, kept) in [(nil, "private, no-cache"), (other, "private, no-cache"), (admin, "no-store")] {
                let answer = try await service.send("GET", "/listings/\(id)", token: reader, headers: page)
                #expect(answer.headers["cache-control"] == kept)
            }
        }
    }

    @Test("Strict-Transport-Security is sent if the base URL uses HTTPS", arguments: ["https", "http"])
    func strictTransport(scheme: String) async throws {
        try await RunningService.with(hasModel: false, baseURL: scheme + "://dogs.example.org/") { service in
            for path in ["/board", "/v1/listings", "/nothing"] {
                let told = try await service.send("GET", path).headers["strict-transport-security"]
                #expect(told == (scheme == "https" ? "max-age=31536000" : nil), "\(path)")
            }
        }
    }

    private static func varies(_ answer: RunningService.Answer) -> Set<String> {
        Set(answer.headers["vary"]?.components(separatedBy: ", ") ?? [])
    }

    @Test("A profile is changed and deleted only in the version of If-Match")
    func profile() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("anna@example.org")
            let tag = try #require(try await service.send("GET", "/v1/me", token: token).headers["etag"])
            func patch(_ name: String, _ tag: String) async throws -> RunningService.Answer {
                let body = "{\"first_name\": \"\(name)\"}"
                return try await service.send("PATCH", "/v1/me", body, token: token, headers: ["If-Match": tag])
            }
            let edited = try await patch("Anna", "\"x\", \(tag)")
            #expect(edited.status == 200)
            let now = try #require(edited.headers["etag"])
            // The name was already Anna.
            #expect(now == tag)
            let renamed = try await patch("Maria", now)
            #expect(renamed.status == 200 && renamed.headers["etag"] != now)
            #expect(try await patch("Eva", now).status == 412)
            #expect(try await service.send("GET", "/v1/me", token: token).text("first_name") == "Maria")
            #expect(try await patch("Eva", "*").status == 200)
            let removal = try await service.send("DELETE", "/v1/me", token: token, headers: ["If-Match": now])
            #expect(removal.status == 412)
            #expect(try await service.send("DELETE", "/v1/me", token: token).status == 204)
        }
    }

    @Test("One of 8 concurrent changes to the same version of a profile succeeds")
    func race() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("anna@example.org")
            let tag = try #require(try await service.send("GET", "/v1/me", token: token).headers["etag"])
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let body = "{\"first_name\": \"Anna \(number)\"}"
                        return try await service.send(
                            "PATCH",
                            "/v1/me",
                            body,
                            token: token,
                            headers: ["If-Match": tag]
                        ).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 412, count: 7))
        }
    }

    @Test("A photo is replaced and deleted only in the version of If-Match")
    func photos() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "lon": 14.8, "lat": 40.7}"#, token)
            let png = Data(try plainPNG(width: 64, height: 64))
            for path in ["/v1/listings/\(id)/photos/1", "/v1/me/picture"] {
                func put(_ headers: [String: String]) async throws -> RunningService.Answer {
                    try await service.send("PUT", path, bytes: png, token, headers)
                }
                #expect(try await put(["If-Match": "*"]).status == 412)
                let first = try await put(["If-None-Match": "*"])
                #expect(first.status == 201)
                #expect(try await put(["If-None-Match": "*"]).status == 412)
                let url = try #require(first.text("url"))
                let file = try await service.send("GET", String(url.dropFirst("https://dogs.example.org".count)))
                let tag = try #require(file.headers["etag"])
                #expect(try await put(["If-Match": tag]).status == 200)
                #expect(try await put(["If-Match": tag]).status == 412)
                let removal = try await service.send("DELETE", path, token: token, headers: ["If-Match": tag])
                #expect(removal.status == 412)
                #expect(try await service.send("DELETE", path, token: token).status == 204)
            }
        }
    }
}
