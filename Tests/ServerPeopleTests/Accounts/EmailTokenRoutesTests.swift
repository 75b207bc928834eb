import Credentials
import Domain
import Foundation
import Logging
import Mail
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Tokens in mails")
struct EmailTokenRoutesTests {
    private static let anna = "anna@example.org"

    /// A clock that does not advance, so that no delay ends before the next request.
    private static let still: @Sendable () -> Double = { 1000 }

    /// Runs a service whose mails arrive in a mailbox.
    private static func withMail(
        passwords: PasswordHasher? = nil,
        clock: ManualClock = ManualClock(),
        _ body: (RunningService, Mailbox) async throws -> Void
    ) async throws {
        let box = Mailbox()
        let mailer = { database in try box.mailer(database, now: clock.reading) }
        try await RunningService.with(
            hasModel: false,
            mailer: mailer,
            passwords: passwords,
            now: clock.reading,
            monotonicClock: still
        ) { try await body($0, box) }
    }

    private static func ask(
        _ service: RunningService,
        _ email: String,
        _ password: String = "correct horse",
        guest: String? = nil
    ) async throws -> RunningService.Answer {
        let body = #"{"email": "\#(email)", "password": "\#(password)", "first_name": "Anna"}"#
        return try await service.send("POST", "/v1/accounts", body, token: guest)
    }

    private static func verify(
        _ service: RunningService,
        _ token: String?,
        _ more: String = ""
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/verifications", #"{"token": "\#(token ?? "")"\#(more)}"#)
    }

    private static func registered(
        _ service: RunningService,
        _ box: Mailbox,
        _ email: String = anna
    ) async throws -> String {
        _ = try await ask(service, email)
        guard let token = try await verify(service, box.next().token).text("token") else {
            throw TestFailure("no token")
        }
        return token
    }

    private static func signIn(
        _ service: RunningService,
        _ password: String,
        _ email: String = anna
    ) async throws -> Int {
        let body = #"{"email": "\#(email)", "password": "\#(password)"}"#
        return try await service.send("POST", "/v1/sessions", body).status
    }

    /// The parts of an answer that must be equal: everything except the date and the request id.
    private static func look(_ answer: RunningService.Answer) -> [String] {
        let headers = answer.headers.filter { !["date", "x-request-id"].contains($0.key) }
        return ["\(answer.status)", String(decoding: answer.body, as: UTF8.self)]
            + headers.map { "\($0.key): \($0.value)" }.sorted()
    }

    @Test("An account is created when the link is confirmed, and keeps the guest's listings")
    func registration() async throws {
        try await Self.withMail { service, box in
            let guest = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "lon": 14.79, "lat": 40.77}"#, guest)
            let answer = try await Self.ask(service, Self.anna, guest: guest)
            #expect(answer.status == 202 && answer.body.isEmpty)
            let mail = try await box.next()
            #expect(mail.to == Self.anna && mail.subject.hasPrefix("Confirm your e-mail for "))
            #expect(mail.text.contains("https://dogs.example.org/account/verify?token="))
            #expect(try await Self.signIn(service, "correct horse") == 401)
            #expect(try await service.send("GET", "/v1/me", token: guest).text("role") == "guest")
            let made = try await Self.verify(service, mail.token)
            #expect(made.status == 201 && made.text("account", "first_name") == "Anna")
            let token = try #require(made.text("token"))
            let own = try await service.send("GET", "/v1/me/listings", token: token)
            #expect(own.features.count == 1 && own.text("features", "0", "id") == id)
            #expect(try await service.send("GET", "/v1/me", token: guest).status == 401)
            #expect(try await Self.signIn(service, "correct horse") == 201)
            // The token is valid once, and other tokens are not valid.
            for token in [mail.token, "nonsense", ""] {
                let again = try await Self.verify(service, token)
                #expect(again.status == 400 && again.text("field") == "token")
            }
        }
    }

    @Test("Answers and their cost do not reveal whether an account exists")
    func enumeration() async throws {
        let passwords = PasswordHasher()
        try await Self.withMail(passwords: passwords) { service, box in
            _ = try await Self.registered(service, box)
            func cost(_ body: () async throws -> RunningService.Answer) async throws -> (look: [String], hashes: Int) {
                let before = passwords.load.done
                let answer = try await body()
                return (Self.look(answer), passwords.load.done - before)
            }
            let known = try await cost { try await Self.ask(service, Self.anna) }
            #expect(try await box.next().subject == "You already have an account")
            let unknown = try await cost { try await Self.ask(service, "nobody@example.org") }
            #expect(try await box.next().to == "nobody@example.org")
            #expect(known.look == unknown.look && known.hashes == 1 && unknown.hashes == 1)
            func reset(_ email: String) async throws -> RunningService.Answer {
                try await service.send("POST", "/v1/password-resets", #"{"email": "\#(email)"}"#)
            }
            let first = try await cost { try await reset("stranger@example.org") }
            let second = try await cost { try await reset(Self.anna) }
            #expect(first.look == second.look && first.look[0] == "202" && first.hashes == 0 && second.hashes == 0)
            // The unknown address received no mail: the next one is for Anna.
            #expect(try await box.next().to == Self.anna)
            func signIn(_ email: String) async throws -> RunningService.Answer {
                try await service.send("POST", "/v1/sessions", #"{"email": "\#(email)", "password": "wrong horse"}"#)
            }
            let mine = try await cost { try await signIn(Self.anna) }
            let theirs = try await cost { try await signIn("stranger@example.org") }
            #expect(mine.look == theirs.look && mine.hashes == 1 && theirs.hashes == 1)
        }
    }

    @Test("A registration with another person's address does not get the attacker's password")
    func foreignAddress()
        async throws
    {
        try await Self.withMail { service, box in
            _ = try await Self.ask(service, Self.anna, "correct horse")
            let annas = try await box.next()
            _ = try await Self.ask(service, Self.anna, "evil horse!")
            let other = try await box.next()
            // Anna opens the wrong one of two mails and enters her own password on its page.
            let visitor = FormVisitor(service)
            let link = "/account/verify?token=\(try #require(other.token))"
            #expect(try await visitor.get(link).html.contains("name=\"password\""))
            let form = ["token": try #require(other.token), "password": "correct horse"]
            let page = try await visitor.submit("/account/verify", form)
            #expect(page.status == 403 && page.html.contains("not the password that was chosen"))
            #expect(try await Self.verify(service, annas.token, #", "password": "correct horse""#).status == 201)
            // The other pending registrations have ended.
            #expect(try await Self.verify(service, other.token).status == 400)
            #expect(try await Self.signIn(service, "evil horse!") == 401)
        }
    }

    @Test("The pages complete a registration; opening a link changes nothing and sends no Referer")
    func pages() async throws {
        try await Self.withMail { service, box in
            let visitor = FormVisitor(service, language: "it")
            let fields = ["email": Self.anna, "password": "correct horse"]
            let sent = try await visitor.submit("/account/register", fields)
            #expect(sent.status == 303 && sent.location == "/account?done=account.mailed")
            let mail = try await box.next()
            #expect(mail.subject.hasPrefix("Conferma la tua e-mail per ") && mail.text.contains("premi il pulsante"))
            let token = try #require(mail.token)
            for _ in 0..<2 {
                let page = try await visitor.get("/account/verify?token=\(token)")
                #expect(page.status == 200 && page.html.contains("Sì, crea il profilo"))
                #expect(page.headers["referrer-policy"] == "no-referrer" && page.headers["cache-control"] == "no-store")
            }
            #expect(
                try await visitor.submit("/account/verify", fields.merging(["token": token]) { $1 }).location
                    == "/my?done=account.welcome"
            )
            #expect(try await visitor.get("/account").html.contains(Self.anna))
            #expect(try await visitor.get("/account/verify?token=\(token)").status == 404)
            // The same visitor resets the password.
            let other = FormVisitor(service)
            #expect(try await other.get("/account").html.contains("href=\"/account/reset\""))
            #expect(try await other.get("/account/reset").html.contains("name=\"email\""))
            #expect(try await other.submit("/account/reset", ["email": "x"]).status == 400)
            #expect(
                try await other.submit("/account/reset", ["email": Self.anna]).location
                    == "/account?done=account.mailed"
            )
            let reset = try #require(try await box.next().token)
            #expect(
                try await other.get("/account/new-password?token=\(reset)").headers["referrer-policy"] == "no-referrer"
            )
            let common = try await other.submit("/account/new-password", ["token": reset, "password": "password"])
            #expect(common.status == 400 && common.html.contains("a common one") && common.html.contains(reset))
            let set = try await other.submit("/account/new-password", ["token": reset, "password": "battery staple"])
            #expect(set.location == "/account?done=account.passwordReset")
            #expect(!(try await visitor.get("/account").html.contains(Self.anna)))
        }
    }

    @Test("A reset sets the password, ends all sessions and the delay, and works once")
    func reset() async throws {
        try await Self.withMail { service, box in
            let token = try await Self.registered(service, box)
            func requestPasswordReset() async throws -> String? {
                let body = #"{"email": "ANNA@example.org"}"#
                #expect(try await service.send("POST", "/v1/password-resets", body).status == 202)
                return try await box.next().token
            }
            func reset(_ token: String?, _ password: String) async throws -> RunningService.Answer {
                let body = #"{"token": "\#(token ?? "")", "password": "\#(password)"}"#
                return try await service.send("PUT", "/v1/password-resets", body)
            }
            for _ in 0..<5 { _ = try await Self.signIn(service, "wrong horse") }
            #expect(try await Self.signIn(service, "wrong horse") == 429)
            let first = try await requestPasswordReset()
            let last = try await requestPasswordReset()
            #expect(try await reset(first, "battery staple").text("field") == "token")
            #expect(try await reset(last, "sunshine").text("field") == "password")
            #expect(try await reset(last, "anna@example.org").text("field") == "password")
            #expect(try await reset(last, "battery staple").status == 204)
            #expect(try await box.next().subject == "Your password was changed")
            #expect(try await reset(last, "battery staple two").text("field") == "token")
            #expect(try await service.send("GET", "/v1/me", token: token).status == 401)
            #expect(try await Self.signIn(service, "battery staple") == 201)
            #expect(try await Self.signIn(service, "correct horse") == 401)
        }
    }

    @Test("A reset neither removes the second factor nor forgives wrong codes, and mails tell of the factor")
    func resetWithSecondFactor() async throws {
        let clock = ManualClock()
        try await Self.withMail(clock: clock) { service, box in
            let token = try await Self.registered(service, box)
            let (app, codes) = try await service.addSecondFactor(token, at: clock.now)
            #expect(try await box.next().subject == "Two-step verification is on")
            func signIn(_ password: String, _ code: String) async throws -> Int {
                let body = #"{"email": "\#(Self.anna)", "password": "\#(password)", "code": "\#(code)"}"#
                return try await service.send("POST", "/v1/sessions", body).status
            }
            for _ in 0..<4 { #expect(try await signIn("correct horse", app.wrongCode(at: clock.now)) == 401) }
            let ask = #"{"email": "\#(Self.anna)"}"#
            #expect(try await service.send("POST", "/v1/password-resets", ask).status == 202)
            let reset = try await box.next().token ?? ""
            let body = #"{"token": "\#(reset)", "password": "battery staple"}"#
            #expect(try await service.send("PUT", "/v1/password-resets", body).status == 204)
            #expect(try await signIn("battery staple", codes[0]) == 429)
            let account = try #require(try await service.board.accounts.findAccount(email: Self.anna))
            #expect(account.hasSecondFactor)
        }
    }

    @Test("Tokens are stored as digests for a limited time and then deleted")
    func storedTokens() async throws {
        let clock = ManualClock()
        try await Self.withMail(clock: clock) { service, box in
            _ = try await Self.registered(service, box, "b@example.org")
            _ = try await Self.ask(service, Self.anna)
            let pending = try await box.next().token
            _ = try await service.send("POST", "/v1/password-resets", #"{"email": "b@example.org"}"#)
            let reset = try await box.next().token
            let database = service.board.database
            let kept = try await database.read { db in
                try db.values(
                    "SELECT token_hash FROM pending_registration UNION ALL SELECT token_hash FROM password_reset"
                ) as [Data]
            }
            #expect(Set(kept) == Set([pending, reset].compactMap(\.self).map { Token($0).digest }))
            clock.advance(hours: 1.01)
            let body = #"{"token": "\#(reset ?? "")", "password": "battery staple"}"#
            #expect(try await service.send("PUT", "/v1/password-resets", body).text("field") == "token")
            clock.advance(hours: 11)
            #expect(try await Self.verify(service, pending).text("field") == "token")
            let verifications = VerificationStore(database)
            for table in VerificationStore.tables { #expect(try await !verifications.prune(table, now: clock.now)) }
            let left = try await database.read { db in
                try db.value(
                    "SELECT (SELECT count(*) FROM pending_registration) + (SELECT count(*) FROM password_reset)"
                ) as Int?
            }
            #expect(left == 0)
        }
    }

    @Test("An address receives at most five mails per hour, whoever requests them")
    func mailLimit() async throws {
        try await Self.withMail { service, box in
            for number in 0..<9 {
                let email = number % 2 == 0 ? Self.anna : "Anna@Example.org"
                #expect(try await Self.ask(service, email).status == 202)
            }
            // Mails are written after the answers, so two of them may change places.
            for _ in 0..<5 { #expect(try await box.next().to.lowercased() == Self.anna) }
            _ = try await Self.ask(service, "last@example.org")
            #expect(try await box.next().to == "last@example.org")
        }
    }

    @Test(
        "Registrations with a user's address do not prevent them from resetting the password",
        .timeLimit(.minutes(10))
    )
    func resetDespiteRegistrations() async throws {
        try await Self.withMail { service, box in
            _ = try await Self.registered(service, box)
            for _ in 0..<6 { _ = try await Self.ask(service, Self.anna, "evil horse!") }
            // One of the five registrations was Anna's own.
            for _ in 0..<4 { #expect(try await box.next().subject == "You already have an account") }
            _ = try await service.send("POST", "/v1/password-resets", #"{"email": "anna@example.org"}"#)
            let mail = try await box.next()
            #expect(mail.to == Self.anna && mail.token != nil)
        }
    }

    @Test("A change of address that was confirmed with an outdated password is rejected")
    func outdatedPassword() async throws {
        let board = try await TestDatabase()
        let user = try await board.user(Self.anna)
        let token = Token().digest
        _ = try await board.accounts.signIn(user, tokenHash: token, bringing: nil)
        let proof = AccountStore.Proof(passwordHash: "$argon2id$test", session: token)
        let verifications = VerificationStore(board.database)
        func keep() async throws -> Bool? {
            let end = Timestamp.now.adding(seconds: 60)
            return try await verifications.keepChange(
                of: user,
                to: "new@example.org",
                proof: proof,
                tokenHash: Token().digest,
                until: end
            )
        }
        #expect(try await keep() == true)
        try await board.accounts.setPassword(user, hash: "$argon2id$new", keeping: token)
        #expect(try await keep() == nil)
    }

    @Test("A new address is used when its owner confirms it, and the old one is notified")
    func changeOfAddress() async throws {
        try await Self.withMail { service, box in
            let token = try await Self.registered(service, box)
            _ = try await Self.registered(service, box, "taken@example.org")
            func move(
                _ email: String,
                _ more: String = #", "current_password": "correct horse""#
            ) async throws -> RunningService.Answer {
                try await service.send("PATCH", "/v1/me", #"{"email": "\#(email)"\#(more)}"#, token: token)
            }
            #expect(try await move("new@example.org", "").text("field") == "current_password")
            #expect(try await move("new@example.org", #", "current_password": "wrong horse""#).status == 403)
            #expect(try await move("nonsense").text("field") == "email")
            // Sending the current address needs no password.
            #expect(try await move(Self.anna, "").status == 200)
            let taken = try await move("taken@example.org")
            #expect(try await box.next().subject == "You already have an account")
            let free = try await move("new@example.org")
            #expect(Self.look(free) == Self.look(taken) && free.status == 200 && free.text("email") == Self.anna)
            let mail = try await box.next()
            #expect(mail.to == "new@example.org")
            #expect(try await Self.verify(service, mail.token).status == 204)
            let told = try await box.next()
            #expect(told.to == Self.anna && told.subject == "Your account has a new address")
            #expect(try await service.send("GET", "/v1/me", token: token).text("email") == "new@example.org")
            #expect(try await Self.signIn(service, "correct horse", "new@example.org") == 201)
            #expect(try await Self.signIn(service, "correct horse") == 401)
            let guest = try await service.guest()
            let body = #"{"email": "g@example.org", "current_password": "x"}"#
            #expect(try await service.send("PATCH", "/v1/me", body, token: guest).status == 409)
        }
    }

    @Test("Without mail, an address changes at once, and passwords cannot be reset")
    func withoutMail() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register(Self.anna)
            _ = try await service.register("taken@example.org")
            func move(_ email: String) async throws -> RunningService.Answer {
                let body = #"{"email": "\#(email)", "current_password": "correct horse"}"#
                return try await service.send("PATCH", "/v1/me", body, token: token)
            }
            #expect(try await move("taken@example.org").status == 409)
            let moved = try await move("new@example.org")
            #expect(moved.text("email") == "new@example.org" && !Self.isConfirmed(moved))
            #expect(try await Self.signIn(service, "correct horse", "new@example.org") == 201)
            let requests = [
                ("POST", "/v1/password-resets", #"{"email": "new@example.org"}"#),
                ("PUT", "/v1/password-resets", #"{"token": "x", "password": "battery staple"}"#),
                ("POST", "/v1/verifications", #"{"token": "x"}"#),
            ]
            for (method, path, body) in requests {
                #expect(try await service.send(method, path, body).status == 404, "\(method) \(path)")
            }
            let visitor = FormVisitor(service)
            #expect(try await visitor.get("/account/reset").status == 404)
            #expect(try await visitor.submit("/account/reset", ["email": "new@example.org"]).status == 404)
            #expect(!(try await visitor.get("/account").html.contains("/account/reset")))
        }
    }

    @Test("An account that was registered without mail gets no notifications until its address is confirmed")
    func unconfirmed() async throws {
        let (board, box, clock) = (try await TestDatabase(), Mailbox(), ManualClock())
        try await RunningService.with(board: board, hasModel: false, now: clock.reading) { service in
            let token = try await service.register(Self.anna)
            #expect(!Self.isConfirmed(try await service.send("GET", "/v1/me", token: token)))
        }
        let mailer = { try box.mailer($0, now: clock.reading) }
        try await RunningService.with(board: board, hasModel: false, mailer: mailer, now: clock.reading) { service in
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": Self.anna, "password": "correct horse"])
            let session = try await service.send("POST", "/v1/sessions", Self.credentials)
            let token = try #require(session.text("token"))
            let search = #"{"search": {"lon": 14.79, "lat": 40.77, "radius": 1000}}"#
            #expect(try await service.send("POST", "/v1/me/alerts", search, token: token).status == 201)
            let dog = #"{"status": "lost", "species": "dog", "name": "NAME", "lon": 14.79, "lat": 40.77}"#
            let finder = try await service.guest()
            _ = try await service.post(dog.replacing("NAME", with: "Argo"), finder)
            try await Self.waitUntilTold(1, board.database)
            #expect(try await visitor.get("/account").html.contains("Your address is not confirmed"))
            // Programs that send the account back do not ask for a mail.
            let same = try await service.send("PATCH", "/v1/me", #"{"email": "\#(Self.anna)"}"#, token: token)
            #expect(same.status == 200)
            let form = ["email": Self.anna, "current_password": "correct horse"]
            #expect(try await visitor.submit("/account/email", form).location == "/account?done=account.mailed")
            let mail = try await box.next()
            #expect(mail.to == Self.anna && mail.token != nil)
            #expect(try await Self.verify(service, mail.token).status == 204)
            #expect(Self.isConfirmed(try await service.send("GET", "/v1/me", token: token)))
            #expect(!(try await visitor.get("/account").html.contains("Your address is not confirmed")))
            _ = try await service.post(dog.replacing("NAME", with: "Birba"), finder)
            // No mail tells of a change of address before.
            #expect(try await box.next().subject.contains("Birba"))
        }
    }

    private static func isConfirmed(_ answer: RunningService.Answer) -> Bool {
        guard case .object(let fields) = answer.json else { return false }
        return answer.status == 200 && fields["email_confirmed"] == .bool(true)
    }

    private static let credentials = #"{"email": "\#(anna)", "password": "correct horse"}"#

    /// Waits until alerts have found so many listings and nothing is to be told any more.
    private static func waitUntilTold(_ count: Int, _ database: any Database) async throws {
        let query = "SELECT (SELECT count(*) FROM alert_listing) = ? AND NOT EXISTS (SELECT 1 FROM notification)"
        try await until("\(count) listings that alerts find") {
            try await database.read { try $0.value(query, [count]) as Bool? } == true
        }
    }

    @Test("A new password that was set with a mail confirms the address; one that is set without mail does not")
    func confirmedByReset() async throws {
        let (board, box) = (try await TestDatabase(), Mailbox())
        try await RunningService.with(board: board, hasModel: false) { service in
            let token = try await service.register(Self.anna)
            let body = #"{"password": "battery staple", "current_password": "correct horse"}"#
            #expect(!Self.isConfirmed(try await service.send("PATCH", "/v1/me", body, token: token)))
        }
        let mailer = { try box.mailer($0) }
        try await RunningService.with(board: board, hasModel: false, mailer: mailer) { service in
            _ = try await service.send("POST", "/v1/password-resets", #"{"email": "\#(Self.anna)"}"#)
            let body = #"{"token": "\#(try await box.next().token ?? "")", "password": "correct horse"}"#
            #expect(try await service.send("PUT", "/v1/password-resets", body).status == 204)
            let session = try await service.send("POST", "/v1/sessions", Self.credentials)
            let token = try #require(session.text("token"))
            #expect(Self.isConfirmed(try await service.send("GET", "/v1/me", token: token)))
        }
    }

    @Test("The address can be changed on the account page")
    func addressPage() async throws {
        try await Self.withMail { service, box in
            _ = try await Self.registered(service, box)
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": Self.anna, "password": "correct horse"])
            let form = ["email": "new@example.org", "current_password": "correct horse"]
            #expect(try await visitor.submit("/account/email", form).location == "/account?done=account.mailed")
            let token = try #require(try await box.next().token)
            let page = try await visitor.get("/account/verify?token=\(token)")
            #expect(page.html.contains("Use this address") && !page.html.contains("name=\"password\""))
            #expect(
                try await visitor.submit("/account/verify", ["token": token]).location
                    == "/account?done=account.addressChanged"
            )
            #expect(try await visitor.get("/account").html.contains("new@example.org"))
        }
    }

    @Test("A disabled account receives no mail, and its earlier tokens are not valid")
    func disabledAccount() async throws {
        try await Self.withMail { service, box in
            _ = try await Self.registered(service, box)
            func ask() async throws {
                _ = try await service.send("POST", "/v1/password-resets", #"{"email": "anna@example.org"}"#)
            }
            try await ask()
            let token = try #require(try await box.next().token)
            let account = try #require(try await service.board.accounts.findAccount(email: Self.anna))
            try await ModerationStore(service.board.database).ban(
                account.id,
                until: nil,
                ModerationStore.Justification(by: .commandLine)
            )
            let body = #"{"token": "\#(token)", "password": "battery staple"}"#
            #expect(try await service.send("PUT", "/v1/password-resets", body).status == 400)
            try await ask()
            _ = try await Self.ask(service, "last@example.org")
            #expect(try await box.next().to == "last@example.org")
        }
    }

    @Test("The metrics count mails")
    func metrics() async throws {
        let box = Mailbox()
        let metrics = MetricsSettings(token: Token("figures-0123456789"))
        try await RunningService.with(hasModel: false, metrics: metrics, mailer: box.mailer) { service in
            _ = try await Self.registered(service, box)
            let text = String(
                decoding: try await service.send("GET", "/metrics", token: "figures-0123456789").body,
                as: UTF8.self
            )
            #expect(text.contains("doggofinder_mails_total{result=\"failed\"} 0"))
            #expect(
                text.contains("doggofinder_mails_waiting 0") && text.contains("doggofinder_password_hashes_total 1")
            )
        }
    }
}
