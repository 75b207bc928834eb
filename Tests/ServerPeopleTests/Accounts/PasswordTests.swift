import Concurrency
import Credentials
import Domain
import Foundation
import RandomSupport
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Passwords")
struct PasswordTests {
    /// A hash of "correct horse" with fewer passes and less memory than the current parameters.
    private static let outdated =
        "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$rAjuexKlLdAHLvqk7TeeiWZjW4OPoRGwldJXdHbTuKI"

    @Test(
        "Common passwords and passwords from the user's own data are rejected with a reason",
        arguments: [
            ("password", "harder to guess"), ("PassWord", "harder to guess"), ("sunshine", "harder to guess"),
            ("anna.rossi@example.org", "is the e-mail"), ("Anna.Rossi", "is the e-mail"),
            ("DoggoFinder", "name of the service"), ("doggofinder-2026!", "name of the service"),
            ("short12", "expected 8 to 128 characters"),
            (String(repeating: "a", count: 129), "expected 8 to 128 characters"),
        ]
    )
    func refused(password: String, detail: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let body = #"{"email": "anna.rossi@example.org", "password": "\#(password)"}"#
            let answer = try await service.send("POST", "/v1/accounts", body)
            #expect(answer.status == 400 && answer.text("field") == "password")
            #expect(answer.text("detail")?.contains(detail) == true)
            let token = try await service.register("anna.rossi@example.org")
            let change = #"{"current_password": "correct horse", "password": "\#(password)"}"#
            #expect(try await service.send("PATCH", "/v1/me", change, token: token).text("field") == "password")
        }
    }

    @Test("Generated passwords never begin with a hyphen, which programs take for an option")
    func generated() {
        var random = SeededGenerator(seed: 1)
        let passwords = (0..<1000).map { _ in Token.password(using: &random) }
        // One of 64 tokens begins with a hyphen.
        #expect(!passwords.contains { $0.hasPrefix("-") } && Set(passwords).count == 1000)
        #expect(passwords.allSatisfy { $0.count == 43 })
    }

    @Test("The registration page shows why a password was rejected")
    func page() async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await FormVisitor(service, language: "it").submit(
                "/account/register",
                ["email": "anna@example.org", "password": "password", "first_name": "Anna"]
            )
            #expect(answer.status == 400)
            #expect(answer.html.contains("tra le più usate") && answer.html.contains("value=\"Anna\""))
            #expect(!answer.html.contains("value=\"password\""))
        }
    }

    @Test("Other passwords are accepted in any script", arguments: ["aaaaaaaaaaaaa b", "パスワードは秘密です", "🐕🐕🐕🐕🐕🐕🐕🐕"])
    func taken(password: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let body = #"{"email": "anna@example.org", "password": "\#(password)"}"#
            let answers = [
                try await service.send("POST", "/v1/accounts", body),
                try await service.send("POST", "/v1/sessions", body),
            ]
            #expect(answers.map(\.status) == [201, 201])
        }
    }

    @Test("The list contains at least the 3,000 commonest passwords")
    func list() {
        #expect(["password", "12345678", "iloveyou", "trustno1", "federica"].allSatisfy(CommonPasswords.contains))
        #expect(!CommonPasswords.contains("") && !CommonPasswords.contains("correct horse"))
    }

    @Test("A hash with outdated parameters is replaced at the next login")
    func rehash() async throws {
        try await RunningService.with(hasModel: false, passwords: PasswordHasher()) { service in
            let registration = AccountStore.Registration(
                email: "anna@example.org",
                passwordHash: Self.outdated,
                profile: Profile()
            )
            _ = try await service.board.accounts.register(registration, upgrading: nil, tokenHash: nil)
            func hash() async throws -> String? {
                try await service.board.accounts.findCredentials(email: "anna@example.org")?.passwordHash
            }
            func signIn(_ password: String) async throws -> Int {
                let body = #"{"email": "anna@example.org", "password": "\#(password)"}"#
                return try await service.send("POST", "/v1/sessions", body).status
            }
            #expect(try await signIn("wrong horse") == 401)
            #expect(try await hash() == Self.outdated)
            #expect(try await signIn("correct horse") == 201)
            let renewed = try await hash()
            #expect(renewed?.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$") == true)
            #expect(try await signIn("correct horse") == 201)
            #expect(try await hash() == renewed)
        }
    }

    /// The input of a keyboard that produces decomposed accents.
    private static let apart = "perche\u{301} citta\u{300}"
    private static let composed = "perch\u{e9} citt\u{e0}"

    @Test("A password matches in composed and decomposed form")
    func accents() async throws {
        let passwords = PasswordHasher()
        let accents = (Self.apart, Self.composed)
        for (chosen, typed) in [accents, (accents.1, accents.0)] {
            let hash = try await passwords.hash(chosen)
            #expect(try await passwords.match(typed, hash: hash) == .composed)
            #expect(try await passwords.match(chosen, hash: hash) == .composed)
        }
        // The length is counted in the composed form, which is compared.
        #expect(throws: ServiceError.self) {
            try Field("password", .string(String(repeating: "e\u{301}", count: 7))).password(for: nil)
        }
    }

    /// The hash of `apart` in its decomposed form, with the current parameters.
    private static let ofApart =
        "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$2IW+MaLA4i3NVL3sIh1F77AqX9ToxFzc9O8AK6KWTJc"

    @Test("A hash of a decomposed password is accepted and replaced by one of the composed form")
    func typed() async throws {
        try await RunningService.with(hasModel: false, passwords: PasswordHasher()) { service in
            let accounts = service.board.accounts
            let registration = AccountStore.Registration(
                email: "anna@example.org",
                passwordHash: Self.ofApart,
                profile: Profile()
            )
            _ = try await accounts.register(registration, upgrading: nil, tokenHash: nil)
            func signIn(_ password: String) async throws -> Int {
                let body = #"{"email": "anna@example.org", "password": "\#(password)"}"#
                return try await service.send("POST", "/v1/sessions", body).status
            }
            #expect(try await signIn(Self.composed) == 401)
            #expect(try await signIn(Self.apart) == 201)
            #expect(try await accounts.findCredentials(email: "anna@example.org")?.passwordHash != Self.ofApart)
            #expect(try await signIn(Self.composed) == 201)
            #expect(try await signIn(Self.apart) == 201)
        }
    }

    @Test("A password over the maximum length never matches, even if its prefix does, and costs the same")
    func long() async throws {
        let passwords = PasswordHasher()
        let longest = String(repeating: "horse ab", count: 16)
        let hash = try await passwords.hash(longest)
        #expect(try await passwords.verify(longest, hash: hash))
        let before = passwords.load.done
        #expect(try await !passwords.verify(longest + "x", hash: hash))
        #expect(try await !passwords.verify(longest + "x", hash: nil))
        #expect(passwords.load.done == before + 2)
    }

    @Test("A damaged hash is an error, not a wrong password")
    func damagedHash() async throws {
        let passwords = PasswordHasher(cost: .least)
        for hash in ["", "$argon2id$", "$argon2id$v=19$m=8,t=1,p=1$c2FsdA"] {
            await #expect(throws: ServiceError.self) { try await passwords.verify("correct horse", hash: hash) }
        }
    }

    @Test("Concurrent sign-ins succeed while the password hash is being upgraded")
    func rehashAtOnce() async throws {
        try await RunningService.with(hasModel: false, passwords: PasswordHasher()) { service in
            let registration = AccountStore.Registration(
                email: "anna@example.org",
                passwordHash: Self.outdated,
                profile: Profile()
            )
            _ = try await service.board.accounts.register(registration, upgrading: nil, tokenHash: nil)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        let body = #"{"email": "anna@example.org", "password": "correct horse"}"#
                        return try await service.send("POST", "/v1/sessions", body).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == [201, 201, 201])
        }
    }

    @Test("An address that sends many passwords waits for one that sends few")
    func fairness() async throws {
        let passwords = PasswordHasher()
        func check(_ client: String) async throws {
            let meter = RequestMeter(client: ClientPrefixes([client]))
            try await RequestMeter.$current.withValue(meter) {
                _ = try await passwords.verify("correct horse", hash: nil)
            }
        }
        let flood = (0..<60).map { _ in Task { try await check("flood") } }
        while passwords.load.waiting + passwords.load.done < 60 { await Task.yield() }
        let before = passwords.load.done
        try await check("anna")
        // Each thread may end the hash that it computes and take one more before the next turn.
        #expect(passwords.load.done - before <= 4 * ProcessInfo.processInfo.activeProcessorCount)
        for task in flood { try await task.value }
    }

    @Test("Password checks beyond the capacity of the queue are refused with a time to retry")
    func crowd() async throws {
        let passwords = PasswordHasher(maxQueueLength: 8)
        let outcomes = await withTaskGroup(of: ServiceError.Code?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    do {
                        _ = try await passwords.verify("correct horse", hash: nil)
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .invalid
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let served = outcomes.count { $0 == nil }
        #expect(served >= 8 && outcomes.count { $0 == .unavailable } == 100 - served)
        #expect(passwords.load.done == served)
    }
}
