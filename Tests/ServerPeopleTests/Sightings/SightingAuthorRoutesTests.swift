import Domain
import Foundation
import OpenAPI
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Messages to authors of sightings")
struct SightingAuthorRoutesTests {
    private static let sighting = """
        {"lon": 14.801357, "lat": 40.781357, "text": "By the river", "contact_phone": "+39 333 9998877"}
        """

    /// A listing and a sighting of it.
    private static func scene(
        _ service: RunningService
    ) async throws -> (owner: String, author: String, path: String, page: String, id: String) {
        let (owner, author) = (try await service.guest(), try await service.guest())
        let listing = try await service.post(#"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#, owner)
        let sightings = "/v1/listings/\(listing)/sightings"
        let added = try await service.send("POST", sightings, sighting, token: author)
        let id = try #require(added.text("id"))
        return (owner, author, "\(sightings)/\(id)", "/listings/\(listing)", id)
    }

    @Test("The owner writes, the author answers, and neither learns more than what they write")
    func story() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shape = DocumentedShape(document: try await service.send("GET", "/openapi.json").json)
            let (owner, author, path, _, id) = try await Self.scene(service)
            let body = #"{"text": "Which way did it go?"}"#
            let headers = ["Idempotency-Key": "one"]
            let sent = try await service.send("POST", path + "/messages", body, token: owner, headers: headers)
            #expect(sent.status == 201 && sent.headers["cache-control"] == "no-store")
            #expect(sent.headers["location"]?.hasSuffix("/v1/me/conversations/\(id)") == true)
            #expect(shape.problems(of: sent.json, Schema.named("SentMessage").json, at: "SentMessage") == [])
            let again = try await service.send("POST", path + "/messages", body, token: owner, headers: headers)
            #expect(again.headers["idempotency-replayed"] == "true" && again.text("id") == sent.text("id"))
            let conversation = "/v1/me/conversations/\(id)"
            let received = try await service.send("GET", conversation, token: author)
            #expect(received.text("messages", "0", "text") == "Which way did it go?")
            #expect(received.text("role") == "writer" && received["correspondent"] == .null)
            let answer = #"{"text": "Along the road"}"#
            #expect(try await service.send("POST", conversation + "/messages", answer, token: author).status == 201)
            let own = try await service.send("GET", conversation, token: owner)
            #expect(own.text("role") == "owner" && own.text("messages", "0", "text") == "Along the road")
            #expect(!String(decoding: own.body, as: UTF8.self).contains("9998877"))
            let stranger = try await service.guest()
            #expect(try await service.send("GET", conversation, token: stranger).status == 404)
        }
    }

    @Test(
        "Hostile messages are refused and begin nothing",
        arguments: [
            #"{}"#, #"{"text": ""}"#, #"{"text": 5}"#, #"{"text": "x", "mark": "scar"}"#, #"{"text": "x", "a": 1}"#,
        ]
    )
    func hostile(body: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author, path, _, _) = try await Self.scene(service)
            #expect(try await service.send("POST", path + "/messages", body, token: owner).status == 400)
            let inbox = try await service.send("GET", "/v1/me/conversations", token: author)
            #expect(inbox["numberReturned"] == .number(0))
        }
    }

    @Test("Messages to authors count as new conversations")
    func limits() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let listing = try await service.post(#"{"status": "lost", "lon": 14.79, "lat": 40.77}"#, owner)
            let sightings = "/v1/listings/\(listing)/sightings"
            for number in 0..<11 {
                let author = try await service.guest()
                let added = try await service.send("POST", sightings, #"{"place": "Roma"}"#, token: author)
                let id = try #require(added.text("id"))
                let body = #"{"text": "Question \#(number)"}"#
                let sent = try await service.send("POST", "\(sightings)/\(id)/messages", body, token: owner)
                #expect(sent.status == (number < 10 ? 201 : 429), "\(number)")
            }
        }
    }

    @Test("On the page of the listing, the owner writes to the author and blocks them")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author, path, listing, id) = try await Self.scene(service)
            let html = ["Accept": "text/html"]
            func page(_ path: String, _ token: String) async throws -> String {
                let answer = try await service.send("GET", path, token: token, headers: html)
                return String(decoding: answer.body, as: UTF8.self)
            }
            let write = "\(listing)/sightings/\(id)/write"
            #expect(try await page(listing, owner).contains(write))
            #expect(try await !page(listing, author).contains(write))
            #expect(try await page(write, owner).contains("By the river"))
            #expect(try await service.send("GET", write, token: author, headers: html).status == 403)
            func post(_ path: String, _ form: String) async throws -> RunningService.Answer {
                let headers = [
                    "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                    "Sec-Fetch-Site": "same-origin",
                ]
                return try await service.send("POST", path, bytes: Data(form.utf8), owner, headers, isFollowing: false)
            }
            let empty = try await post(write, "text=")
            #expect(empty.status == 400 && String(decoding: empty.body, as: UTF8.self).contains("By the river"))
            let sent = try await post(write, "text=Where%3F")
            #expect(sent.status == 303 && sent.headers["location"]?.contains("/inbox/\(id)") == true)
            let known = try await service.send("GET", write, bytes: nil, owner, html, isFollowing: false)
            #expect(known.status == 303 && known.headers["location"]?.hasSuffix("/inbox/\(id)") == true)
            #expect(try await page("/inbox/\(id)", author).contains("Where?"))
            #expect(try await post("\(listing)/sightings/\(id)/block", "").status == 303)
            let after = try await page(listing, owner)
            #expect(!after.contains(write) && after.contains("You have blocked the person who reported this."))
            let blocks = try await service.send("GET", "/v1/me/blocks", token: owner)
            #expect(blocks.text("blocks", "0", "about") == "Argo")
            let refused = try await service.send("POST", path + "/messages", #"{"text": "x"}"#, token: owner)
            #expect(refused.status == 409)
            #expect(try await service.send("POST", path + "/block", token: owner).status == 204)
        }
    }
}
