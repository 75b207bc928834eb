import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Repeated posts")
struct IdempotencyTests {
    private static let body = #"{"status": "lost", "lon": 14.8, "lat": 40.7, "name": "Argo"}"#

    private static func post(
        _ service: RunningService,
        _ token: String,
        key: String = "\"3f2a\"",
        _ body: String = Self.body
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/listings", body, token: token, headers: ["Idempotency-Key": key])
    }

    private static func count(_ service: RunningService) async throws -> JSONValue? {
        try await service.send("GET", "/v1/listings/count")["count"]
    }

    @Test("A repeated post creates one listing and gets the listing as it is now")
    func twice() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let first = try await Self.post(service, token)
            #expect(first.status == 201 && first.headers["idempotency-replayed"] == nil)
            let id = try #require(first.text("id"))
            let same = try await Self.post(service, token)
            #expect(same.body == first.body && same.headers["etag"] == first.headers["etag"])
            try await service.send("PATCH", "/v1/listings/\(id)", #"{"name": "Birba"}"#, token: token)
            // A key without quotes is the same key.
            for key in ["\"3f2a\"", "3f2a"] {
                let again = try await Self.post(service, token, key: key)
                #expect(again.status == 201 && again.text("id") == id)
                #expect(again.text("properties", "name") == "Birba")
                for name in ["location", "content-type", "vary", "cache-control"] {
                    #expect(again.headers[name] == first.headers[name], "\(name)")
                }
                #expect(again.headers["idempotency-replayed"] == "true")
            }
            #expect(try await Self.count(service) == .number(1))
            #expect(try await Self.post(service, token, key: "other").text("id") != id)
        }
    }

    @Test("16 concurrent posts with one key create one listing and get the same answer")
    func atOnce() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<16 { group.addTask { try await Self.post(service, token).body } }
                return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
            }
            #expect(bodies.count == 1)
            #expect(try await Self.count(service) == .number(1))
        }
    }

    @Test("A key is valid for one request of one account")
    func misuse() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let first = try await Self.post(service, token)
            let other = try await Self.post(
                service,
                token,
                #"{"status": "found", "lon": 14.8, "lat": 40.7}"#
            )
            #expect(other.status == 422 && other.text("field") == "Idempotency-Key")
            for body in [
                "{}", #"{"status": "lost", "name": "Zorro", "sex": "x"}"#, #"{"status": "x"}"#, #"{"lon": 14}"#,
            ] {
                let other = try await Self.post(service, token, body)
                #expect(other.status == 422 && other.text("field") == "Idempotency-Key", "\(body)")
            }
            let stranger = try await Self.post(service, try await service.guest())
            #expect(stranger.status == 201 && stranger.text("id") != first.text("id"))
            #expect(stranger.headers["idempotency-replayed"] == nil)
            for key in ["", "\"\"", "a b", "è", String(repeating: "x", count: 256)] {
                let refused = try await Self.post(service, token, key: key)
                #expect(refused.status == 400 && refused.text("field") == "Idempotency-Key", "\(key)")
            }
            #expect(try await Self.post(service, token, key: String(repeating: "x", count: 255)).status == 201)
            #expect(try await Self.count(service) == .number(3))
        }
    }

    @Test("A refused post can be corrected under the same key")
    func refusal() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            #expect(try await Self.post(service, token, #"{"status": "lost"}"#).status == 400)
            #expect(try await Self.post(service, token).status == 201)
        }
    }

    @Test("A post repeated after a restart creates no second listing, and the id cannot be chosen")
    func restart() async throws {
        let board = try await TestDatabase()
        var first: RunningService.Answer?
        var token = ""
        let key = UUID().uuidString.lowercased()
        try await RunningService.with(board: board, hasModel: false) { service in
            token = try await service.guest()
            first = try await Self.post(service, token, key: key)
        }
        try await RunningService.with(board: board, hasModel: false) { service in
            let again = try await Self.post(service, token, key: key)
            let count = try await Self.count(service)
            #expect(again.body == first?.body && count == .number(1))
        }
        let id = try #require(first?.text("id"))
        #expect(id != key && UUID(uuidString: id) != nil)
    }

    @Test("A post that is repeated after the listing was removed creates it again")
    func removal() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try #require(try await Self.post(service, token).text("id"))
            #expect(try await service.send("DELETE", "/v1/listings/\(id)", token: token).status == 204)
            let again = try await Self.post(service, token)
            #expect(again.status == 201 && again.headers["idempotency-replayed"] == nil)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("A post repeated after registering creates no second listing")
    func registration() async throws {
        try await RunningService.with(hasModel: false) { service in
            let guest = try await service.guest()
            let first = try await Self.post(service, guest)
            let form = #"{"email": "anna@example.org", "password": "correct horse"}"#
            let token = try #require(try await service.send("POST", "/v1/accounts", form, token: guest).text("token"))
            let again = try await Self.post(service, token)
            #expect(again.text("id") == first.text("id") && again.headers["idempotency-replayed"] == "true")
        }
    }
}
