import Credentials
import Domain
import Foundation
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Notification mails")
struct NotificationMailerTests {
    private static func with(
        _ board: TestDatabase? = nil,
        _ body: (RunningService, Mailbox) async throws -> Void
    ) async throws {
        let board = if let board { board } else { try await TestDatabase() }
        let box = Mailbox()
        try await RunningService.with(board: board, hasModel: false, mailer: box.mailer) {
            try await body($0, box)
        }
    }

    /// Creates an account and the token of a session.
    private static func user(
        _ board: TestDatabase,
        _ name: String,
        _ language: Language? = .english
    ) async throws -> (account: Account, token: String) {
        let registration = AccountStore.Registration(
            email: "\(name)@example.org",
            passwordHash: "$argon2id$test",
            profile: Profile(),
            language: language
        )
        let token = Token()
        let account = try await board.accounts.register(registration, upgrading: nil, tokenHash: token.digest)
        return (account, token.text)
    }

    private static func listing(
        _ board: TestDatabase,
        _ name: String?,
        _ owner: Account,
        breed: String? = nil
    ) async throws -> String {
        let draft = try ListingStore.Draft.at(14.79, 40.77) {
            $0.name = name
            $0.breed = breed
        }
        return try await board.listings.create(draft, owner: owner).id.lowercased
    }

    private static func write(
        _ service: RunningService,
        _ path: String,
        _ token: String
    ) async throws -> String {
        let answer = try await service.send("POST", "/v1/\(path)/messages", #"{"text": "the words"}"#, token: token)
        guard answer.status == 201, let id = answer.text("conversation") else { throw TestFailure("\(answer.status)") }
        return id
    }

    @Test("The recipient gets one mail until they read, in their language, without the message's text")
    func newMessage()
        async throws
    {
        try await Self.with { service, box in
            let (anna, annas) = try await Self.user(service.board, "anna", .italian)
            let (bruno, brunos) = try await Self.user(service.board, "bruno", nil)
            let id = try await Self.listing(service.board, "Argo {link}", anna)
            let conversation = try await Self.write(service, "listings/\(id)", brunos)
            _ = try await Self.write(service, "listings/\(id)", brunos)
            let mail = try await box.next()
            #expect(mail.to == anna.email && mail.subject == "Hai un messaggio su Argo {link}")
            #expect(mail.text.contains("a proposito di Argo {link}."))
            #expect(mail.text.contains("\r\nhttps://dogs.example.org/inbox/\(conversation)\r\n"))
            #expect(!mail.text.contains("the words") && !mail.text.contains("bruno"))
            _ = try await Self.write(service, "me/conversations/\(conversation)", annas)
            let answer = try await box.next()
            #expect(answer.to == bruno.email && answer.subject == "You have a message about Argo {link}")
            let read = "/v1/me/conversations/\(conversation)/read"
            try await service.send("POST", read, "{}", token: annas)
            _ = try await Self.write(service, "me/conversations/\(conversation)", brunos)
            #expect(try await box.next().to == anna.email)
        }
    }

    @Test("Guests, recipients of blocked senders and recipients of many mails get no mail")
    func withoutMail() async throws {
        try await Self.with { service, box in
            let (anna, annas) = try await Self.user(service.board, "anna")
            let (_, brunos) = try await Self.user(service.board, "bruno")
            let guests = try await Self.listing(service.board, "Guests", try await service.board.guest())
            _ = try await Self.write(service, "listings/\(guests)", brunos)
            let id = try await Self.listing(service.board, "Argo", anna)
            let conversation = try await Self.write(service, "listings/\(id)", brunos)
            #expect(try await box.next().subject == "You have a message about Argo")
            try await service.send("POST", "/v1/me/conversations/\(conversation)/read", "{}", token: annas)
            let body = #"{"conversation": "\#(conversation)"}"#
            #expect(try await service.send("POST", "/v1/me/blocks", body, token: annas).status < 300)
            _ = try await Self.write(service, "me/conversations/\(conversation)", brunos)
            // The recipient is notified of three of six further conversations.
            for number in 1...6 {
                let writer = try await Self.user(service.board, "writer\(number)")
                _ = try await Self.write(service, "listings/\(id)", writer.token)
            }
            for _ in 1...3 { #expect(try await box.next().to == anna.email) }
            let (carla, _) = try await Self.user(service.board, "carla")
            let hers = try await Self.listing(service.board, nil, carla, breed: "Border Collie")
            _ = try await Self.write(service, "listings/\(hers)", annas)
            let mail = try await box.next()
            #expect(mail.to == carla.email && mail.subject == "You have a message about a dog (Border Collie)")
        }
    }

    @Test("The managers of an organisation get the mails about its listings, each in their language")
    func organisation() async throws {
        try await Self.with { service, box in
            let (anna, token) = try await Self.user(service.board, "anna")
            let (bruno, brunos) = try await Self.user(service.board, "bruno", .italian)
            let (_, carlas) = try await Self.user(service.board, "carla")
            let path = "/v1/organisations"
            let id = try await service.send("POST", path, #"{"name": "Canile"}"#, token: token).created("id")
            for (name, role, joining) in [("bruno", "manager", brunos), ("carla", "volunteer", carlas)] {
                let body = #"{"email": "\#(name)@example.org", "role": "\#(role)"}"#
                let made = try await service.send("POST", "\(path)/\(id)/invitations", body, token: token)
                let invitation = try made.created("id")
                #expect(
                    try await service.send("POST", "/v1/me/invitations/\(invitation)", token: joining).status == 200
                )
            }
            let listing = try await service.post(
                #"{"status": "lost", "name": "Argo", "place": "Salerno", "organisation": "\#(id)"}"#,
                token
            )
            _ = try await Self.write(service, "listings/\(listing)", try await service.guest())
            let mails = [try await box.next(), try await box.next()].sorted { $0.to < $1.to }
            #expect(mails.map(\.to) == [anna.email, bruno.email])
            #expect(mails[0].subject == "You have a message about Argo")
            #expect(mails[1].subject == "Hai un messaggio su Argo")
        }
    }

    /// Moves the last change of all listings this many days into the past.
    private static func age(_ board: TestDatabase, days: Int) async throws {
        try await board.database.write { db in
            try db.execute("UPDATE listing_renewal SET renewed_at = ?", [Timestamp.now.adding(days: -days).text])
        }
    }

    @Test("One mail lists all listings of an owner that expire soon")
    func expiry() async throws {
        let board = try await TestDatabase()
        let (anna, _) = try await Self.user(board, "anna", .italian)
        let (bruno, _) = try await Self.user(board, "bruno")
        let argo = try await Self.listing(board, "Argo", anna)
        let bea = try await Self.listing(board, nil, anna)
        _ = try await Self.listing(board, "Guests", try await board.guest())
        let ciro = try await Self.listing(board, "Ciro", bruno)
        try await Self.age(board, days: 80)
        try await Self.with(board) { service, box in
            let mails = [try await box.next(), try await box.next()].sorted { $0.to < $1.to }
            #expect(mails.map(\.to) == [anna.email, bruno.email])
            #expect(mails[0].subject == "2 dei tuoi annunci stanno per scadere")
            #expect(mails[1].subject == "Your listing ends soon: Ciro")
            #expect(mails[0].text.contains("Argo, il ") && mails[0].text.contains("un cane, il "))
            for (mail, ids) in [(mails[0], [argo, bea]), (mails[1], [ciro])] {
                #expect(mail.text.contains("\r\nhttps://dogs.example.org/my\r\n"))
                for id in ids {
                    let code = try await board.code(of: id)
                    #expect(mail.text.contains("\r\nhttps://dogs.example.org/l/\(code)\r\n"))
                }
            }
        }
    }

    @Test("If the mail was lost, the pages show the warning, and the listing expires a week later")
    func lostWarning() async throws {
        let board = try await TestDatabase()
        let (anna, token) = try await Self.user(board, "anna")
        _ = try await Self.listing(board, "Argo", anna)
        try await Self.age(board, days: 200)
        // The warning was recorded, and then the service stopped before it sent the mail.
        let end = try #require(try await RetentionStore(board.database).warn(at: .now).first).expiresAt
        try await Self.with(board) { service, box in
            let page = try await service.send("GET", "/my", headers: ["Cookie": "__Host-doggofinder=\(token)"])
            #expect(String(decoding: page.body, as: UTF8.self).contains("This listing leaves the board on "))
            let own = try await service.send("GET", "/v1/me/listings", token: token)
            #expect(own.text("features", "0", "properties", "status") == "lost")
            #expect(own.text("features", "0", "properties", "expires_at") == end.text)
            let retention = RetentionStore(board.database)
            #expect(try await retention.expire(at: end.adding(seconds: -60)) == 0)
            #expect(try await retention.expire(at: end.adding(seconds: 60)) == 1)
        }
    }

    @Test("A moderator's decision is reported to the owner with its reason and without the note")
    func moderation() async throws {
        try await Self.with { service, box in
            let board = service.board
            let (anna, token) = try await Self.user(board, "anna", .italian)
            let (boss, admins) = try await Self.user(board, "boss")
            try await board.accounts.setRole(boss, .admin)
            let id = try await Self.listing(board, "Argo", anna)
            let picture = Data(try plainPNG(width: 40, height: 30))
            let sent = try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: picture, token)
            let photo = String((sent.text("url") ?? "").split(separator: "/").last?.prefix(36) ?? "")
            let address = "/l/\(try await board.code(of: id))"
            let deeds = [
                ("photos/\(photo)/remove", "Una tua foto è stata eliminata", address),
                ("listings/\(id)/hide", "Il tuo annuncio è stato tolto dalla bacheca", address),
                ("accounts/\(anna.id.lowercased)/ban", "Il tuo account è bloccato", "/my"),
            ]
            let body = #"{"reason": "scam", "note": "for us alone"}"#
            for (path, subject, link) in deeds {
                let done = try await service.send("POST", "/v1/admin/\(path)", body, token: admins)
                #expect(done.status == 204)
                let mail = try await box.next()
                #expect(mail.to == anna.email && mail.subject == subject)
                #expect(mail.text.contains("Motivo: Truffa.") && !mail.text.contains("for us alone"))
                #expect(mail.text.contains("\r\nhttps://dogs.example.org\(link)\r\n"))
            }
        }
    }
}
