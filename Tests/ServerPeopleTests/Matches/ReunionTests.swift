import Domain
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Reunions")
struct ReunionTests {
    /// Posts a lost dog by the form. Returns its id, and the token of its owner.
    private static func post(_ name: String, _ owner: FormVisitor) async throws -> (listing: String, token: String) {
        let posted = try await owner.submit("/post", ["status": "lost", "name": name, "place": "Fisciano"])
        let location = try #require(posted.location)
        let id = try #require(location.firstMatch(of: #/[0-9a-f]{8}-[0-9a-f-]{27}/#))
        return (String(id.0), String(try #require(owner.cookie?.split(separator: "=").last)))
    }

    @Test("The board shows a reunion if its owner agrees, until the owner withdraws that or the listing is open again")
    func board() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, reader) = (FormVisitor(service), FormVisitor(service))
            let (id, _) = try await Self.post("Luna", owner)
            func isShown() async throws -> Bool { try await reader.get("/board").html.contains("class=\"reunions\"") }
            try await owner.submit("/listings/\(id)/status", ["status": "reunited"])
            #expect(try await !isShown())
            #expect(try await owner.get("/listings/\(id)/home").html.contains("at the top of the board?"))
            #expect(try await owner.submit("/listings/\(id)/home", ["shown": "maybe"]).status == 400)
            #expect(try await owner.submit("/listings/\(id)/home", ["shown": "yes"]).status == 303)
            #expect(try await isShown())
            // Searches show what was searched alone.
            #expect(try await !reader.get("/board?q=Luna").html.contains("class=\"reunions\""))
            try await owner.submit("/listings/\(id)/home", ["shown": "no"])
            #expect(try await !isShown())
            try await owner.submit("/listings/\(id)/home", ["shown": "yes"])
            try await owner.submit("/listings/\(id)/status", ["status": "lost"])
            #expect(try await !isShown())
            // An open listing has no such page.
            try await owner.submit("/listings/\(id)/home", ["shown": "yes"])
            #expect(try await !isShown())
            try await owner.submit("/listings/\(id)/status", ["status": "reunited"])
            #expect(try await !isShown())
        }
    }

    @Test("The owner thanks each author of a confirmed sighting once, and nobody else")
    func thanks() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = FormVisitor(service)
            let (id, token) = try await Self.post("Luna", owner)
            func report(_ author: String) async throws -> String {
                let body = #"{"place": "Fisciano", "text": "Near the station"}"#
                let path = "/v1/listings/\(id)/sightings"
                return try #require(try await service.send("POST", path, body, token: author).text("id"))
            }
            let (helper, other) = (try await service.guest(), try await service.guest())
            for sighting in [try await report(helper), try await report(helper)] {
                let path = "/v1/listings/\(id)/sightings/\(sighting)"
                #expect(try await service.send("PATCH", path, #"{"state": "confirmed"}"#, token: token).status == 200)
            }
            _ = try await report(other)
            try await owner.submit("/listings/\(id)/status", ["status": "reunited"])
            #expect(try await owner.get("/listings/\(id)/home").html.contains("One person told you where it was."))
            for _ in 1...2 { try await owner.submit("/listings/\(id)/home", ["thanks": "yes"]) }
            let inbox = try await service.send("GET", "/v1/me/conversations", token: helper)
            let conversation = try #require(inbox.text("conversations", "0", "id"))
            #expect(inbox.text("conversations", "1", "id") == nil)
            let messages = try await service.send("GET", "/v1/me/conversations/\(conversation)", token: helper)
            #expect(messages.text("messages", "0", "text")?.hasPrefix("Luna is home! Thank you") == true)
            #expect(messages.text("messages", "1", "text") == nil)
            let none = try await service.send("GET", "/v1/me/conversations", token: other)
            #expect(none.text("conversations", "0", "id") == nil)
        }
    }
}
