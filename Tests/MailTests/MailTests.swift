import Domain
import Foundation
import Logging
import Storage
import TestSupport
import Testing

@testable import Mail

@Suite("Mail")
struct MailTests {
    static let silent = Logger(label: "mail") { _ in SwiftLogNoOpLogHandler() }

    private static func message(_ subject: String = "Hello", _ text: String = "Line\n.dot\nÈ qui") throws -> MailMessage
    {
        let to = try #require(MailAddress("anna@example.org"))
        return MailMessage(to: to, subject: subject, text: text, language: .italian)
    }

    static func sender() throws -> MailAddress {
        try #require(MailAddress("Cani di Salerno <dogs@example.org>"))
    }

    /// Runs a mailer until its queue is empty and returns its figures.
    private static func figures(
        _ server: ScriptedSMTPServer,
        _ messages: [MailMessage],
        pauses: [Duration] = [.milliseconds(1)]
    ) async throws -> Mailer.Figures {
        var settings = MailSettings()
        settings.pauses = pauses
        let address = try SMTPServer(
            parsing: "smtp://127.0.0.1:\(server.port)",
            user: nil,
            password: nil,
            authorities: nil
        )
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let mailer = Mailer(
            SMTPTransport(address),
            store: OutgoingMailStore(board.database),
            from: try sender(),
            settings: settings,
            logger: silent
        )
        return try await mailer.finish { for message in messages { mailer.post(message) } }
    }

    @Test("The server receives a mail as it was written")
    func delivery() async throws {
        let server = try ScriptedSMTPServer()
        defer { server.stop() }
        let figures = try await Self.figures(server, [try Self.message("È tornato a casa 🐕")])
        #expect(figures.sent == 1 && figures.failed == 0)
        let mail = try #require(server.received.first)
        #expect(mail.commands.contains { $0.hasPrefix("MAIL FROM:<dogs@example.org>") })
        #expect(mail.commands.contains { $0.hasPrefix("RCPT TO:<anna@example.org>") })
        #expect(mail.data.contains("From: \"Cani di Salerno\"\r\n <dogs@example.org>\r\n"))
        #expect(mail.data.contains("Subject: =?utf-8?B?w4ggdG9ybmF0byBhIGNhc2Eg8J+QlQ==?=\r\n"))
        #expect(
            mail.data.contains("Content-Language: it\r\n") && mail.data.contains("Auto-Submitted: auto-generated\r\n")
        )
        #expect(mail.data.contains("\r\n\r\nLine\r\n.dot\r\n=C3=88 qui\r\n"))
        #expect(mail.data.contains(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r\n/))
        #expect(mail.data.contains(/Message-ID: <[0-9a-f-]{36}@example\.org>\r\n/))
    }

    @Test("A temporary refusal is retried, and a permanent refusal is not")
    func retry() async throws {
        let server = try ScriptedSMTPServer(["RCPT": ["450 later", "550 nobody"], ".": ["451 busy"]])
        defer { server.stop() }
        // The mails are sent one after the other; the second attempt of the first mail is refused permanently.
        let first = try await Self.figures(server, [try Self.message()], pauses: [.zero, .zero, .zero])
        #expect(first.sent == 0 && first.failed == 1 && server.received.count == 2)
        let second = try await Self.figures(server, [try Self.message()], pauses: [.zero])
        #expect(second.sent == 1 && server.received.count == 4)
    }

    @Test("The number of attempts is limited")
    func attemptLimit() async throws {
        let server = try ScriptedSMTPServer(["MAIL": Array(repeating: "421 closing", count: 10)])
        defer { server.stop() }
        let figures = try await Self.figures(server, [try Self.message()], pauses: [.zero, .zero])
        #expect(figures.failed == 1 && server.received.count == 3)
    }

    @Test("A server that does not answer does not prevent the service from stopping", .timeLimit(.minutes(5)))
    func silentServer() async throws {
        let server = try ScriptedSMTPServer(isSilent: true)
        defer { server.stop() }
        let settings = try SMTPServer(
            parsing: "smtp://127.0.0.1:\(server.port)",
            user: nil,
            password: nil,
            authorities: nil
        )
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database)
        let mailer = Mailer(SMTPTransport(settings), store: store, from: try Self.sender(), logger: Self.silent)
        let message = try Self.message()
        for _ in 0..<20 { mailer.post(message) }
        let run = Task { try await mailer.run() }
        try await until("two connections") { server.visits == 2 }
        run.cancel()
        try await run.value
        #expect(try server.visits == 2 && mailer.figures.sent == 0 && store.count() == 20)
    }

    @Test("If TLS is required, nothing is sent without it")
    func requiredTLS() async throws {
        let server = try ScriptedSMTPServer()
        defer { server.stop() }
        let settings = try SMTPServer(
            parsing: "smtp://127.0.0.1:\(server.port)?tls=required",
            user: "dogs",
            password: "secret",
            authorities: nil
        )
        let letter = MIMEMessage(try Self.message(), from: try Self.sender())
        await #expect(throws: MailFailure.self) { try await SMTPTransport(settings).send(letter) }
        #expect(
            server.received.allSatisfy { mail in
                !mail.commands.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("AUTH") }
            }
        )
    }

    @Test(
        "TLS is required by default, except for servers on this machine",
        arguments: [
            ("smtp://mail.example.org", true), ("smtp://mail.example.org:25?tls=none", false),
            ("smtps://127.0.0.1:465", true), ("smtp://127.0.0.1:2525", false), ("smtp://localhost", false),
            ("smtp://[::1]:25", false), ("smtp://127.0.0.1?tls=required", true), ("smtp://127.example.org", true),
        ]
    )
    func defaultTLS(address: String, isNeeded: Bool) throws {
        #expect(try SMTPServer(parsing: address, user: nil, password: nil, authorities: nil).needsTLS == isNeeded)
    }

    @Test(
        "Invalid addresses of mail servers are rejected",
        arguments: [
            "http://mail.example.org", "smtp://", "smtp://a@mail.example.org", "smtp://mail.example.org/x",
            "mail.example.org",
            "smtp://mail.example.org?tls=maybe", "smtp://mail.example.org?tls=none&tls=required",
            "smtp://mail.example.org?x=1",
        ]
    )
    func invalidServers(address: String) {
        #expect(throws: ServiceError.self) {
            try SMTPServer(parsing: address, user: nil, password: nil, authorities: nil)
        }
    }

    @Test(
        "Errors do not repeat a password in an address",
        arguments: ["smtp://dogs:secret@mail.example.org", "smtps://dogs:s3c@secret:99999999", "secret@mail"]
    )
    func hiddenPassword(address: String) throws {
        let error = #expect(throws: ServiceError.self) {
            try SMTPServer(parsing: address, user: nil, password: nil, authorities: nil)
        }
        let message = try #require(error).message
        #expect(message.text.contains("mail-password-file") && !message.text.contains("secret"))
    }

    @Test(
        "Text that is not a single mailbox is rejected",
        arguments: [
            "", "anna", "@example.org", "anna@", "a@b@c", "anna@example.org\r\nBcc: b@example.org",
            "anna@example.org,b@example.org",
            "anna @example.org", "<anna@example.org", "anna@example.org\0", "a\u{2028}@example.org",
            "anna@exam\u{202E}ple.org",
            "X <anna@example.org>\r\nRCPT TO:<b@example.org>", "X <a@b> <c,d@e>", "\"a\"@example.org",
            String(repeating: "a", count: 250) + "@example.org",
        ]
    )
    func invalidMailboxes(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test(
        "A subject cannot contain another header",
        arguments: [
            "Hi\r\nBcc: eve@example.org", "Hi\nBcc: eve@example.org", "Hi\rBcc: x", "Hi\u{2028}Bcc: x",
            "Hi\u{85}Bcc: x",
            "\r\n\r\nbody",
            String(repeating: "x", count: 5000), String(repeating: "🐕", count: 500), "=?utf-8?B?QmNj?=", "\0",
        ]
    )
    func headerInjection(subject: String) throws {
        let name = subject.replacing("<", with: "")
        let from = try #require(MailAddress("\(name) <dogs@example.org>"))
        let letter = MIMEMessage(try Self.message(subject, "Bcc: no header\r\n.\r\n"), from: from)
        let text = String(decoding: letter.bytes, as: UTF8.self)
        let head = text[..<(try #require(text.range(of: "\r\n\r\n")).lowerBound)]
        let names = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding",
                "Content-Language", "Auto-Submitted",
            ]
        )
        #expect(head.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 78 })
        #expect(!letter.bytes.indices.contains { letter.bytes[$0] == 10 && ($0 == 0 || letter.bytes[$0 - 1] != 13) })
    }

    @Test("Encoded lines have at most 76 bytes")
    func lineLength() {
        let text = MIMEPart.quotedPrintable(String(repeating: "à= ", count: 1000) + "\nend ")
        #expect(text.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 76 })
        #expect(text.hasSuffix("end=20\r\n"))
    }

    @Test("A full queue rejects mails and counts them")
    func fullQueue() async throws {
        let folder = try TemporaryFolder()
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let mailer = Mailer(
            try FolderTransport(folder.url.appending(path: "out")),
            store: OutgoingMailStore(board.database),
            from: try Self.sender(),
            maxDrafts: 2,
            logger: Self.silent
        )
        let message = try Self.message()
        #expect([0, 1, 2].map { _ in mailer.post(message) } == [true, true, false])
        #expect(try mailer.figures.refused == 1 && mailer.figures.waiting == 2)
    }

    @Test("A folder receives one file for each mail, and none for an empty draft")
    func folder() async throws {
        let folder = try TemporaryFolder()
        let out = folder.url.appending(path: "out")
        let board = try await TestDatabase(leads: true)
        defer { withExtendedLifetime(board) {} }
        let mailer = Mailer(
            try FolderTransport(out),
            store: OutgoingMailStore(board.database),
            from: try Self.sender(),
            logger: Self.silent
        )
        let message = try Self.message()
        let figures = try await mailer.finish {
            mailer.post { nil }
            mailer.post(message)
            mailer.post(message)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: out.path)
        #expect(files.count == 2 && files.allSatisfy { $0.hasSuffix(".eml") } && figures.sent == 2)
    }
}

extension Mailer {
    /// Runs until no mail is waiting.
    func finish(_ begin: @Sendable () async throws -> Void = {}) async throws -> Figures {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.run() }
            try await begin()
            try await until("an empty queue") { try figures.waiting == 0 }
            group.cancelAll()
        }
        // A mail counts shortly after it leaves the table.
        return try figures
    }
}
