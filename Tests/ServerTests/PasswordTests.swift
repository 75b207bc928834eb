import Credentials
import Domain
import Foundation
import GRDB
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Passwords")
struct PasswordTests {
    /// "correct horse" with fewer passes and less memory than today.
    private static let outdated =
        "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$rAjuexKlLdAHLvqk7TeeiWZjW4OPoRGwldJXdHbTuKI"

    @Test(
        "What is guessed first is refused, and told so",
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

    @Test("A page says what is wrong with a password, and asks again")
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

    @Test("Anything else will do, in any script", arguments: ["aaaaaaaaaaaaa b", "パスワードは秘密です", "🐕🐕🐕🐕🐕🐕🐕🐕"])
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

    @Test("The list has the commonest 3000 at least")
    func list() {
        #expect(["password", "12345678", "iloveyou", "trustno1", "federica"].allSatisfy(CommonPasswords.contains))
        #expect(!CommonPasswords.contains("") && !CommonPasswords.contains("correct horse"))
    }

    @Test("A hash with the parameters of another day is made anew when its owner signs in")
    func rehash() async throws {
        try await RunningService.with(hasModel: false) { service in
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

    @Test("Of a crowd as many are served as there is room for; the others are told to come back")
    func crowd() async throws {
        let passwords = try PasswordHasher(longestQueue: 8)
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
