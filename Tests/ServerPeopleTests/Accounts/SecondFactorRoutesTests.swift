import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Second factor")
struct SecondFactorRoutesTests {
    private static let email = "anna@example.org"

    /// A clock that does not advance, so that no delay ends before the next request.
    private static let still: @Sendable () -> Double = { 1000 }

    /// A service with an account that has a second factor.
    private struct Enrolled {
        let service: RunningService
        let clock: ManualClock
        let token: String
        let app: AuthenticatorApp
        let recoveryCodes: [String]

        func signIn(_ code: String?, _ password: String = "correct horse") async throws -> RunningService.Answer {
            let code = code.map { #", "code": "\#($0)""# } ?? ""
            let body = #"{"email": "\#(email)", "password": "\#(password)"\#(code)}"#
            return try await service.send("POST", "/v1/sessions", body)
        }

        /// Advances the clock to the next code.
        func nextCode() -> String {
            clock.advance(hours: 30 / 3600)
            return app.code(at: clock.now)
        }

        func send(
            _ path: String,
            _ code: String,
            _ password: String = "correct horse"
        ) async throws
            -> RunningService.Answer
        {
            let body = #"{"current_password": "\#(password)", "code": "\#(code)"}"#
            return try await service.send("POST", "/v1/me/second-factor/\(path)", body, token: token)
        }
    }

    private static func with(_ body: (Enrolled) async throws -> Void) async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading, monotonicClock: still) { service in
            let token = try await service.register(email)
            let (app, codes) = try await service.addSecondFactor(token, at: clock.now)
            try await body(
                Enrolled(service: service, clock: clock, token: token, app: app, recoveryCodes: codes)
            )
        }
    }

    @Test("Signing in takes a code after the enrolment was confirmed, and not before")
    func enrol() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let token = try await service.register(Self.email)
            let other = try await service.send("POST", "/v1/sessions", Self.credentials).created("token")
            let path = "/v1/me/second-factor"
            #expect(try await service.send("GET", path, token: token)["confirmed_at"] == .null)
            #expect(try await service.send("POST", path, "{}", token: token).text("field") == "current_password")
            let wrong = #"{"current_password": "wrong horse"}"#
            #expect(try await service.send("POST", path, wrong, token: token).status == 403)
            #expect(try await service.send("PUT", path, #"{"code": "123456"}"#, token: token).status == 409)
            let password = #"{"current_password": "correct horse"}"#
            let first = try await service.send("POST", path, password, token: token).created("secret")
            let second = try await service.send("POST", path, password, token: token)
            #expect(second.text("uri")?.contains("issuer=DoggoFinder") == true && second.text("secret") != first)
            let app = AuthenticatorApp(secret: try second.created("secret"))
            #expect(try await service.send("POST", "/v1/sessions", Self.credentials).status == 201)
            // A code of the secret that was replaced, a wrong one, and none.
            for code in [AuthenticatorApp(secret: first).code(at: clock.now), app.wrongCode(at: clock.now), ""] {
                let answer = try await service.send("PUT", path, #"{"code": "\#(code)"}"#, token: token)
                #expect(answer.status == 403 && answer.text("field") == "code", "\(code)")
            }
            #expect(try await service.send("PUT", path, #"{"code": 123456}"#, token: token).status == 400)
            let right = #"{"code": "\#(app.code(at: clock.now))"}"#
            let confirmed = try await service.send("PUT", path, right, token: token)
            guard case .array(let codes)? = confirmed["recovery_codes"] else { throw TestFailure("no codes") }
            #expect(codes.count == 10)
            let state = try await service.send("GET", path, token: token)
            #expect(state["recovery_codes_left"] == 10 && state.text("confirmed_at") == clock.now.text)
            #expect(try await service.send("GET", "/v1/me", token: token)["second_factor"] == true)
            // The other session began with the password alone.
            #expect(try await service.send("GET", "/v1/me", token: other).status == 401)
            #expect(try await service.send("POST", "/v1/sessions", Self.credentials).status == 401)
            #expect(try await service.send("PUT", path, right, token: token).status == 409)
            #expect(try await service.send("POST", path, password, token: token).status == 409)
        }
    }

    private static let credentials = #"{"email": "\#(email)", "password": "correct horse"}"#

    @Test("A secret that is not confirmed within 15 minutes is not confirmed any more")
    func expiry() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let token = try await service.register(Self.email)
            let path = "/v1/me/second-factor"
            let password = #"{"current_password": "correct horse"}"#
            let secret = try await service.send("POST", path, password, token: token).created("secret")
            clock.advance(hours: 0.26)
            let code = AuthenticatorApp(secret: secret).code(at: clock.now)
            #expect(try await service.send("PUT", path, #"{"code": "\#(code)"}"#, token: token).status == 409)
            #expect(try await service.send("POST", "/v1/sessions", Self.credentials).status == 201)
        }
    }

    @Test("A missing, wrong or used code is refused, and clocks may differ by one step")
    func codes() async throws {
        try await Self.with { enrolled in
            let missing = try await enrolled.signIn(nil)
            #expect(missing.status == 401 && missing.text("field") == "code" && missing.text("token") == nil)
            #expect(missing.text("detail")?.contains("has a second factor") == true)
            let wrong = try await enrolled.signIn(enrolled.app.wrongCode(at: enrolled.clock.now))
            #expect(wrong.status == 401 && wrong.text("detail")?.contains("code: is wrong") == true)
            // A wrong password does not tell that there is a second factor.
            let unknown = try await enrolled.signIn(enrolled.app.code(at: enrolled.clock.now), "wrong horse")
            #expect(unknown.status == 401 && unknown.text("field") == nil)
            // The code of the confirmation is used.
            #expect(try await enrolled.signIn(enrolled.app.code(at: enrolled.clock.now)).status == 401)
            let code = enrolled.nextCode()
            #expect(try await enrolled.signIn(code).status == 201)
            #expect(try await enrolled.signIn(code).status == 401)
            // The phone is 30 s ahead, and then 30 s behind.
            enrolled.clock.advance(hours: 60 / 3600)
            #expect(try await enrolled.signIn(enrolled.app.code(at: enrolled.clock.now, ahead: 2)).status == 401)
            #expect(try await enrolled.signIn(enrolled.app.code(at: enrolled.clock.now, ahead: 1)).status == 201)
            #expect(try await enrolled.signIn(enrolled.app.code(at: enrolled.clock.now)).status == 401)
            enrolled.clock.advance(hours: 90 / 3600)
            #expect(try await enrolled.signIn(enrolled.app.code(at: enrolled.clock.now, ahead: -1)).status == 201)
        }
    }

    @Test("Each recovery code signs in once, however it is typed")
    func recoveryCodes() async throws {
        try await Self.with { enrolled in
            let code = enrolled.recoveryCodes[0]
            #expect(try await enrolled.signIn(code).status == 201)
            #expect(try await enrolled.signIn(code).status == 401)
            #expect(try await enrolled.signIn("aaaa-aaaa-aaaa-aaaa").status == 401)
            let typed = enrolled.recoveryCodes[1].uppercased().replacing("-", with: " ")
            #expect(try await enrolled.signIn(typed).status == 201)
            let state = try await enrolled.service.send("GET", "/v1/me/second-factor", token: enrolled.token)
            #expect(state["recovery_codes_left"] == 8)
            let renewed = try await enrolled.send("recovery-codes", enrolled.nextCode())
            guard case .array(let codes)? = renewed["recovery_codes"] else { throw TestFailure("\(renewed.status)") }
            #expect(codes.count == 10 && !codes.contains(.string(enrolled.recoveryCodes[2])))
            #expect(try await enrolled.signIn(enrolled.recoveryCodes[2]).status == 401)
            guard case .string(let new) = codes[0] else { throw TestFailure("no code") }
            #expect(try await enrolled.signIn(new).status == 201)
        }
    }

    @Test("While the clock of the server is wrong, recovery codes sign in, and afterwards codes do again")
    func wrongClock() async throws {
        try await Self.with { enrolled in
            for hours in [-24.0, 48] {
                let phone = enrolled.clock.now
                enrolled.clock.advance(hours: hours)
                let refused = try await enrolled.signIn(enrolled.app.code(at: phone))
                #expect(refused.status == 401)
                #expect(try await enrolled.signIn(enrolled.recoveryCodes[hours < 0 ? 0 : 1]).status == 201)
            }
            enrolled.clock.advance(hours: -24)
            #expect(try await enrolled.signIn(enrolled.nextCode()).status == 201)
        }
    }

    @Test("Of simultaneous sign-ins with one code, one succeeds", arguments: [false, true])
    func atOnce(isRecovery: Bool) async throws {
        try await Self.with { enrolled in
            let code = isRecovery ? enrolled.recoveryCodes[0] : enrolled.nextCode()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { try await enrolled.signIn(code).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201, 401, 401])
        }
    }

    @Test("Wrong codes are slowed down like wrong passwords, also where the password is right")
    func throttle() async throws {
        try await Self.with { enrolled in
            // A sign-in without a code is no failure, and forgives none.
            for _ in 0..<6 { #expect(try await enrolled.signIn(nil).status == 401) }
            let wrong = enrolled.app.wrongCode(at: enrolled.clock.now)
            for _ in 0..<2 { #expect(try await enrolled.signIn(wrong).status == 401) }
            #expect(try await enrolled.signIn(nil).status == 401)
            for _ in 0..<2 { #expect(try await enrolled.signIn(wrong).status == 401) }
            for code in [wrong, enrolled.nextCode(), nil] {
                let answer = try await enrolled.signIn(code)
                #expect(answer.status == 429 && answer.headers["retry-after"] == "1")
            }
        }
    }

    @Test("The second factor is removed with the password and a code")
    func remove() async throws {
        try await Self.with { enrolled in
            let code = enrolled.nextCode()
            let unknown = try await enrolled.send("removal", code, "wrong horse")
            #expect(unknown.status == 403 && unknown.text("field") == "current_password")
            let wrong = enrolled.app.wrongCode(at: enrolled.clock.now)
            #expect(try await enrolled.send("removal", wrong).text("field") == "code")
            #expect(try await enrolled.send("removal", "").status == 400)
            #expect(try await enrolled.send("removal", code).status == 204)
            #expect(try await enrolled.signIn(nil).status == 201)
            #expect(try await enrolled.send("removal", code).status == 409)
            #expect(try await enrolled.send("recovery-codes", code).status == 409)
            #expect(try await enrolled.signIn(enrolled.recoveryCodes[0]).status == 201)
        }
    }

    @Test("Guesses of codes within a session are slowed down, and the right password forgives none")
    func session() async throws {
        try await Self.with { enrolled in
            let service = enrolled.service
            let wrong = enrolled.app.wrongCode(at: enrolled.clock.now)
            let password = #"{"current_password": "correct horse"}"#
            for path in ["removal", "recovery-codes", "removal", "removal"] {
                #expect(try await enrolled.send(path, wrong).status == 403)
                #expect(try await service.send("PATCH", "/v1/me", password, token: enrolled.token).status == 200)
                let begun = try await service.send("POST", "/v1/me/second-factor", password, token: enrolled.token)
                #expect(begun.status == 409)
            }
            #expect(try await enrolled.send("removal", enrolled.nextCode()).status == 429)
            #expect(try await enrolled.send("recovery-codes", enrolled.recoveryCodes[0]).status == 429)
        }
    }

    @Test("A new address gives no new attempts to guess codes")
    func address() async throws {
        try await Self.with { enrolled in
            let wrong = enrolled.app.wrongCode(at: enrolled.clock.now)
            for _ in 0..<4 { #expect(try await enrolled.signIn(wrong).status == 401) }
            let change = #"{"current_password": "correct horse", "email": "new@example.org"}"#
            let moved = try await enrolled.service.send("PATCH", "/v1/me", change, token: enrolled.token)
            #expect(moved.text("email") == "new@example.org")
            let body = #"{"email": "new@example.org", "password": "correct horse", "code": "\#(wrong)"}"#
            #expect(try await enrolled.service.send("POST", "/v1/sessions", body).status == 429)
        }
    }

    @Test("A new password needs a code to sign in, and forgives no wrong codes")
    func password() async throws {
        try await Self.with { enrolled in
            let change = #"{"current_password": "correct horse", "password": "battery staple"}"#
            let service = enrolled.service
            let changed = try await service.send("PATCH", "/v1/me", change, token: enrolled.token)
            #expect(changed.status == 200)
            #expect(try await enrolled.signIn(nil, "battery staple").text("field") == "code")
            #expect(try await enrolled.signIn(enrolled.nextCode(), "battery staple").status == 201)
        }
    }

    @Test("Guests have no second factor; deletion and the export of the data include it")
    func others() async throws {
        try await Self.with { enrolled in
            let service = enrolled.service
            let guest = try await service.guest()
            let body = #"{"current_password": "correct horse"}"#
            #expect(try await service.send("POST", "/v1/me/second-factor", body, token: guest).status == 409)
            #expect(try await service.send("GET", "/v1/me/second-factor", token: guest)["confirmed_at"] == .null)
            let account = try #require(try await service.board.accounts.findAccount(email: Self.email))
            let rows = try PersonalData(service.board.database).overview(of: account)["second_factor"]
            #expect(rows?.first?["recovery_codes_left"] == 10 && rows?.first?.keys.contains("sealed_secret") == false)
            #expect(try await service.send("DELETE", "/v1/me", token: enrolled.token).status == 204)
            let left = try await service.board.database.read { db in
                try db.value(
                    "SELECT (SELECT count(*) FROM second_factor) + (SELECT count(*) FROM recovery_code)"
                ) as Int?
            }
            #expect(left == 0)
        }
    }

    @Test("The secret is not in the database, and a code of another server's key is refused with a reason")
    func key() async throws {
        try await Self.with { enrolled in
            let service = enrolled.service
            // Another server over the same database has another key.
            try await RunningService.with(board: service.board, hasModel: false, now: enrolled.clock.reading) { other in
                let body = #"{"email": "\#(Self.email)", "password": "correct horse", "code": "CODE"}"#
                let code = enrolled.nextCode()
                let refused = try await other.send("POST", "/v1/sessions", body.replacing("CODE", with: code))
                #expect(refused.status == 503 && refused.text("detail")?.contains("second-factor-key") == true)
                let recovery = body.replacing("CODE", with: enrolled.recoveryCodes[0])
                #expect(try await other.send("POST", "/v1/sessions", recovery).status == 201)
            }
        }
    }

    @Test("Admins who need a second factor can only set it up")
    func requirement() async throws {
        try await RunningService.with(hasModel: false, secondFactorRequirement: .admins) { service in
            let admin = try await service.admin(Self.email)
            let user = try await service.register("bruno@example.org")
            for path in ["/v1/admin/audit", "/v1/me/listings", "/v1/me/sessions", "/v1/listings", "/metrics"] {
                #expect(try await service.send("GET", path, token: admin).status == 403, "\(path)")
            }
            #expect(try await service.send("PATCH", "/v1/me", #"{"first_name": "A"}"#, token: admin).status == 403)
            #expect(try await service.send("DELETE", "/v1/me", token: admin).status == 403)
            #expect(try await service.send("GET", "/v1/me", token: admin).status == 200)
            #expect(try await service.send("GET", "/v1/me/listings", token: user).status == 200)
            let page = try await service.send(
                "GET",
                "/moderation",
                bytes: nil,
                nil,
                ["Cookie": "__Host-doggofinder=\(admin)", "Accept": "text/html"],
                isFollowing: false
            )
            #expect(page.status == 303 && page.headers["location"] == "/account/second-factor")
            _ = try await service.addSecondFactor(admin)
            #expect(try await service.send("GET", "/v1/me/listings", token: admin).status == 200)
            #expect(try await service.send("GET", "/v1/admin/audit", token: admin).status == 200)
            #expect(try await service.send("GET", "/metrics", token: admin).status == 200)
        }
    }
}
