import Domain
import Foundation
import OpenAPI
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Sighting routes")
struct SightingRoutesTests {
    private static let listing = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#
    private static let sighting = """
        {"lon": 14.801357, "lat": 40.781357, "text": "By the river", "contact_phone": "+39 333 9998877"}
        """

    private static func add(
        _ service: RunningService,
        _ listing: String,
        _ token: String?,
        _ body: String = sighting,
        headers: [String: String] = [:]
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/listings/\(listing)/sightings", body, token: token, headers: headers)
    }

    private static func set(
        _ service: RunningService,
        _ listing: String,
        _ id: String,
        _ state: String,
        _ token: String
    ) async throws -> RunningService.Answer {
        let path = "/v1/listings/\(listing)/sightings/\(id)"
        return try await service.send("PATCH", path, #"{"state": "\#(state)"}"#, token: token)
    }

    @Test("Strangers get confirmed sightings in their cell, and nothing of the others in any answer")
    func privacy() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author) = (try await service.guest(), try await service.guest())
            // Lost before the sighting: circles of the search area are around sightings after the loss.
            let lost = Timestamp(Date(timeIntervalSinceNow: -3_600)).text
            let listing = #"{"status": "lost", "lon": 14.79, "lat": 40.77, "last_seen_at": "\#(lost)"}"#
            let id = try await service.post(listing, owner)
            let added = try await Self.add(service, id, author)
            #expect(added.status == 201 && added.headers["cache-control"] == "no-store")
            let sighting = try #require(added.text("id"))
            #expect(added.text("state") == "proposed" && added["lon"] == .number(14.801357))
            let paths = [
                "/v1/listings/\(id)/sightings", "/v1/listings/\(id)/timeline", "/v1/listings/\(id)", "/listings/\(id)",
                "/listings/\(id)/card", "/v1/listings", "/v1/listings/\(id)/search-area",
            ]
            let traces = ["14.801357", "40.781357", "9998877"]
            func told(_ token: String?) async throws -> String {
                var texts = ""
                for path in paths {
                    let headers = path.hasPrefix("/v1") ? [:] : ["Accept": "text/html"]
                    let answer = try await service.send("GET", path, token: token, headers: headers)
                    #expect(answer.status == 200, "\(path)")
                    texts += String(decoding: answer.body, as: UTF8.self)
                }
                return texts
            }
            let strangers = [nil, try await service.guest(), try await service.admin("ada@example.org")]
            for state in ["proposed", "confirmed", "dismissed"] {
                #expect(try await Self.set(service, id, sighting, state, owner).status == 200)
                for stranger in strangers {
                    let text = try await told(stranger)
                    #expect(!traces.contains(where: text.contains), "\(state)")
                    #expect(text.contains("By the river") == (state == "confirmed"), "\(state)")
                    #expect(text.contains(sighting) == (state == "confirmed"), "\(state)")
                }
                for party in [owner, author] {
                    let list = try await service.send("GET", paths[0], token: party)
                    #expect(list["sightings", "0", "lon"] == .number(14.801357))
                    #expect(list.text("sightings", "0", "state") == state)
                }
            }
            #expect(try await Self.set(service, id, sighting, "confirmed", owner).status == 200)
            let shown = try await service.send("GET", paths[0])
            let cell = try #require(Coordinate(lon: 14.801357, lat: 40.781357)).cellCentre
            #expect(shown["sightings", "0", "lon"] == .number(cell.lon))
            #expect(shown["sightings", "0", "approximate"] == .bool(true))
            #expect(shown["sightings", "0", "contact_phone"] == .null)
        }
    }

    @Test("Answers match their documentation")
    func documented() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shape = DocumentedShape(document: try await service.send("GET", "/openapi.json").json)
            func check(_ answer: RunningService.Answer, _ schema: String) {
                #expect(shape.problems(of: answer.json, Schema.named(schema).json, at: schema) == [])
            }
            let (owner, author) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let added = try await Self.add(service, id, author)
            check(added, "Sighting")
            let town = try await Self.add(service, id, owner, #"{"place": "Fisciano", "seen_at": "2026-05-01"}"#)
            check(town, "Sighting")
            #expect(town.text("state") == "confirmed" && town["approximate"] == .bool(true))
            #expect(town.text("place") == "Fisciano (SA)")
            let seen = try await service.post(#"{"status": "sighted", "lon": 14.8, "lat": 40.8}"#, author)
            let attached = try await Self.add(service, id, owner, #"{"listing": "\#(seen)"}"#)
            #expect(attached.status == 201 && attached.text("listing", "id") == seen)
            check(attached, "Sighting")
            check(try await service.send("GET", "/v1/listings/\(id)/sightings"), "SightingList")
            for (language, what) in [("en", "posted"), ("it", "pubblicato")] {
                let timeline = try await service.send("GET", "/v1/listings/\(id)/timeline?lang=\(language)")
                check(timeline, "Timeline")
                guard case .array(let entries)? = timeline["entries"] else { throw TestFailure("no entries") }
                let texts = entries.indices.compactMap { timeline.text("entries", "\($0)", "text") }
                #expect(texts.contains(what) && texts.count == entries.count)
            }
        }
    }

    @Test(
        "Hostile and incomplete input names the field",
        arguments: [
            (#"{}"#, "place"), (#"{"lon": 14.8}"#, "lat"), (#"{"lon": 181, "lat": 0}"#, "lon"),
            (#"{"lon": "14", "lat": 40}"#, "lon"), (#"{"lon": 14, "lat": 40, "place": "Roma"}"#, "place"),
            (#"{"place": "Nowhere at all"}"#, "place"), (#"{"place": "Roma", "seen_at": "2999-01-01"}"#, "seen_at"),
            (#"{"place": "Roma", "seen_at": "yesterday"}"#, "seen_at"),
            (#"{"place": "Roma", "text": "a\u0000b"}"#, "text"),
            (#"{"place": "Roma", "text": 5}"#, "text"),
            (#"{"place": "Roma", "contact_phone": "call me"}"#, "contact_phone"),
            (#"{"place": "Roma", "state": "confirmed"}"#, "state"), (#"{"listing": "x"}"#, "listing"),
            (#"{"listing": "00000000-0000-4000-8000-000000000000", "text": "x"}"#, "listing"),
        ]
    )
    func hostile(body: String, field: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            // The owner may also attach listings.
            let refused = try await Self.add(service, id, owner, body)
            #expect(refused.status == 400, "\(String(decoding: refused.body, as: UTF8.self))")
            #expect(String(decoding: refused.body, as: UTF8.self).contains(field))
            let list = try await service.send("GET", "/v1/listings/\(id)/sightings", token: owner)
            #expect(list["numberReturned"] == .number(0))
        }
    }

    @Test("Long texts are refused, and hostile ones are shown as text")
    func texts() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            let long = String(repeating: "x", count: Sighting.maxTextLength + 1)
            #expect(try await Self.add(service, id, owner, #"{"place": "Roma", "text": "\#(long)"}"#).status == 400)
            let script = "<script>alert(1)</script> {{title}}"
            let added = try await Self.add(service, id, owner, #"{"place": "Roma", "text": "\#(script)"}"#)
            #expect(added.text("text") == script)
            let page = try await service.send("GET", "/listings/\(id)", headers: ["Accept": "text/html"])
            #expect(page.html.contains("&lt;script&gt;alert(1)") && !page.html.contains("<script>alert(1)"))
            #expect(page.html.contains("{{title}}"))
        }
    }

    @Test("Closed, expired and hidden listings take no sightings, and keep the confirmed ones")
    func closed() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let sighting = try #require(try await Self.add(service, id, author).text("id"))
            #expect(try await Self.set(service, id, sighting, "confirmed", owner).status == 200)
            _ = try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "reunited"}"#, token: owner)
            let refused = try await Self.add(service, id, author)
            #expect(refused.status == 409)
            let list = "/v1/listings/\(id)/sightings"
            #expect(try await service.send("GET", list)["numberReturned"] == .number(1))
            _ = try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "lost"}"#, token: owner)
            let uuid = try #require(UUID(uuidString: id))
            try await service.board.moderation.hide(uuid, .init(.spam, by: .service))
            #expect(try await Self.add(service, id, author).status == 404)
            #expect(try await service.send("GET", list).status == 404)
            #expect(try await service.send("GET", list, token: author).status == 404)
            #expect(try await service.send("GET", "/v1/listings/\(id)/timeline", token: author).status == 404)
            #expect(try await service.send("GET", list, token: owner)["numberReturned"] == .number(1))
        }
    }

    @Test("A sighting sent twice with the same key is stored once")
    func repetition() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let headers = ["Idempotency-Key": "one"]
            let first = try await Self.add(service, id, author, headers: headers)
            let second = try await Self.add(service, id, author, headers: headers)
            #expect(second.status == 201 && second.text("id") == first.text("id"))
            #expect(second.headers["idempotency-replayed"] == "true")
            let other = try await Self.add(service, id, author, #"{"place": "Roma"}"#, headers: headers)
            #expect(other.status == 422)
            let list = try await service.send("GET", "/v1/listings/\(id)/sightings", token: owner)
            #expect(list["numberReturned"] == .number(1))
        }
    }

    @Test("Too many sightings, and the same text again and again, are refused with a time to retry")
    func limits() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author) = (try await service.guest(), try await service.guest())
            let (id, other) = (try await service.post(Self.listing, owner), try await service.post(Self.listing, owner))
            for number in 0..<4 {
                let status = number < 3 ? 201 : 429
                #expect(
                    try await Self.add(service, id, author, #"{"place": "Roma", "text": "Here!"}"#).status == status
                )
            }
            for number in 0..<7 {
                let body = #"{"place": "Roma", "text": "\#(number)"}"#
                #expect(try await Self.add(service, id, author, body).status == 201)
            }
            let refused = try await Self.add(service, other, author, #"{"place": "Roma"}"#)
            #expect(refused.status == 429 && refused.headers["ratelimit-policy"] == "\"sighting\";q=10;w=3600")
            #expect(try await Self.add(service, other, try await service.guest(), #"{"place": "Roma"}"#).status == 201)
        }
    }

    @Test("A guest's sightings move to the account that the guest signs in to")
    func accounts() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, guest) = (try await service.guest(), try await service.guest())
            _ = try await service.register("bruno@example.org")
            let id = try await service.post(Self.listing, owner)
            _ = try await Self.add(service, id, guest)
            let credentials = #"{"email": "bruno@example.org", "password": "correct horse"}"#
            let session = try await service.send("POST", "/v1/sessions", credentials, token: guest)
            let token = try #require(session.text("token"))
            let list = try await service.send("GET", "/v1/listings/\(id)/sightings", token: token)
            #expect(list["sightings", "0", "mine"] == .bool(true))
            #expect(try await service.send("DELETE", "/v1/me", token: token).status == 204)
            let left = try await service.send("GET", "/v1/listings/\(id)/sightings", token: owner)
            #expect(left["numberReturned"] == .number(0))
        }
    }
}
