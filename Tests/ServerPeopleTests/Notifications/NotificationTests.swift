import Credentials
import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Notifications of alerts")
struct NotificationTests {
    private static let circle = #""lon": 14.7912, "lat": 40.7723, "radius": 10000"#

    /// Starts a service at noon, with an account that reads mails.
    private static func with(
        _ body: (RunningService, Mailbox, _ reader: String, ManualClock) async throws -> Void
    ) async throws {
        let (box, clock, board) = (Mailbox(), ManualClock(), try await TestDatabase())
        let mailer = { try box.mailer($0, now: clock.reading) }
        try await RunningService.with(board: board, hasModel: false, mailer: mailer, now: clock.reading) { service in
            try await body(service, box, try await Self.register("anna@example.org", board, at: clock.now), clock)
        }
    }

    /// Registers an account with a confirmed address, and returns its token.
    private static func register(_ email: String, _ board: TestDatabase, at now: Timestamp) async throws -> String {
        let registration = AccountStore.Registration(
            email: email, passwordHash: "$argon2id$test", profile: Profile(), language: .english)
        let token = Token()
        _ = try await board.accounts.register(registration, upgrading: nil, tokenHash: token.digest, now: now)
        return token.text
    }

    private static func makeOrganisation(_ service: RunningService, _ token: String) async throws -> String {
        try await service.send("POST", "/v1/organisations", #"{"name": "Canile"}"#, token: token).created("id")
    }

    private static func dog(_ name: String, _ status: String = "lost", lon: Double = 14.80123) -> String {
        #"{"status": "\#(status)", "species": "dog", "breed": "Beagle", "name": "\#(name)", "lon": \#(lon), "lat": 40.78017}"#
    }

    @Test(
        "A mail tells what a search has found, without the exact place, and one POST without a cookie ends such mails"
    )
    func search() async throws {
        try await Self.with { service, box, reader, _ in
            let body = #"{"name": "Home", "search": {"status": "lost", \#(Self.circle)}}"#
            let alert = try await service.send("POST", "/v1/me/alerts", body, token: reader)
            let id = try #require(alert.text("id"))
            let poster = try await service.guest()
            let listing = try await service.post(Self.dog("Argo"), poster)
            let mail = try await box.next()
            #expect(mail.to == "anna@example.org" && mail.subject.hasPrefix("Lost 1"))
            #expect(mail.subject.contains("\u{A0}km from you: Argo, "))
            let code = try await service.board.code(of: listing)
            #expect(mail.text.contains("https://dogs.example.org/l/\(code)\r\n"))
            for part in [mail.text, mail.html] {
                #expect(part.contains("https://dogs.example.org/listings/\(listing)/sighting"))
                #expect(part.contains("Not near me"))
            }
            #expect(mail.text.contains("because of your alert “Home”"))
            #expect(mail.text.contains("\u{A0}km from you") && mail.html.contains("\u{A0}km from you"))
            for secret in ["14.80123", "40.78017", "14.801"] { #expect(!(mail.text + mail.html).contains(secret)) }
            let link = try #require(
                mail.text.firstMatch(of: #/https://dogs.example.org(/unsubscribe/[0-9a-f]{32}\?alert=[0-9a-f-]{36})/#)
            )
            let path = String(link.1)
            let asked = try await service.send("GET", path, headers: ["Accept": "text/html", "Accept-Language": "en"])
            #expect(asked.status == 200 && asked.html.contains("End these e-mails?"))
            #expect(try await service.send("GET", "/v1/me/alerts/\(id)", token: reader)["paused"] == .bool(false))
            try await until("the owner to see it") {
                let cookie = ["Accept": "text/html", "Accept-Language": "en", "Cookie": "__Host-doggofinder=\(poster)"]
                let page = try await service.send("GET", "/listings/\(listing)", headers: cookie)
                return page.html.contains("Sent so far: a few messages by e-mail, on ")
            }
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            #expect(asked.html.contains("<option value=\"5000\" selected>") && !asked.html.contains("value=\"10000\""))
            #expect(try await service.send("POST", path, "radius=10000", headers: form).status == 400)
            let narrowed = try await service.send("POST", path, "radius=5000", headers: form)
            #expect(narrowed.status == 200 && narrowed.html.contains("within 5\u{A0}km"))
            let narrow = try await service.send("GET", "/v1/me/alerts/\(id)", token: reader)
            #expect(narrow.text("search", "radius") == "5000" && narrow.text("search", "status") == "lost")
            let ended = try await service.send("POST", path, "List-Unsubscribe=One-Click", headers: form)
            #expect(ended.status == 200)
            #expect(try await service.send("GET", "/v1/me/alerts/\(id)", token: reader)["paused"] == .bool(true))
            let wrong = path.replacing(/[0-9a-f]{32}/, with: String(repeating: "0", count: 32))
            #expect(try await service.send("POST", wrong, "x=y", headers: form).status == 404)
        }
    }

    @Test("The owner of a lost dog is told of a found one that may be it, and not of others")
    func matches() async throws {
        try await Self.with { service, box, owner, _ in
            let own = try await service.post(Self.dog("Argo"), owner)
            let alerts = try await service.send("GET", "/v1/me/alerts", token: owner)
            #expect(alerts.text("alerts", "0", "matches", "listing") == own)
            let finder = try await service.guest()
            _ = try await service.post(Self.dog("Fido", "found", lon: 18), finder)
            let found = try await service.post(Self.dog("Beagle", "found", lon: 14.8015), finder)
            let mail = try await box.next()
            #expect(mail.subject.hasPrefix("Could this be yours? Found: "))
            let code = try await service.board.code(of: found)
            #expect(mail.text.contains("/l/\(code)\r\n") && mail.text.contains("%"))
            let id = try #require(alerts.text("alerts", "0", "id"))
            let told = try await service.send("GET", "/v1/me/alerts/\(id)/listings", token: owner)
            #expect(told.text("listings", "0", "id") == found)
        }
    }

    @Test("The fourth finding of a day, and what is found at night, waits for the summary")
    func summary() async throws {
        try await Self.with { service, box, reader, clock in
            let body = #"{"search": {\#(Self.circle)}}"#
            let id = try #require(try await service.send("POST", "/v1/me/alerts", body, token: reader).text("id"))
            let poster = try await service.guest()
            for name in ["A", "B", "C"] {
                _ = try await service.post(Self.dog(name), poster)
                #expect(try await box.next().subject.contains("from you: \(name), "))
            }
            for name in ["D", "E"] { _ = try await service.post(Self.dog(name), poster) }
            try await until("five listings") {
                let found = try await service.send("GET", "/v1/me/alerts/\(id)/listings", token: reader)
                return found.text("listings", "4", "id") != nil
            }
            clock.advance(hours: 19)
            let mail = try await box.next()
            #expect(mail.subject == "2 animals that your alerts have found")
            #expect(mail.text.contains(": D, ") && mail.text.contains(": E, ") && !mail.text.contains(": C, "))
            #expect(mail.text.contains(#//unsubscribe/[0-9a-f]{32}\s/#))
        }
    }

    @Test("Who follows an organisation gets one mail a day with its new animals, wherever they are, and no others")
    func arrivals() async throws {
        try await Self.with { service, box, reader, clock in
            let anna = try await Self.register("shelter@example.org", service.board, at: clock.now)
            let organisation = try await Self.makeOrganisation(service, anna)
            let body = #"{"name": "Canile", "search": {"organisation": "\#(organisation)"}}"#
            let made = try await service.send("POST", "/v1/me/alerts", body, token: reader)
            let id = try made.created("id")
            #expect(made.text("search", "organisation") == organisation)
            let wrong = #"{"search": {"organisation": "0b6f2a3c-0000-4000-8000-000000000000"}}"#
            #expect(try await service.send("POST", "/v1/me/alerts", wrong, token: reader).status == 404)
            for (name, place) in [("A", "Salerno"), ("B", "Roma")] {
                _ = try await service.post(
                    #"{"status": "found", "name": "\#(name)", "place": "\#(place)", "organisation": "\#(organisation)"}"#,
                    anna)
            }
            _ = try await service.post(#"{"status": "found", "name": "C", "place": "Salerno"}"#, anna)
            try await until("two animals") {
                let found = try await service.send("GET", "/v1/me/alerts/\(id)/listings", token: reader)
                return found.text("listings", "1", "id") != nil
            }
            clock.advance(hours: 24)
            let mail = try await box.next()
            #expect(mail.to == "anna@example.org" && mail.subject == "2 animals that your alerts have found")
            #expect(mail.text.contains(": A, ") && mail.text.contains(": B, ") && !mail.text.contains(": C, "))
            #expect(mail.text.contains("/unsubscribe/"))
        }
    }

    @Test("The page of an organisation makes an alert with one tap, for guests too")
    func following() async throws {
        try await Self.with { service, _, anna, _ in
            let organisation = try await Self.makeOrganisation(service, anna)
            let page = "/organisations/\(organisation)"
            let visitor = FormVisitor(service)
            #expect(try await visitor.get(page).html.contains(#"name="organisation" value="\#(organisation)""#))
            for _ in 1...2 { try await visitor.submit("/my/alerts", ["organisation": organisation]) }
            let alerts = try await visitor.get("/my/alerts").html
            #expect(alerts.ranges(of: "class=\"alert-entry\"").count == 1 && alerts.contains("Canile"))
            #expect(alerts.contains("once a day"))
        }
    }

    @Test("Two alerts of one reader that find a listing make one mail, and edits are silent unless the status changes")
    func once() async throws {
        try await Self.with { service, box, reader, _ in
            for _ in 0..<2 {
                _ = try await service.send("POST", "/v1/me/alerts", #"{"search": {\#(Self.circle)}}"#, token: reader)
            }
            let poster = try await service.guest()
            let id = try await service.post(Self.dog("Argo"), poster)
            #expect(try await box.next().subject.contains("from you: Argo, "))
            let patch = { body in
                try await service.send("PATCH", "/v1/listings/\(id)", body, token: poster, headers: ["If-Match": "*"])
            }
            #expect(try await patch(#"{"description": "Shy"}"#).status == 200)
            #expect(try await patch(#"{"status": "sighted"}"#).status == 200)
            #expect(try await box.next().subject.hasPrefix("Sighted 1"))
        }
    }

    @Test("Settings are read, changed and checked; readers who turn mails off get none")
    func settings() async throws {
        try await Self.with { service, box, reader, _ in
            let path = "/v1/me/notifications"
            let standard = try await service.send("GET", path, token: reader)
            #expect(standard["email"] == .bool(true) && standard["summary_hour"] == .number(8))
            for (field, body) in [
                ("summary_hour", #"{"summary_hour": 3}"#), ("frequency", #"{"frequency": "often"}"#),
                ("email", #"{"email": "yes"}"#), ("mail", #"{"mail": true}"#),
            ] {
                let refused = try await service.send("PATCH", path, body, token: reader)
                #expect(refused.status == 400 && refused.text("field") == field, "\(body)")
            }
            let changed = try await service.send(
                "PATCH",
                path,
                #"{"email": false, "frequency": "daily"}"#,
                token: reader
            )
            #expect(changed["email"] == .bool(false) && changed.text("frequency") == "daily")
            _ = try await service.send("PATCH", path, #"{"frequency": "at_once"}"#, token: reader)
            let body = #"{"search": {\#(Self.circle)}}"#
            let id = try #require(try await service.send("POST", "/v1/me/alerts", body, token: reader).text("id"))
            _ = try await service.post(Self.dog("Argo"), try await service.guest())
            try await until("a listing") {
                let found = try await service.send("GET", "/v1/me/alerts/\(id)/listings", token: reader)
                return found.text("listings", "0", "id") != nil
            }
            try await Task.sleep(for: .seconds(1))
            _ = try await service.send("PATCH", path, #"{"email": true}"#, token: reader)
            _ = try await service.post(Self.dog("Bobi"), try await service.guest())
            #expect(try await box.next().subject.contains("from you: Bobi, "))
        }
    }

    @Test("The areas of alerts are named by the towns in their middle")
    func towns() async throws {
        try await Self.with { service, _, reader, _ in
            for area in [Self.circle, #""bbox": "14.7,40.7,14.9,40.85""#] {
                let body = #"{"search": {\#(area)}}"#
                #expect(try await service.send("POST", "/v1/me/alerts", body, token: reader).status == 201)
            }
            let headers = ["Accept": "text/html", "Accept-Language": "en", "Cookie": "__Host-doggofinder=\(reader)"]
            let page = try await service.send("GET", "/my/alerts", headers: headers).html
            #expect(page.contains(/within 10.km of Fisciano \(SA\)/))
            #expect(page.contains(/in an area around [A-Z][a-z ]+ \(SA\)/))
        }
    }

    @Test("The page saves a search of the board with one tap, and pauses, continues and deletes it")
    func page() async throws {
        try await Self.with { service, _, reader, _ in
            let headers = ["Accept": "text/html", "Accept-Language": "en"]
            let form = headers.merging([
                "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://dogs.example.org",
                "Cookie": "__Host-doggofinder=\(reader)",
            ]) { $1 }
            let board = try await service.send("GET", "/board?place=Fisciano&radius=5000&status=lost", headers: headers)
            #expect(
                board.html.contains(#"action="/my/alerts""#) && board.html.contains("Tell me about animals posted here")
            )
            let typed = "place=Fisciano&radius=5000&status=lost"
            for _ in 0..<2 {
                let made = try await service.send("POST", "/my/alerts", typed, headers: form)
                #expect(made.status == 200 && made.html.contains("within 5") && made.html.contains("Fisciano"))
            }
            let list = try await service.send("GET", "/v1/me/alerts", token: reader)
            #expect(list.text("alerts", "1", "id") == nil)
            let path = "/my/alerts/\(try #require(list.text("alerts", "0", "id")))"
            let paused = try await service.send("POST", path, "action=pause", headers: form)
            #expect(paused.html.contains("Paused"))
            let going = try await service.send("POST", path, "action=resume", headers: form)
            #expect(!going.html.contains("Paused"))
            let change = "action=change&radius=25000&status=found&species=&q=nero"
            let changed = try await service.send("POST", path, change, headers: form)
            #expect(changed.html.contains("Found · “nero” · within 25") && changed.html.contains("Fisciano"))
            let search = try await service.send("GET", "/v1" + path.replacing("/my", with: "/me"), token: reader)
            #expect(search.text("search", "radius") == "25000" && search.text("search", "lon") != nil)
            let refused = try await service.send("POST", "/my/alerts", "place=Nowhere123", headers: form)
            #expect(refused.status == 400 && refused.html.contains("Nowhere123"))
            let gone = try await service.send("POST", path, "action=delete", headers: form)
            #expect(gone.html.contains("You have no alerts yet."))
        }
    }
}
