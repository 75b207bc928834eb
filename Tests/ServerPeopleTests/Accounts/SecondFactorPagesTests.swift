import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Pages of the second factor")
struct SecondFactorPagesTests {
    private static let credentials = ["email": "anna@example.org", "password": "correct horse", "next": "/map?zoom=9"]

    /// A clock that does not advance, so that no delay ends before the next request.
    private static let still: @Sendable () -> Double = { 1000 }

    private static func hidden(_ name: String, _ page: FormVisitor.Page) throws -> String {
        let pattern = try Regex(#"name="\#(name)" value="([^"]*)""#, as: (Substring, Substring).self)
        return String(try #require(page.html.firstMatch(of: pattern)).1)
    }

    @Test("The pages set up the factor, ask for codes, show recovery codes once, and remove it")
    func story() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            _ = try await service.register("anna@example.org")
            let visitor = FormVisitor(service)
            let welcome = try await visitor.submit("/account/sign-in", Self.credentials)
            #expect(welcome.location == "/map?zoom=9&done=account.welcome")
            let password = ["current_password": "correct horse"]
            let wrong = try await visitor.submit("/account/second-factor", ["current_password": "wrong horse"])
            #expect(wrong.status == 403 && wrong.html.contains("The current password is not right."))
            let begun = try await visitor.submit("/account/second-factor", password)
            #expect(begun.headers["cache-control"] == "no-store" && begun.html.contains("<svg class=\"qr\""))
            let secret = String(try #require(begun.html.firstMatch(of: /<code class="key">([A-Z2-7 ]+)</)).1)
            let app = AuthenticatorApp(secret: secret)
            // Only the browser that the secret was shown to gets it again.
            let enrolment = try Self.hidden("enrolment", begun)
            let path = "/account/second-factor/confirm"
            let again = try await visitor.submit(path, ["code": app.wrongCode(at: clock.now), "enrolment": enrolment])
            #expect(again.status == 403 && again.html.contains(secret) && again.html.contains("The code is not right."))
            let blind = try await visitor.submit(path, ["code": app.wrongCode(at: clock.now), "enrolment": "x"])
            #expect(blind.status == 403 && !blind.html.contains(secret))
            let confirmed = try await visitor.submit(path, ["code": app.code(at: clock.now), "enrolment": enrolment])
            let codes = confirmed.html.matches(of: /<li><code>([a-z2-7-]{19})</).map { String($0.1) }
            #expect(confirmed.status == 200 && codes.count == 10)
            #expect(try await !visitor.get("/account/second-factor").html.contains(codes[0]))
            try await visitor.submit("/account/sign-out")

            // The password alone gives no session.
            let asked = try await visitor.submit("/account/sign-in", Self.credentials)
            #expect(asked.status == 200 && visitor.cookie == nil && asked.headers["set-cookie"] == nil)
            #expect(asked.html.contains(#"inputmode="numeric" autocomplete="one-time-code""#))
            #expect(try await visitor.get("/account").html.contains("/account/register"))
            let (ticket, next) = (try Self.hidden("ticket", asked), try Self.hidden("next", asked))
            #expect(next.contains("/map"))
            let refused = try await visitor.submit("/account/sign-in/code", ["ticket": ticket, "code": "000000x"])
            #expect(refused.status == 403 && refused.html.contains("The code is not right.") && visitor.cookie == nil)
            clock.advance(hours: 30 / 3600)
            let entered = try await visitor.submit(
                "/account/sign-in/code",
                ["ticket": ticket, "code": app.code(at: clock.now), "next": "/map"]
            )
            #expect(entered.status == 303 && entered.location == "/map?done=account.welcome" && visitor.cookie != nil)

            let removed = try await visitor.submit(
                "/account/second-factor/remove",
                ["current_password": "correct horse", "code": "", "recovery_code": codes[0]]
            )
            #expect(removed.location == "/account?done=account.factorRemoved")
            #expect(try await FormVisitor(service).submit("/account/sign-in", Self.credentials).status == 303)
        }
    }

    @Test("A ticket ends after five minutes and with a new password, and nobody can make one")
    func tickets() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let token = try await service.register("anna@example.org")
            let (app, codes) = try await service.addSecondFactor(token, at: clock.now)
            let visitor = FormVisitor(service, language: "it")
            func ticket(_ password: String = "correct horse") async throws -> String {
                let page = try await visitor.submit(
                    "/account/sign-in",
                    ["email": "anna@example.org", "password": password]
                )
                return try Self.hidden("ticket", page)
            }
            func use(_ ticket: String, _ code: String) async throws -> FormVisitor.Page {
                try await visitor.submit("/account/sign-in/code", ["ticket": ticket, "code": code])
            }
            let first = try await ticket()
            clock.advance(hours: 301 / 3600)
            let late = try await use(first, app.code(at: clock.now))
            #expect(late.status == 400 && late.html.contains("È passato troppo tempo. Accedi di nuovo."))
            let second = try await ticket()
            for forged in ["", "x", String(second.dropLast(3)) + "AAA", String(second.reversed())] {
                #expect(try await use(forged, app.code(at: clock.now)).status == 400)
            }
            let change = #"{"current_password": "correct horse", "password": "battery staple"}"#
            #expect(try await service.send("PATCH", "/v1/me", change, token: token).status == 200)
            #expect(try await use(second, app.code(at: clock.now)).status == 400)
            // A ticket is not a token either.
            #expect(try await service.send("GET", "/v1/me", token: second).status == 401)
            let third = try await ticket("battery staple")
            let page = try await visitor.submit("/account/sign-in/code", ["ticket": third, "recovery_code": codes[3]])
            #expect(page.status == 303 && visitor.cookie != nil)
        }
    }

    @Test("Wrong codes are slowed down whichever way they come")
    func throttle() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading, monotonicClock: Self.still) { service in
            let token = try await service.register("anna@example.org")
            let (app, _) = try await service.addSecondFactor(token, at: clock.now)
            let visitor = FormVisitor(service)
            let ticket = try Self.hidden("ticket", try await visitor.submit("/account/sign-in", Self.credentials))
            let wrong = ["ticket": ticket, "code": app.wrongCode(at: clock.now)]
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await visitor.submit("/account/sign-in/code", wrong).status) }
            #expect(statuses == [403, 403, 403, 403, 429])
            // The password again gives no new attempts.
            #expect(try await visitor.submit("/account/sign-in", Self.credentials).status == 429)
        }
    }
}
