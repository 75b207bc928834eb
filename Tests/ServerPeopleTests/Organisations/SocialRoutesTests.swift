import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Accounts of organisations at other services", .enabled(if: Receiver.isAvailable))
struct SocialRoutesTests {
    private static func with(
        _ body: (RunningService, SocialServices, ManualClock) async throws -> Void
    ) async throws {
        let services = try SocialServices()
        // Triggers note listings at the time of the machine.
        let clock = ManualClock(.now)
        try await RunningService.with(
            hasModel: false,
            channels: .silent(services.settings),
            now: clock.reading
        ) { try await body($0, services, clock) }
    }

    private static func order(_ services: SocialServices, _ change: [String: JSONValue] = [:]) throws -> String {
        let fields: [String: JSONValue] = [
            "service": "mastodon", "server": .string(services.origin), "token": .string(SocialServices.mastodonToken),
            "place": "Fisciano", "radius": .number(10_000), "language": "it",
        ]
        let body = JSONValue.object(fields.merging(change) { $1 })
        return String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    }

    /// Signs in a visitor.
    private static func visitor(_ service: RunningService, _ email: String) async throws -> FormVisitor {
        let visitor = FormVisitor(service)
        try await visitor.submit("/account/sign-in", ["email": email, "password": "correct horse"])
        return visitor
    }

    private static func form(_ services: SocialServices) -> [String: String] {
        [
            "action": "add", "service": "mastodon", "server": services.origin, "token": SocialServices.mastodonToken,
            "place": "Fisciano", "radius": "25", "language": "it",
        ]
    }

    @Test(
        "A listing is posted without contacts and its exact place, changed when the animal is home, and deleted with it"
    )
    func listing() async throws {
        try await Self.with { service, services, clock in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let accounts = "\(path)/social-accounts"
            let made = try await service.send("POST", accounts, try Self.order(services), token: anna)
            #expect(made.status == 201, "\(made.html)")
            #expect(made.text("name") == "@dogs@\(services.origin.dropFirst(8))" && made["token"] == nil)
            #expect(made.text("server") == services.origin && made["radius"] == .number(10_000))

            let guest = try await service.guest()
            let posted = try await service.send(
                "POST",
                "/v1/listings",
                #"{"status": "lost", "name": "Argo", "lon": 14.7934, "lat": 40.7712, "contact_phone": "+39 333 7654321", "#
                    + #""contact_phone_public": true, "contact_name": "Petronilla", "contact_name_public": true, "#
                    + #""description": "Molto timido. @admin #spam", "secret_mark": "macchia"}"#,
                token: guest
            )
            let id = try #require(posted.text("id"))
            let photo = Data(try plainPNG(width: 40, height: 30))
            let put = try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: photo, guest)
            #expect(put.status == 201)
            clock.advance(hours: 0.1)
            try await until("the post") {
                clock.advance(hours: 0.01)
                return services.last("POST /api/v1/statuses") != nil
            }
            let status = try #require(services.last("POST /api/v1/statuses")?.text("status"))
            #expect(status.hasPrefix("Smarrito: Argo, Fisciano (SA)"))
            #expect(status.contains("Molto timido. @\u{2060}admin #\u{2060}spam") && status.contains("#CaneSmarrito"))
            #expect(status.contains("https://dogs.example.org/l/\(try await service.board.code(of: id))"))
            for secret in ["333", "Petronilla", "14.79", "40.77", "macchia"] { #expect(!status.contains(secret)) }
            let upload = try #require(services.last("/api/v2/media"))
            #expect(upload.text("description") == "Foto di Argo")
            #expect(upload.text("file").flatMap { Data(base64Encoded: $0) }?.starts(with: [0xFF, 0xD8]) == true)

            let home = try await service.send(
                "PATCH", "/v1/listings/\(id)", #"{"status": "reunited"}"#, token: guest, headers: ["If-Match": "*"])
            #expect(home.status == 200)
            try await until("the change") {
                clock.advance(hours: 0.01)
                return services.last("PUT /api/v1/statuses") != nil
            }
            let edit = try #require(services.last("PUT /api/v1/statuses"))
            #expect(edit.text("status")?.hasPrefix("È a casa! Argo") == true && edit.fields["media_ids"] == ["1"])
            let list = try await service.send("GET", accounts, token: anna)
            #expect(list["social_accounts", "0", "posts"] == .number(1))
            #expect(!list.html.contains(SocialServices.mastodonToken))

            let removed = try await service.send(
                "DELETE", "/v1/listings/\(id)", token: guest, headers: ["If-Match": "*"])
            #expect(removed.status == 204)
            try await until("the deletion") {
                clock.advance(hours: 0.01)
                return services.last("DELETE /api/v1/statuses") != nil
            }
        }
    }

    @Test("Wrong fields, refused tokens and servers inside a network are told by the field; nothing is stored")
    func refusals() async throws {
        try await Self.with { service, services, _ in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            for (change, field): ([String: JSONValue], String) in [
                (["service": "x"], "service"), (["service": "telegram"], "chat"),
                (["server": "http://127.0.0.1"], "server"),
                (["server": "https://10.0.0.1"], "server"), (["server": .string(services.origin + "/@dogs")], "server"),
                (["token": "x"], "token"), (["token": "another-token-of-somebody"], "token"),
                (["radius": .number(10)], "radius"), (["species": "bird"], "species"), (["language": "xx"], "language"),
                (["place": "Nowhereville"], "place"), (["more": "x"], "more"),
            ] {
                let body = try Self.order(services, change)
                let answer = try await service.send("POST", "\(path)/social-accounts", body, token: anna)
                // Where the form is right, the service does not agree.
                let status = change["token"] == "another-token-of-somebody" ? 409 : 400
                #expect(answer.status == status && answer.text("field") == field, "\(change) \(answer.html)")
                #expect(!answer.html.contains("another-token-of-somebody"))
            }
            let list = try await service.send("GET", "\(path)/social-accounts", token: anna)
            #expect(list["social_accounts"] == [])
        }
    }

    @Test(
        "A manager adds an account on the page, tries, pauses and removes it; volunteers may not; the token is not shown"
    )
    func page() async throws {
        try await Self.with { service, services, _ in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            _ = try await OrganisationRoutesTests.join(service, path, "bruno", "volunteer", anna)
            let address = "/account/organisations/\(path.suffix(36))/social"
            let fields = Self.form(services)
            #expect(try await Self.visitor(service, "bruno@example.org").submit(address, fields).status == 403)
            let visitor = try await Self.visitor(service, "anna@example.org")
            #expect(try await visitor.submit(address, fields).status == 303)
            let wrong = fields.merging(["token": "another-token-of-somebody"]) { $1 }
            let refused = try await visitor.submit(address, wrong)
            #expect(
                refused.status == 409 && refused.html.contains("mastodon") && !refused.html.contains("another-token"))
            let shown = try await visitor.get(address)
            #expect(shown.html.contains("@dogs@127.0.0.1") && !shown.html.contains(SocialServices.mastodonToken))
            let list = try await service.send("GET", "\(path)/social-accounts", token: anna)
            let id = try #require(list.text("social_accounts", "0", "id"))
            #expect(try await visitor.submit(address, ["action": "try", "account": id]).status == 303)
            try await services.script("verify_credentials", status: 401, "{}")
            let ended = try await visitor.submit(address, ["action": "try", "account": id])
            #expect(ended.status == 409)
            for (action, isPaused) in [("pause", true), ("resume", false)] {
                _ = try await visitor.submit(address, ["action": action, "account": id])
                let list = try await service.send("GET", "\(path)/social-accounts", token: anna)
                #expect(list["social_accounts", "0", "paused"] == .bool(isPaused))
            }
            let one = "\(path)/social-accounts/\(id)"
            let patched = try await service.send("PATCH", one, #"{"paused": true}"#, token: anna)
            #expect(patched.status == 200 && patched["paused"] == .bool(true))
            #expect(try await service.send("POST", "\(one)/test", token: anna).status == 204)
            _ = try await visitor.submit(address, ["action": "remove", "account": id])
            #expect(try await service.send("DELETE", one, token: anna).status == 404)
            let actions = try await service.send("GET", "\(path)/actions", token: anna)
            #expect(actions.text("actions", "0", "action") == "social.remove")
            #expect(actions.text("actions", "1", "action") == "social.add")
        }
    }

    @Test("Admins manage the accounts of the site, and an owner has at most five")
    func site() async throws {
        try await Self.with { service, services, _ in
            _ = try await service.admin()
            let visitor = try await Self.visitor(service, "admin@example.org")
            for number in 1...SocialAccount.maxCount + 1 {
                let answer = try await visitor.submit("/moderation/social", Self.form(services))
                #expect(answer.status == (number <= SocialAccount.maxCount ? 303 : 400), "\(number)")
            }
            let found = try SocialAccountStore(service.board.database).find(of: .site)
            #expect(found.count == SocialAccount.maxCount && found[0].selection.radius == 25_000)
        }
    }
}
