import Domain
import Foundation
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

@Suite("Outgoing mails")
struct OutgoingMailStoreTests {
    private static func message(_ key: String? = nil, account: UUID? = nil) throws -> MailMessage {
        let to = try #require(MailAddress("anna@Example.org"))
        var mail = MailMessage(to: to, subject: "Argo", text: "Text", language: .italian)
        mail.key = key
        mail.account = account
        return mail
    }

    @Test("A mail is stored once per key, is refused when too many wait, and vanishes with its transaction")
    func limits() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database, limit: 2)
        #expect(try await store.append(try Self.message("alert 1")))
        #expect(try await !store.append(try Self.message("alert 1")))
        #expect(try await store.append(try Self.message()))
        let message = try Self.message()
        await #expect(throws: OutgoingMailStore.full) { try await store.append(message) }
        await #expect(throws: CancellationError.self) {
            try await board.database.write { db in
                try OutgoingMailStore.append(message, db)
                throw CancellationError()
            }
        }
        #expect(try store.count() == 2)
    }

    @Test("The mails of an account are deleted with it, and none is stored for it afterwards")
    func deletedAccount() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database)
        let account = try await board.user("anna@example.org")
        #expect(try await store.append(try Self.message(account: account.id)))
        try await board.database.write { db in try db.execute("DELETE FROM account WHERE id = ?", [account.key]) }
        #expect(try store.count() == 0)
        #expect(try await !store.append(try Self.message(account: account.id)))
    }

    @Test("Mails that were sent count for their listings; a listing that is home or deleted stops those about it alone")
    func listings() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database)
        let alerts = AlertStore(board.database)
        let owner = try await board.user("anna@example.org")
        let (argo, luna) = (
            try await board.listings.create(.at(14.79, 40.77), owner: owner),
            try await board.listings.create(.at(14.79, 40.77), owner: owner)
        )
        for keys in [[argo.key], [argo.key], [luna.key, argo.key], [luna.key], []] {
            var mail = try Self.message()
            mail.listings = keys
            try await store.append(mail)
        }
        let waiting = { try store.next(due: .now, except: [], domains: [], limit: 9).map { try $0.get().key } }
        let keys = try waiting()
        let (first, last) = (Timestamp.now.adding(seconds: -60), Timestamp.now)
        try await store.settle(sent: [keys[0]], at: first)
        try await store.settle(sent: [keys[2]], removing: [keys[4]], at: last)
        #expect(
            try alerts.findTold(of: argo) == [ToldReaders(.mail, messages: 2, firstAt: first, lastAt: last)]
        )
        #expect(try alerts.findTold(of: luna) == [ToldReaders(.mail, messages: 1, firstAt: last, lastAt: last)])
        var summary = try Self.message()
        summary.listings = [argo.key, luna.key]
        try await store.append(summary)
        try await board.database.write { db in
            try db.execute("UPDATE listing SET status = 'reunited' WHERE id = ?", [argo.key])
        }
        #expect(try waiting().first == keys[3] && waiting().count == 2)
        try await board.database.write { db in try db.execute("DELETE FROM listing WHERE id = ?", [luna.key]) }
        #expect(try store.count() == 1 && alerts.findTold(of: luna) == [])
    }

    @Test("The mail that is due first is next, without domains that wait; backups contain none")
    func order() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let store = OutgoingMailStore(board.database)
        let begin = Timestamp.now
        for number in 1...3 {
            try await store.append(try Self.message("\(number)"), at: begin.adding(seconds: Double(-number)))
        }
        let first = try #require(try store.next(due: begin, except: [], domains: [], limit: 1).first).get()
        #expect(first.message.key == "3" && first.domain == "example.org" && first.message.language == .italian)
        try await store.settle(removing: [], postponing: [(first.key, begin.adding(seconds: 60))])
        let second = try #require(try store.next(due: begin, except: [], domains: [], limit: 1).first).get()
        #expect(second.message.key == "2" && second.attempts == 0)
        let third = try store.next(due: begin, except: [second.key], domains: [], limit: 1).first
        #expect(try third?.get().message.key == "1")
        #expect(try store.next(due: begin, except: [], domains: ["example.org"], limit: 9).isEmpty)
        #expect(try store.nextAttempt(after: begin) == begin.adding(seconds: 60))
        if TestDatabase.isFile {
            let copy = board.folder.url.appending(path: "copy.sqlite")
            try board.file.backup(to: copy) { _ in }
            #expect(try StandaloneDatabase(copy).read { db in try db.value("SELECT count(*) FROM outgoing_mail") } == 0)
        }
        #expect(try store.count() == 3)
        // Later than the lifetime of the mails.
        #expect(try await store.removeExpired(at: begin.adding(days: 6), except: []) == 3)
    }
}
