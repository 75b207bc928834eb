import Credentials
import Domain
import Foundation
import Logging
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Sessions")
struct SessionRoutesTests {
    private static let credentials = #"{"email": "anna@example.org", "password": "correct horse"}"#

    private static func signIn(_ service: RunningService, agent: String = "dogs-app/1.2") async throws -> String {
        let answer = try await service.send("POST", "/v1/sessions", credentials, headers: ["User-Agent": agent])
        guard let token = answer.text("token") else { throw TestFailure("\(answer.status)") }
        return token
    }

    private static func sessions(_ service: RunningService, _ token: String) async throws -> [[String: JSONValue]] {
        let answer = try await service.send("GET", "/v1/me/sessions", token: token)
        guard case .array(let items)? = answer["sessions"] else { throw TestFailure("\(answer.status)") }
        return items.compactMap { if case .object(let fields) = $0 { fields } else { nil } }
    }

    private static func id(_ session: [String: JSONValue]) throws -> String {
        guard case .string(let id)? = session["id"] else { throw TestFailure("no id") }
        return id
    }

    private static func status(_ service: RunningService, _ token: String) async throws -> Int {
        try await service.send("GET", "/v1/me", token: token).status
    }

    @Test("Users see their sessions and can end one of them or all others")
    func listAndEnd() async throws {
        try await RunningService.with(hasModel: false) { service in
            let first = try await service.register("anna@example.org")
            let second = try await Self.signIn(service)
            let third = try await Self.signIn(
                service,
                agent:
                    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"
            )
            let own = try await Self.sessions(service, second)
            #expect(own.count == 3 && own.filter { $0["current"] == true }.count == 1)
            #expect(
                ["dogs-app", "Chrome, Android"].allSatisfy { name in own.contains { $0["client"] == .string(name) } }
            )
            let other = try await service.register("other@example.org")
            let mine = try Self.id(try #require(own.first { $0["current"] == true }))
            // Other users cannot see the session.
            let path = "/v1/me/sessions/\(mine)"
            #expect(try await service.send("DELETE", path, token: other).status == 404)
            #expect(try await service.send("DELETE", path).status == 401)
            #expect(try await service.send("DELETE", "/v1/me/sessions/nonsense", token: first).status == 404)
            #expect(try await service.send("DELETE", path, token: first).status == 204)
            #expect(try await Self.status(service, second) == 401)
            #expect(try await service.send("DELETE", path, token: first).status == 404)
            #expect(try await service.send("DELETE", "/v1/me/sessions", token: third).status == 204)
            #expect(try await Self.status(service, first) == 401)
            #expect(try await Self.status(service, third) == 200)
            #expect(try await Self.status(service, other) == 200)
        }
    }

    @Test("An invalid token is ignored by requests for a new one, and by no other request")
    func invalidToken() async throws {
        try await RunningService.with(hasModel: false) { service in
            for token in ["unknown", "", "a b"] {
                let other = #"{"email": "\#(token.count)@example.org", "password": "correct horse"}"#
                #expect(try await service.send("POST", "/v1/guests", token: token).status == 201)
                #expect(try await service.send("POST", "/v1/accounts", other, token: token).status == 201)
                #expect(try await service.send("POST", "/v1/sessions", other, token: token).status == 201)
                let wrong = other.replacing("horse", with: "mouse")
                #expect(try await service.send("POST", "/v1/sessions", wrong, token: token).status == 401)
                #expect(try await service.send("GET", "/v1/listings", token: token).status == 401)
                #expect(try await service.send("DELETE", "/v1/sessions", token: token).status == 401)
            }
            let own = try await service.register("anna@example.org")
            #expect(try await service.send("DELETE", "/v1/sessions", token: own).status == 204)
            #expect(try await service.send("POST", "/v1/sessions", Self.credentials, token: own).status == 201)
        }
    }

    @Test("The account page lists sessions and ends them")
    func accountPage() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("anna@example.org")
            let visitor = FormVisitor(service, language: "it")
            let form = ["email": "anna@example.org", "password": "correct horse"]
            #expect(try await visitor.submit("/account/sign-in", form).status == 303)
            let page = try await visitor.get("/account")
            #expect(page.html.contains("Firefox, Linux · <strong>questo dispositivo</strong>"))
            let id = try #require(page.html.firstMatch(of: /name="id" value="([0-9a-f-]{36})"/)).1
            for id in ["x", ""] {
                #expect(try await visitor.submit("/account/sessions", ["id": id]).status == 404)
            }
            #expect(try await visitor.submit("/account/sessions", ["id": String(id)]).status == 303)
            #expect(try await Self.status(service, token) == 401)
            let again = try await Self.signIn(service)
            #expect(try await visitor.submit("/account/sessions").status == 303)
            #expect(try await Self.status(service, again) == 401)
            #expect(!(try await visitor.get("/account").html.contains("name=\"id\"")))
        }
    }

    @Test(
        "A session ends after its idle time and after its absolute lifetime",
        arguments: [(Account.Role.guest, 365.0, 1825.0), (.user, 30, 180), (.admin, 1 / 24, 1)]
    )
    func expiry(
        role: Account.Role,
        idleDays: Double,
        wholeDays: Double
    ) async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let token: String
            if role == .guest {
                token = try await service.guest()
            } else {
                token = try await service.register("anna@example.org")
                let account = try #require(try await service.board.accounts.findAccount(email: "anna@example.org"))
                try await service.board.accounts.setRole(account, role, now: clock.now)
            }
            let digest = Token(token).digest
            let sessions = SessionStore(service.board.database)
            var age = 0.0
            // A session that is used before each idle limit lives until its absolute end.
            while age + idleDays * 0.99 < wholeDays {
                clock.advance(days: idleDays * 0.99)
                age += idleDays * 0.99
                #expect(try await Self.status(service, token) == 200)
                try await sessions.touch([digest: clock.now])
            }
            clock.advance(days: wholeDays - age)
            #expect(try await Self.status(service, token) == 401)
            if role == .guest { return }
            // A session that is not used ends earlier.
            let next = try await Self.signIn(service)
            clock.advance(days: idleDays * 1.01)
            #expect(try await Self.status(service, next) == 401)
        }
    }

    @Test("A user who becomes an admin gets the session lifetime of admins")
    func adminLifetime() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let token = try await service.register("anna@example.org")
            let account = try #require(try await service.board.accounts.findAccount(email: "anna@example.org"))
            try await service.board.accounts.setRole(account, .admin, now: clock.now)
            clock.advance(hours: 1.1)
            #expect(try await Self.status(service, token) == 401)
        }
    }

    @Test("A banned user cannot become an admin")
    func bannedAdmin() async throws {
        let board = try await TestDatabase()
        let user = try await board.user("anna@example.org")
        try await board.moderation.ban(user.id, until: nil, .init(by: .service))
        let error = await #expect(throws: ServiceError.self) { try await board.accounts.setRole(user, .admin) }
        #expect(error?.code == .conflict)
        #expect(try await board.accounts.findAccount(id: user.id)?.role == .user)
        try await board.moderation.unban(user.id, by: .service)
        try await board.accounts.setRole(user, .admin)
    }

    @Test("An outdated password neither creates sessions nor changes the account")
    func outdatedPassword() async throws {
        let board = try await TestDatabase()
        let user = try await board.user("anna@example.org")
        let (old, new) = ("$argon2id$test", "$argon2id$new")
        let (session, other) = (Token().digest, Token().digest)
        for token in [session, other] {
            _ = try await board.accounts.signIn(user, showing: old, tokenHash: token, bringing: nil)
        }
        func code(_ body: () async throws -> Void) async -> ServiceError.Code? {
            do {
                try await body()
                return nil
            } catch {
                return (error as? ServiceError)?.code
            }
        }
        let accounts = board.accounts
        let proof = AccountStore.Proof(passwordHash: old, session: session)
        try await accounts.setPassword(user, hash: new, keeping: session, proof: proof)
        #expect(
            await code { try await accounts.setPassword(user, hash: old, keeping: session, proof: proof) } == .conflict
        )
        #expect(await code { try await accounts.setEmail(user, "new@example.org", proof: proof) } == .conflict)
        // The password is the new one, but the session has ended.
        let ended = AccountStore.Proof(passwordHash: new, session: other)
        #expect(
            await code { try await accounts.setPassword(user, hash: old, keeping: other, proof: ended) }
                == .unauthenticated
        )
        let token = Token().digest
        #expect(
            await code { _ = try await accounts.signIn(user, showing: old, tokenHash: token, bringing: nil) }
                == .unauthenticated
        )
        #expect(try await accounts.findAccount(tokenHash: token) == nil)
        #expect(try await accounts.findCredentials(email: "anna@example.org")?.passwordHash == new)
    }

    @Test("A concurrent login with the old password is ended by a change of password")
    func loginDuringChange() async throws {
        try await RunningService.with(hasModel: false) { service in
            let own = try await service.register("anna@example.org")
            let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await service.send("POST", "/v1/sessions", Self.credentials).text("token") }
                }
                let body = #"{"current_password": "correct horse", "password": "battery staple"}"#
                #expect(try await service.send("PATCH", "/v1/me", body, token: own).status == 200)
                return try await group.reduce(into: [String]()) { tokens, token in
                    if let token { tokens.append(token) }
                }
            }
            for token in tokens { #expect(try await Self.status(service, token) == 401) }
            #expect(try await Self.status(service, own) == 200)
        }
    }

    @Test("The last use is stored at most every ten minutes, separately from requests")
    func lastUse() async throws {
        let board = try await TestDatabase()
        let (sessions, uses) = (SessionStore(board.database), SessionUses())
        let begin = Timestamp(stored: "2026-05-01T12:00:00.000Z")
        let token = Token()
        _ = try await board.accounts.createGuest(tokenHash: token.digest, now: begin)
        func use(_ time: String) async throws -> String? {
            let now = Timestamp(stored: time)
            let last = try #require(try sessions.findCaller(tokenHash: token.digest, now: now)).lastUsedAt
            uses.note(token.digest, last: last, now: now)
            #expect(try await uses.write(to: sessions) == false)
            return try sessions.findCaller(tokenHash: token.digest, now: now)?.lastUsedAt.text
        }
        #expect(try await use("2026-05-01T12:09:59.999Z") == begin.text)
        #expect(try await use("2026-05-01T12:10:00.000Z") == "2026-05-01T12:10:00.000Z")
        #expect(try await use("2026-05-01T12:19:00.000Z") == "2026-05-01T12:10:00.000Z")
        #expect(try await use("2026-05-02T12:11:00.000Z") == "2026-05-02T12:11:00.000Z")
    }

    @Test("Expired sessions are deleted in small batches, and others are kept")
    func pruning() async throws {
        let board = try await TestDatabase()
        let sessions = SessionStore(board.database)
        let clock = ManualClock()
        for number in 0..<1_203 {
            _ = try await board.accounts.createGuest(
                tokenHash: Token().digest,
                now: number < 1_200 ? clock.now : clock.now.adding(seconds: 3600)
            )
        }
        clock.advance(days: 365)
        let job = PeriodicJobs.Job("sessions") { try await sessions.prune(now: $0) }
        let periodicJobs = PeriodicJobs(jobs: [job], now: { clock.now }, logger: Logger(label: "test"))
        #expect(try await sessions.prune(now: clock.now))
        await periodicJobs.run(job)
        let left = try await board.database.read { db in try db.value("SELECT count(*) FROM session") as Int? }
        #expect(left == 3)
    }

    @Test("A failing job is repeated and does not prevent other jobs", .timeLimit(.minutes(10)))
    func failingJob() async throws {
        let (done, tell) = AsyncStream.makeStream(of: String.self)
        let periodicJobs = PeriodicJobs(
            jobs: [
                .init("broken", every: .milliseconds(1)) { _ in
                    tell.yield("broken")
                    throw TestFailure("as always")
                },
                .init("sound") { _ in
                    tell.yield("sound")
                    return false
                },
            ],
            now: { .now },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await periodicJobs.run() }
            var seen: [String: Int] = [:]
            for await name in done {
                seen[name, default: 0] += 1
                if seen["broken", default: 0] > 2, seen["sound"] == 1 { break }
            }
            #expect(seen["broken", default: 0] > 2 && seen["sound"] == 1)
            group.cancelAll()
        }
    }

    @Test("An account has at most a hundred sessions, and the least recently used one is ended")
    func maxSessions() async throws {
        let board = try await TestDatabase()
        let user = try await board.user("anna@example.org")
        let begin = Timestamp(stored: "2026-05-01T12:00:00.000Z")
        let tokens = (0..<102).map { _ in Token() }
        for (number, token) in tokens.enumerated() {
            let now = begin.adding(seconds: Double(number))
            _ = try await board.accounts.signIn(user, tokenHash: token.digest, bringing: nil, now: now)
        }
        let sessions = SessionStore(board.database)
        let now = begin.adding(seconds: 200)
        #expect(try await sessions.findSessions(of: user, now: now).count == 100)
        #expect(try sessions.findCaller(tokenHash: tokens[1].digest, now: now) == nil)
        #expect(try sessions.findCaller(tokenHash: tokens[2].digest, now: now) != nil)
    }

    @Test("A browser whose guest session has expired can become a guest again")
    func expiredGuest() async throws {
        let board = try await TestDatabase()
        let clock = ManualClock()
        let token = Token()
        let first = try await board.accounts.createGuest(tokenHash: token.digest, now: clock.now)
        await #expect(throws: (any Error).self) {
            try await board.accounts.createGuest(tokenHash: token.digest, now: clock.now)
        }
        clock.advance(days: 366)
        #expect(try await board.accounts.createGuest(tokenHash: token.digest, now: clock.now) != first)
    }

    @Test(
        "Sessions show a readable name of the client program",
        arguments: [
            ("curl/8.5.0", "curl"),
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Safari/604.1", "Safari, iPhone"),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge, Windows"),
            ("<script>alert(1)</script>", nil), ("", nil),
            (String(repeating: "x", count: 5000), String(repeating: "x", count: 40)),
        ]
    )
    func clientName(agent: String, name: String?) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("POST", "/v1/guests", headers: ["User-Agent": agent])
            let own = try await Self.sessions(service, try #require(answer.text("token")))
            #expect(own.first?["client"] == name.map(JSONValue.string) ?? .null)
        }
    }
}
