import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Private links of guests")
struct PrivateLinkTests {
    private static let anna = "anna@example.org"
    private static let dog = #"{"name": "Luna", "status": "lost", "lon": 14.79, "lat": 40.77, "species": "dog"}"#

    /// Runs a service whose mails arrive in a mailbox, with a guest who has posted a listing.
    private static func with(
        _ body: (RunningService, Mailbox, _ guest: String, _ listing: String, ManualClock) async throws -> Void
    ) async throws {
        let (box, clock) = (Mailbox(), ManualClock())
        let mailer = { database in try box.mailer(database, now: clock.reading) }
        try await RunningService.with(hasModel: false, mailer: mailer, now: clock.reading) { service in
            let guest = try await service.guest()
            try await body(service, box, guest, try await service.post(dog, guest), clock)
        }
    }

    private static func link(
        _ service: RunningService, _ box: Mailbox, _ guest: String, to email: String = anna
    )
        async throws -> Mailbox.Mail
    {
        let answer = try await service.send("PUT", "/v1/me/link", #"{"email": "\#(email)"}"#, token: guest)
        #expect(answer.status == 202 && answer.body.isEmpty)
        return try await box.next()
    }

    private static func open(_ service: RunningService, _ link: String?) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/verifications", #"{"token": "\#(link ?? "")"}"#)
    }

    private static func canEdit(_ service: RunningService, _ listing: String, _ token: String?) async throws -> Bool {
        let change = #"{"name": "Luna"}"#
        return try await service.send("PATCH", "/v1/listings/\(listing)", change, token: token).status == 200
    }

    @Test("The link of a mail opens the listings of a guest on other devices, as often as it is needed")
    func opening() async throws {
        try await Self.with { service, box, guest, listing, _ in
            let mail = try await Self.link(service, box, guest)
            #expect(mail.to == Self.anna && mail.subject.hasPrefix("Your private link for "))
            #expect(try await service.send("GET", "/v1/me", token: guest)["email_confirmed"] == false)
            for _ in 1...2 {
                let opened = try await Self.open(service, mail.token)
                #expect(opened.status == 201 && opened.text("account", "role") == "guest")
                #expect(opened.text("account", "email") == Self.anna)
                #expect(try await Self.canEdit(service, listing, opened.text("token")))
            }
            #expect(try await Self.canEdit(service, listing, guest))
        }
    }

    @Test("The address of an opened link gets what the guest is told, and that of an unopened one gets nothing")
    func mails() async throws {
        try await Self.with { service, box, guest, listing, _ in
            let mail = try await Self.link(service, box, guest)
            let writer = try await service.guest()
            func write(_ text: String) async throws {
                let body = #"{"text": "\#(text)"}"#
                let path = "/v1/listings/\(listing)/messages"
                #expect(try await service.send("POST", path, body, token: writer).status == 201)
            }
            try await write("I saw her")
            #expect(try await Self.open(service, mail.token).status == 201)
            // A guest who reads the first message is told of the second.
            let inbox = try await service.send("GET", "/v1/me/conversations", token: guest)
            let conversation = try #require(inbox.text("conversations", "0", "id"))
            _ = try await service.send("GET", "/v1/me/conversations/\(conversation)", token: guest)
            _ = try await service.send("POST", "/v1/me/conversations/\(conversation)/read", token: guest)
            try await write("I see her again")
            let told = try await box.next()
            #expect(told.to == Self.anna && told.text.contains("Luna"))
        }
    }

    @Test("An alert of a guest is told by e-mail once the link was opened")
    func alerts() async throws {
        try await Self.with { service, box, _, _, _ in
            let reader = try await service.guest()
            let search = #"{"search": {"lon": 14.7912, "lat": 40.7723, "radius": 10000}}"#
            #expect(try await service.send("POST", "/v1/me/alerts", search, token: reader).status == 201)
            let mail = try await Self.link(service, box, reader)
            #expect(try await Self.open(service, mail.token).status == 201)
            _ = try await service.post(Self.dog.replacing("Luna", with: "Zorro"), try await service.guest())
            let told = try await box.next()
            #expect(told.to == Self.anna && told.subject.contains("Zorro"))
            #expect(told.text.contains("/unsubscribe/"))
        }
    }

    @Test("A newer link, its end, registration and a year without use end a link")
    func ends() async throws {
        try await Self.with { service, box, guest, listing, clock in
            let first = try await Self.link(service, box, guest)
            let other = try await Self.open(service, first.token).text("token")
            // The first address was a mistake: who has read its mail is shut out.
            let second = try await Self.link(service, box, guest, to: "anna@example.com")
            #expect(try await Self.open(service, first.token).status == 400)
            #expect(try await !Self.canEdit(service, listing, other))
            let opened = try await Self.open(service, second.token)
            #expect(opened.status == 201)
            #expect(try await service.send("DELETE", "/v1/me/link", token: guest).status == 204)
            #expect(try await Self.open(service, second.token).status == 400)
            #expect(try await !Self.canEdit(service, listing, opened.text("token")))
            #expect(try await Self.canEdit(service, listing, guest))
            let unopened = try await Self.link(service, box, guest)
            clock.advance(hours: 8 * 24)
            #expect(try await Self.open(service, unopened.token).status == 400)
            let third = try await Self.link(service, box, guest)
            #expect(try await Self.open(service, third.token).status == 201)
            // A newer link for a confirmed address is valid as long as the one that it replaces.
            let fourth = try await Self.link(service, box, guest)
            clock.advance(hours: 8 * 24)
            #expect(try await Self.open(service, third.token).status == 400)
            #expect(try await Self.open(service, fourth.token).status == 201)
            clock.advance(hours: 364 * 24)
            #expect(try await Self.open(service, fourth.token).status == 201)
            clock.advance(hours: 366 * 24)
            #expect(try await Self.open(service, fourth.token).status == 400)
        }
    }

    @Test("Who registers needs no link any more, and gets none")
    func registration() async throws {
        try await Self.with { service, box, guest, _, _ in
            let mail = try await Self.link(service, box, guest)
            let account = #"{"email": "\#(Self.anna)", "password": "correct horse"}"#
            #expect(try await service.send("POST", "/v1/accounts", account, token: guest).status == 202)
            let registered = try await Self.open(service, box.next().token)
            #expect(registered.text("account", "role") == "user")
            #expect(try await Self.open(service, mail.token).status == 400)
            let body = #"{"email": "\#(Self.anna)"}"#
            let refused = try await service.send("PUT", "/v1/me/link", body, token: registered.text("token"))
            #expect(refused.status == 409 && refused.text("field") == "email")
        }
    }

    @Test("The pages send the link, open it with a button, warn where other listings are, and end it")
    func pages() async throws {
        try await Self.with { service, box, _, _, _ in
            let phone = FormVisitor(service)
            try await phone.submit("/my/alerts", ["place": "Fisciano", "radius": "10000"])
            #expect(try await phone.get("/my/alerts").html.contains("Want to know by e-mail too?"))
            let wrong = try await phone.submit("/account/link", ["email": "anna"])
            #expect(wrong.status == 400 && wrong.html.contains("anna@example.org"))
            let sent = try await phone.submit("/account/link", ["email": Self.anna, "next": "/my/alerts"])
            #expect(sent.location?.hasSuffix("/my/alerts?done=guest.linkSent") == true)
            let token = try #require(try await box.next().token)
            let path = "/account/verify?token=\(token)"
            let (laptop, other) = (FormVisitor(service), FormVisitor(service))
            let asked = try await laptop.get(path)
            #expect(asked.html.contains("Open your listings on this device") && !asked.html.contains("Careful"))
            try await other.submit("/my/alerts", ["place": "Milano", "radius": "10000"])
            #expect(try await other.get(path).html.contains("Careful"))
            #expect(try await laptop.submit("/account/verify", ["token": token]).location?.contains("/my") == true)
            #expect(try await laptop.get("/my/alerts").html.contains("Fisciano"))
            let account = try await phone.get("/account").html
            #expect(account.contains("Your private link") && account.contains(Self.anna))
            #expect(try await !phone.get("/my/alerts").html.contains("Want to know by e-mail too?"))
            let ended = try await phone.submit("/account/link", ["end": "yes"])
            #expect(ended.location?.hasSuffix("/account?done=guest.linkEnded") == true)
            #expect(try await !laptop.get("/my/alerts").html.contains("Fisciano"))
        }
    }
}
