import Domain
import Foundation
import Logging
import ServiceLifecycle
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Mail

/// The mails in the database, with a real SMTP server unless a test needs a transport that never answers.
@Suite("Mail queue")
struct MailQueueTests {
    private static func message(_ number: Int, _ domain: String = "example.org") throws -> MailMessage {
        let to = try #require(MailAddress("anna\(number)@\(domain)"))
        return MailMessage(to: to, subject: "Mail \(number)", text: "Text", language: .english)
    }

    private static func transport(_ server: ScriptedSMTPServer, wholeTime: Int = 60_000) throws -> SMTPTransport {
        let address = "smtp://127.0.0.1:\(server.port)"
        let settings = try SMTPServer(parsing: address, user: nil, password: nil, authorities: nil)
        return SMTPTransport(settings, wholeTime: wholeTime)
    }

    private static func mailer(
        _ transport: any MailTransport,
        _ database: any Database,
        pauses: [Duration] = [.milliseconds(1)]
    ) throws -> Mailer {
        var settings = MailSettings()
        settings.pauses = pauses
        return Mailer(
            transport,
            store: OutgoingMailStore(database),
            from: try MailTests.sender(),
            settings: settings,
            logger: MailTests.silent
        )
    }

    private static func recipients(_ server: ScriptedSMTPServer) -> [String] {
        server.received.filter { !$0.data.isEmpty }.compactMap { mail in
            mail.commands.compactMap { $0.firstMatch(of: /RCPT TO:<(.*)>/)?.1 }.last.map(String.init)
        }
    }

    @Test("A mail that was stored before a restart is sent after it, once, with its own Message-ID")
    func restart() async throws {
        let server = try ScriptedSMTPServer()
        defer { server.stop() }
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        try await OutgoingMailStore(board.database).append(try Self.message(1))
        let id = try #require(
            try OutgoingMailStore(board.database).next(due: .now, except: [], domains: [], limit: 1).first?.get().id)
        try board.database.close()
        let database = try board.openAgain(leads: true)
        let figures = try await Self.mailer(try Self.transport(server), database).finish()
        #expect(figures.sent == 1 && server.received.count == 1)
        #expect(server.received[0].data.contains("Message-ID: <\(id.uuidString.lowercased())@example.org>\r\n"))
    }

    @Test("A draft that finds the database busy is repeated, and does not count as refused")
    func busyDatabase() async throws {
        let server = try ScriptedSMTPServer()
        defer { server.stop() }
        let board = try await TestDatabase(leads: true)
        let mailer = try Self.mailer(try Self.transport(server), board.database)
        let message = try Self.message(1)
        let calls = Mutex(0)
        let figures = try await mailer.finish {
            mailer.post {
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                guard call > 1 else { throw ServiceError(.unavailable, "the database is busy", retryAfter: 5) }
                return message
            }
        }
        #expect(figures.sent == 1 && figures.refused == 0 && figures.failed == 0)
    }

    @Test("A graceful shutdown stores drafts and finishes only the mails that are being sent")
    func gracefulShutdown() async throws {
        let server = try ScriptedSMTPServer(heldDomain: "slow.example")
        defer { server.stop() }
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database)
        for number in 0..<5 { try await store.append(try Self.message(number, "slow.example")) }
        let mailer = try Self.mailer(try Self.transport(server), board.database)
        let services = ServiceGroup(services: [mailer], logger: MailTests.silent)
        let late = try Self.message(9, "slow.example")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await until("two deliveries") { server.visits == 2 }
            mailer.post {
                try? await Task.sleep(for: .milliseconds(100))
                return late
            }
            await services.triggerGracefulShutdown()
            try await until("the beginning of the shutdown") { mailer.isStopping }
            server.release()
            try await group.next()
        }
        #expect(try mailer.figures.sent == 2 && store.count() == 4)
        #expect(Set(Self.recipients(server)) == ["anna0@slow.example", "anna1@slow.example"])
    }

    @Test("After stops at any moment every mail arrives, and at most the mails in flight arrive twice")
    func interruption() async throws {
        let server = try ScriptedSMTPServer()
        defer { server.stop() }
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database)
        for number in 0..<100 { try await store.append(try Self.message(number, "d\(number % 10).example")) }
        let stops = 3
        for stop in 1...stops {
            let mailer = try Self.mailer(try Self.transport(server), board.database)
            let run = Task { try await mailer.run() }
            try await until("\(10 * stop) mails") { try mailer.figures.sent >= 10 * stop }
            run.cancel()
            try await run.value
        }
        _ = try await Self.mailer(try Self.transport(server), board.database).finish()
        let arrived = Self.recipients(server)
        #expect(Set(arrived).count == 100 && arrived.count <= 100 + stops * MailSettings().connections)
        // Mails that follow each other share connections.
        #expect(server.visits < 60)
    }

    @Test("Mails to a domain that accepts slowly do not delay the others")
    func slowDomain() async throws {
        let server = try ScriptedSMTPServer(heldDomain: "slow.example")
        defer { server.stop() }
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database)
        for number in 0..<10 { try await store.append(try Self.message(number, "slow.example")) }
        for number in 0..<10 { try await store.append(try Self.message(number)) }
        let mailer = try Self.mailer(try Self.transport(server), board.database)
        async let figures = mailer.finish()
        try await until("the others") { Self.recipients(server).count == 10 }
        #expect(Self.recipients(server).allSatisfy { $0.hasSuffix("@example.org") })
        server.release()
        #expect(try await figures.sent == 20)
    }

    @Test("A delivery that takes too long is tried again, and is given up after the last attempt")
    func timeLimit() async throws {
        let server = try ScriptedSMTPServer(heldDomain: "slow.example")
        defer { server.stop() }
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        try await OutgoingMailStore(board.database).append(try Self.message(1, "slow.example"))
        let figures = try await Self.mailer(try Self.transport(server, wholeTime: 500), board.database).finish()
        #expect(figures.sent == 0 && figures.failed == 1 && server.visits == 2)
    }

    @Test("While the server refuses everything, mails wait without using up their attempts")
    func serverFailure() async throws {
        let refusals = Array(repeating: "554 not now", count: 8)
        let server = try ScriptedSMTPServer(["EHLO": refusals, "HELO": refusals])
        defer { server.stop() }
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        for number in 0..<3 { try await OutgoingMailStore(board.database).append(try Self.message(number)) }
        let figures = try await Self.mailer(try Self.transport(server), board.database).finish()
        #expect(figures.sent == 3 && figures.failed == 0)
    }

    @Test("Mails that are too old are deleted and not sent")
    func expiry() async throws {
        let server = try ScriptedSMTPServer()
        defer { server.stop() }
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        var old = try Self.message(1)
        old.expiresAt = Timestamp.now.adding(seconds: -1)
        let mailer = try Self.mailer(try Self.transport(server), board.database)
        try await OutgoingMailStore(board.database).append(old)
        let figures = try await mailer.finish()
        #expect(figures.sent == 0 && figures.failed == 1 && server.visits == 0)
    }

    @Test("10,000 waiting mails to a domain that does not answer delay neither other mails nor the shutdown")
    func manyMails() async throws {
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let slow = try Self.message(1, "slow.example")
        // A busy database server takes longer for all of them than a transaction may take.
        for start in stride(from: 1, to: OutgoingMailStore.maxWaiting, by: 1000) {
            try await board.database.write { db in
                for _ in start..<min(start + 1000, OutgoingMailStore.maxWaiting) {
                    try OutgoingMailStore.append(slow, db)
                }
            }
        }
        let transport = SelectiveTransport(silentDomain: "slow.example")
        let mailer = try Self.mailer(transport, board.database)
        let run = Task { try await mailer.run() }
        #expect(mailer.post(try Self.message(2)))
        try await until("the mail to another domain") { !transport.taken.isEmpty }
        run.cancel()
        try await run.value
        #expect(transport.taken == ["anna2@example.org"])
        #expect(try OutgoingMailStore(board.database).count() >= OutgoingMailStore.maxWaiting - 1)
    }
}

/// Takes the mails at once except those to one domain, which it never answers.
private final class SelectiveTransport: MailTransport {
    private let silentDomain: String
    private let recipients = Mutex<[String]>([])

    init(silentDomain: String) {
        self.silentDomain = silentDomain
    }

    var taken: [String] { recipients.withLock(\.self) }

    func send(_ message: MIMEMessage) async throws {
        if message.recipient.hasSuffix(silentDomain) { try await Task.sleep(for: .seconds(3600)) }
        recipients.withLock { $0.append(message.recipient) }
    }
}
