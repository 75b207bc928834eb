import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Forms after the end of a session")
struct EndedSessionTests {
    private static let listing = ["status": "lost", "name": "Argo", "place": "Salerno", "key": UUID().uuidString]

    /// Signs a registered user in, and returns the user's token.
    private func register(_ service: RunningService, _ visitor: FormVisitor) async throws -> String {
        try await visitor.submit(
            "/account/register", ["email": "anna@example.org", "password": "correct horse", "first_name": "Anna"])
        return try #require(visitor.cookie?.split(separator: "=").last.map(String.init))
    }

    private func endSessions(_ service: RunningService) async throws {
        try await service.board.database.write { db in try db.execute("DELETE FROM session") }
    }

    private func count(_ table: String, _ service: RunningService) async throws -> Int {
        try await service.board.database.rows(table)
    }

    @Test("A listing of an account whose session has ended is not posted as a guest's without asking")
    func listing() async throws {
        try await RunningService.with(hasModel: false) { service in
            let visitor = FormVisitor(service)
            _ = try await register(service, visitor)
            let form = try await visitor.get("/post").html
            #expect(form.contains(#"<input type="hidden" name="as" value="account">"#))
            try await endSessions(service)
            let asked = try await visitor.submit("/post", Self.listing.merging(["as": "account"]) { $1 })
            #expect(asked.status == 400 && asked.html.contains("Your session has ended"))
            #expect(asked.html.contains(#"value="Argo""#) && !asked.html.contains(#"name="as""#))
            #expect(try await count("listing", service) == 0)
            #expect(try await visitor.submit("/post", Self.listing).status == 303)
            #expect(try await count("listing", service) == 1)
            #expect(try await !visitor.get("/post").html.contains(#"name="as""#))
        }
    }

    @Test("A reply, an edit and a message are kept, and sent again after a sign-in")
    func reply() async throws {
        try await RunningService.with(hasModel: false) { service in
            let visitor = FormVisitor(service)
            let token = try await register(service, visitor)
            let own = try await service.post(#"{"status": "lost", "name": "Argo", "place": "Salerno"}"#, token)
            let writer = try await service.guest()
            let other = try await service.post(#"{"status": "found", "place": "Salerno"}"#, writer)
            let sent = try await service.send(
                "POST", "/v1/listings/\(own)/messages", #"{"text": "Seen"}"#, token: writer)
            let reply = "/inbox/\(try #require(sent.text("conversation")))"
            try await endSessions(service)
            let fields = [
                "text": "Where <b>?", "key": UUID().uuidString, "contact_phone": "089 1234567", "password": "p",
            ]
            let kept = try await visitor.submit(reply, fields)
            #expect(kept.status == 401 && kept.html.contains("Your session has ended"))
            #expect(kept.html.contains("Where &lt;b&gt;?</textarea>"))
            #expect(kept.html.contains("action=\"\(reply)\""))
            #expect(kept.html.contains(#"name="contact_phone" value="089 1234567""#))
            #expect(!kept.html.contains(#"name="password""#))
            #expect(!kept.html.contains("choose the photos"))
            let edit = try await visitor.submit("/listings/\(own)/edit", ["status": "lost", "name": "Argo the Great"])
            #expect(edit.status == 401 && edit.html.contains(#"name="name" value="Argo the Great""#))
            let message = try await visitor.submit(
                "/listings/\(other)/write", ["text": "Is it Argo?", "as": "account", "key": UUID().uuidString])
            #expect(message.status == 400 && message.html.contains("Is it Argo?</textarea>"))
            #expect(try await count("message", service) == 1)
            try await visitor.submit("/account/sign-in", ["email": "anna@example.org", "password": "correct horse"])
            #expect(try await visitor.submit(reply, fields).status == 303)
            #expect(try await count("message", service) == 2)
        }
    }
}
