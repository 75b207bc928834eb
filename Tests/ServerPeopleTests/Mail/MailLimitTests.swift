import Domain
import Mail
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Limits of mails")
struct MailLimitTests {
    private static func message() throws -> MailMessage {
        MailMessage(
            to: try #require(MailAddress("anna@example.org")),
            subject: "Argo",
            text: "Text",
            language: .english
        )
    }

    @Test("A recipient gets no more mails than the quota, and others get theirs")
    func quota() async throws {
        let board = try await TestDatabase()
        let limit = MailLimit("mail", quota: 2, board.database.limitCounters { 1000 })
        let message = try Self.message()
        for isSent in [true, true, false, false] {
            let mail = try await limit.apply(to: "anna") { message }()
            #expect((mail != nil) == isSent)
        }
        #expect(try await limit.apply(to: "bruno") { message }() != nil)
    }

    @Test("A draft that is repeated after an error counts once")
    func repetition() async throws {
        struct Failure: Error {}
        let board = try await TestDatabase()
        let limit = MailLimit("mail", quota: 1, board.database.limitCounters { 1000 })
        let message = try Self.message()
        await confirmation(expectedCount: 3) { call in
            let draft = limit.apply(to: "anna") {
                call()
                throw Failure()
            }
            for _ in 0..<3 { await #expect(throws: Failure.self) { try await draft() } }
        }
        #expect(try await limit.apply(to: "anna") { message }() == nil)
    }
}
