import Foundation
import ServerSupport
import Testing

@Suite("Account pages")
struct AccountPagesTests {
    @Test(
        "A sign-in leads back to the page that asked for it, and never to another site",
        arguments: [
            ("/moderation?status=open", "/moderation?status=open&done=account.welcome"),
            ("//evil.example", "/my?done=account.welcome"), ("/\\evil.example", "/my?done=account.welcome"),
            ("https://evil.example", "/my?done=account.welcome"), ("/\t/evil.example", "/my?done=account.welcome"),
            ("/account/delete", "/my?done=account.welcome"), ("", "/my?done=account.welcome"),
        ]
    )
    func next(path: String, target: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            _ = try await service.register("anna@example.org")
            let form = ["email": "anna@example.org", "password": "correct horse", "next": path]
            let answer = try await FormVisitor(service).submit("/account/sign-in", form)
            #expect(answer.status == 303)
            #expect(answer.location == target)
        }
    }

    @Test("A form without scripts has the time of its place")
    func timeOfPlace() async throws {
        try await RunningService.with(hasModel: false) { service in
            let visitor = FormVisitor(service)
            for (place, time) in [("Fisciano (SA)", "10:30"), ("New York", "16:30"), ("Lisbon", "11:30")] {
                let form = ["status": "lost", "name": place, "place": place, "last_seen_at": "2026-07-01T12:30"]
                let answer = try await visitor.submit("/post", form)
                let path = try #require(answer.location?.split(separator: "?").first, "\(place): \(answer.status)")
                let shown = try await service.send("GET", "/v1" + path)
                #expect(shown.text("properties", "last_seen_at") == "2026-07-01T\(time):00.000Z", "\(place)")
            }
        }
    }

    @Test("The last admin cannot delete their own account, by the page or the API")
    func lastAdmin() async throws {
        try await RunningService.with(hasModel: false) { service in
            let first = try await service.admin("anna@example.org")
            let refused = try await service.send("DELETE", "/v1/me", token: first)
            #expect(refused.status == 409 && refused.text("field") == "role")
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": "anna@example.org", "password": "correct horse"])
            let page = try await visitor.submit("/account/delete", ["confirmed": "yes"])
            #expect(page.status == 409 && page.html.contains("You are the only admin of this site."))
            #expect(try await service.send("GET", "/v1/me", token: first).status == 200)
            _ = try await service.admin("bruno@example.org")
            #expect(try await service.send("DELETE", "/v1/me", token: first).status == 204)
        }
    }
}
