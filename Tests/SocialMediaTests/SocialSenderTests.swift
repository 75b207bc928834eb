import Domain
import Foundation
import OutgoingHTTP
import Storage
import TestSupport
import Testing

@testable import SocialMedia

/// The sender with imitated services on loopback, and a clock that only the tests advance.
@Suite("Posts at other services", .enabled(if: Receiver.isAvailable))
struct SocialSenderTests {
    @Test(
        "A Telegram chat gets a listing with its photo after a minute, the change when the animal is home, and loses it when it is hidden"
    )
    func telegram() async throws {
        let scene = try await SocialScene()
        try await scene.add(.telegram)
        let listing = try await scene.post(photo: true)
        try await scene.run { scene.clock.now > .now.adding(seconds: 30) }
        #expect(scene.services.calls == [], "it may get photos and corrections in its first minute")
        try await scene.settle()
        #expect(scene.services.calls == ["sendPhoto"])
        let sent = try #require(scene.services.last("sendPhoto"))
        let link = "https://dogs.example/\(listing.code.text)"
        #expect(sent.text("chat_id") == "@dogs" && sent.text("caption") == "lost: Argo\n\n\(link)")
        #expect(
            sent.text("caption_entities") == #"[{"length":10,"offset":0,"type":"bold"}]"#
                || sent.text("caption_entities")?.contains("bold") == true)
        #expect(sent.text("photo") == Data(SocialScene.photo.jpeg).base64EncodedString())

        try await scene.change(listing) { $0[.colour] = "nero" }
        try await scene.settle()
        #expect(scene.services.calls == ["sendPhoto"], "no word of the post has changed")

        try await scene.change(listing) { $0.status = .reunited }
        try await scene.settle()
        #expect(scene.services.calls == ["sendPhoto", "editMessageCaption"])
        let edit = try #require(scene.services.last("editMessageCaption"))
        #expect(edit.text("caption") == "reunited: Argo\n\n\(link)" && edit.fields["message_id"] == .number(1001))

        try await scene.board.hide(listing)
        try await scene.settle()
        #expect(scene.services.calls == ["sendPhoto", "editMessageCaption", "deleteMessage"])
        #expect(try await scene.rows().isEmpty)
    }

    @Test(
        "A Mastodon account gets a listing with a described photo, keeps the photo when the words change, and loses it when it is deleted"
    )
    func mastodon() async throws {
        let scene = try await SocialScene()
        try await scene.add(.mastodon)
        let listing = try await scene.post(photo: true)
        try await scene.settle()
        #expect(scene.services.calls == ["v2/media", "GET media/1", "GET media/1", "v1/statuses"])
        let upload = try #require(scene.services.last("/api/v2/media"))
        #expect(upload.text("description") == "Photo of Argo")
        #expect(upload.text("file") == Data(SocialScene.photo.jpeg).base64EncodedString())
        let sent = try #require(scene.services.last("POST /api/v1/statuses"))
        #expect(
            sent.fields["media_ids"] == ["1"] && sent.text("language") == "it" && sent.text("visibility") == "public")
        #expect(sent.headers["Idempotency-Key"]?.contains(listing.id.uuidString.lowercased()) == true)

        try await scene.change(listing) { $0.status = .reunited }
        try await scene.settle()
        let edit = try #require(scene.services.last("PUT /api/v1/statuses/110001"))
        #expect(edit.fields["media_ids"] == ["1"] && edit.text("status")?.hasPrefix("reunited") == true)

        let current = try #require(try await scene.board.listings.findListing(id: listing.id))
        try await scene.board.listings.remove(current, version: nil)
        try await scene.settle()
        #expect(scene.services.calls.last == "DELETE statuses/110001")
        #expect(try await scene.rows().isEmpty)
    }

    @Test("A listing that is hidden and restored is posted anew, and one that gets its first photo as well")
    func renewal() async throws {
        let scene = try await SocialScene()
        try await scene.add(.telegram)
        let listing = try await scene.post()
        try await scene.settle()
        _ = try await scene.addPhoto(listing)
        try await scene.settle()
        #expect(scene.services.calls == ["sendMessage", "deleteMessage", "sendPhoto"])
        try await scene.board.hide(listing)
        try await scene.settle()
        try await scene.board.moderation.restore(listing.id, by: .service)
        try await scene.settle()
        #expect(scene.services.calls.suffix(2) == ["deleteMessage", "sendPhoto"])
        try await scene.board.database.write { db in
            _ = try db.execute("DELETE FROM photo WHERE listing_id = ?", [listing.key])
        }
        try await scene.settle()
        #expect(
            scene.services.calls.suffix(2) == ["deleteMessage", "sendMessage"], "a photo that was removed is not shown")
    }

    @Test("Only open listings within the circle are posted, of the chosen species")
    func selection() async throws {
        let scene = try await SocialScene()
        try await scene.add(.telegram, radius: 10_000)
        // In a corner of the box.
        _ = try await scene.post(14.79 + 0.11, 40.77 + 0.08, name: "Corner")
        _ = try await scene.post(12.5, 41.9, name: "Rome")
        let home = try await scene.post(name: "Home")
        try await scene.change(home) { $0.status = .reunited }
        #expect(try await scene.rows().count == 2)
        try await scene.settle()
        #expect(scene.services.calls == [])
        #expect(try await scene.rows().isEmpty)
        try await scene.add(.mastodon, species: .cat)
        let dog = try await scene.post(name: "Dog")
        try await scene.settle()
        #expect(scene.services.calls == ["sendMessage"])
        #expect(scene.services.last("sendMessage")?.text("text")?.contains(dog.code.text) == true)
    }

    @Test(
        "An account sends nothing until the time that the service asks for", arguments: SocialAccount.Service.allCases)
    func pace(service: SocialAccount.Service) async throws {
        let scene = try await SocialScene()
        try await scene.add(service)
        _ = try await scene.post(name: "One")
        _ = try await scene.post(name: "Other")
        scene.clock.advance(hours: 120 / 3_600.0)
        let begin = scene.clock.now
        switch service {
        case .telegram:
            try await scene.services.script(
                "sendMessage",
                status: 429,
                #"{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":600}}"#
            )
        case .mastodon:
            let reset = begin.adding(seconds: 600).date.formatted(.iso8601)
            try await scene.services.script("statuses", status: 429, "{}", headers: ["X-RateLimit-Reset": reset])
        }
        try await scene.run { scene.clock.now >= begin.adding(seconds: 500) }
        #expect(scene.services.requests.count == 1)
        try await scene.settle()
        #expect(scene.services.requests.count == 3)
        #expect(scene.clock.now >= begin.adding(seconds: 590))
    }

    @Test("A token that is refused, or a chat that is none, pauses the account; what waits is done when it goes on")
    func refusal() async throws {
        let scene = try await SocialScene()
        let bot = try await scene.add(.telegram, chat: "@elsewhere")
        let application = try await scene.add(.mastodon, token: "a-token-that-has-ended")
        let listing = try await scene.post()
        scene.clock.advance(hours: 120 / 3_600.0)
        try await scene.run {
            try scene.account(bot.id).isPaused && scene.account(application.id).isPaused
        }
        #expect(try scene.account(bot.id).problem == .chat)
        #expect(try scene.account(application.id).problem == .token)
        #expect(try await scene.rows().map(\.pending) == [1, 1])
        _ = try await scene.post(name: "Later")
        #expect(try await scene.rows().count == 2, "new listings are not for paused accounts")
        let count = scene.services.requests.count
        try await scene.settle()
        #expect(scene.services.requests.count == count)
        try await scene.board.hide(listing)
        try await scene.accounts.setPaused(false, bot.id, of: .site, at: scene.clock.now)
        #expect(try scene.account(bot.id).problem == nil)
        try await scene.settle()
        #expect(scene.services.requests.count == count, "it is hidden and was never posted")
        #expect(try await scene.rows().count == 1)
    }

    @Test(
        "A post that was being made when the process ended is made again, with the same key",
        arguments: SocialAccount.Service.allCases)
    func interruption(service: SocialAccount.Service) async throws {
        let scene = try await SocialScene()
        try await scene.add(service)
        _ = try await scene.post()
        scene.clock.advance(hours: 120 / 3_600.0)
        let call = service == .telegram ? "sendMessage" : "statuses"
        try await scene.services.script(call, "hold")
        // The answer never arrives: the service has the post, the database does not know it.
        try await scene.run { scene.services.requests.count == 1 }
        #expect(try await scene.rows().map(\.remote) == [nil])
        try await scene.settle()
        #expect(scene.services.requests.count == 2)
        let rows = try await scene.rows()
        // Mastodon knows the key, and answers with the first post.
        #expect(rows.map(\.remote) == [service == .telegram ? "1002" : "110001"])
        let keys = scene.services.requests.compactMap { $0.headers["Idempotency-Key"] }
        #expect(Set(keys).count == (service == .telegram ? 0 : 1))
    }

    @Test("A change while a post is being made is shown afterwards")
    func changeMeanwhile() async throws {
        let scene = try await SocialScene()
        try await scene.add(.telegram)
        let listing = try await scene.post()
        scene.clock.advance(hours: 120 / 3_600.0)
        let due = try #require(try scene.store.next(due: scene.clock.now, except: [], limit: 1).first)
        try await scene.change(listing) { $0.status = .reunited }
        let posted = DueSocialPost.Posted(remoteID: "5", digest: String(repeating: "a", count: 43), photo: nil)
        try await scene.store.settle([(due, .shown(posted))], at: scene.clock.now)
        #expect(try scene.store.countWaiting() == 1)
        let change = try #require(try scene.store.next(due: scene.clock.now, except: [], limit: 1).first)
        #expect(change.posted == posted)
        try await scene.board.hide(listing)
        try await scene.store.settle([(change, .absent)], at: scene.clock.now)
        #expect(try await scene.rows().map(\.pending) == [1], "the row stays until it is looked at again")
        #expect(try await scene.rows().map(\.remote) == [nil])
    }

    @Test(
        "Answers that the service does not document end a post, and others go on",
        arguments: [
            "not JSON", #"{"ok":true}"#, #"{"id":"../../oauth/token"}"#, #"{"id":""}"#,
            String(repeating: "[", count: 100_000),
        ]
    )
    func hostileAnswers(body: String) async throws {
        let scene = try await SocialScene()
        let account = try await scene.add(.mastodon)
        _ = try await scene.post(name: "One")
        scene.clock.advance(hours: 120 / 3_600.0)
        try await scene.services.script("statuses", status: 200, body)
        try await scene.run { try scene.store.countWaiting() == 0 }
        #expect(try scene.account(account.id).problem == .rejected && !scene.account(account.id).isPaused)
        #expect(try await scene.rows().isEmpty)
        _ = try await scene.post(name: "Other")
        try await scene.settle()
        #expect(try await scene.rows().map(\.remote) == ["110001"])
        #expect(try scene.account(account.id).problem == nil)
    }

    @Test("An answer without end is cut off, and the post is tried again")
    func endlessAnswer() async throws {
        let scene = try await SocialScene()
        try await scene.add(.telegram)
        _ = try await scene.post()
        scene.clock.advance(hours: 120 / 3_600.0)
        try await scene.services.script("sendMessage", "endless")
        try await scene.settle()
        #expect(scene.services.calls == ["sendMessage", "sendMessage"])
    }

    @Test("A post that somebody deleted at the service is not made again")
    func deletedElsewhere() async throws {
        let scene = try await SocialScene()
        try await scene.add(.telegram)
        let listing = try await scene.post()
        try await scene.settle()
        try await scene.services.script(
            "editMessageText",
            status: 400,
            #"{"ok":false,"error_code":400,"description":"Bad Request: message to edit not found"}"#
        )
        try await scene.change(listing) { $0.status = .reunited }
        try await scene.settle()
        #expect(try await scene.rows().isEmpty)
        try await scene.change(listing) { $0[.name] = "Argo II" }
        try await scene.settle()
        #expect(scene.services.calls == ["sendMessage", "editMessageText"])
    }

    @Test("A message that Telegram does not delete loses its words, and the account tells of it")
    func oldMessage() async throws {
        let scene = try await SocialScene()
        let account = try await scene.add(.telegram)
        let listing = try await scene.post(photo: true)
        try await scene.settle()
        try await scene.services.script(
            "deleteMessage",
            status: 400,
            #"{"ok":false,"error_code":400,"description":"Bad Request: message can't be deleted"}"#
        )
        try await scene.board.hide(listing)
        try await scene.settle()
        #expect(scene.services.calls == ["sendPhoto", "deleteMessage", "editMessageCaption"])
        #expect(scene.services.last("editMessageCaption")?.text("caption") == "withdrawn")
        #expect(try scene.account(account.id).problem == .rejected)
    }

    @Test("An account has a limited number of posts that wait")
    func limit() async throws {
        let scene = try await SocialScene()
        try await scene.add(.telegram)
        let drafts = try (0..<SocialPostStore.maxWaiting + 20).map { number in
            try ListingStore.Draft.at(14.79, 40.77) { $0[.name] = "Dog \(number)" }
        }
        _ = try await scene.board.listings.put(drafts, owner: scene.poster)
        let waiting = try scene.store.countWaiting()
        #expect(waiting >= SocialPostStore.maxWaiting)
        _ = try await scene.post()
        #expect(try scene.store.countWaiting() == waiting)
    }

    @Test("A server that a member names must be public")
    func guardOfAddresses() async throws {
        let clients = SocialClients(OutgoingSettings(), resolver: ScriptedResolver(["10.0.0.5"]))
        for address in [
            "https://127.0.0.1", "https://[::1]", "10.0.0.1", "https://169.254.169.254", "https://2130706433",
        ] {
            #expect(throws: ServiceError.self, "\(address)") { try clients.server(address) }
        }
        for address in [
            "http://mastodon.social", "https://mastodon.social/@dogs", "https://u:p@mastodon.social", "ftp://a.org",
        ] {
            #expect(throws: ServiceError.self, "\(address)") { try clients.server(address) }
        }
        #expect(try clients.server("mastodon.social") == "https://mastodon.social")
        await #expect(throws: ServiceError(.conflict, "server: the server cannot be reached", field: "server")) {
            try await clients.verify(.mastodon("https://inside.example.org"), token: SocialServices.mastodonToken)
        }
    }

    @Test("An account is verified before it is stored")
    func verification() async throws {
        let scene = try await SocialScene()
        let (mastodon, chat) = (
            SocialAccount.Address.mastodon(scene.services.origin), try SocialAccount.Address.telegram(chat: "@dogs")
        )
        #expect(try await scene.clients.verify(chat, token: SocialServices.telegramToken) == "@dogs_bot → Lost dogs")
        #expect(
            try await scene.clients.verify(mastodon, token: SocialServices.mastodonToken)
                == "@dogs@\(scene.services.origin.replacing("https://", with: ""))"
        )
        for (address, token, field) in [
            (chat, "123456:another-token-of-a-bot-00", "token"), (mastodon, "another-token-of-one", "token"),
            (try .telegram(chat: "@elsewhere"), SocialServices.telegramToken, "chat"),
        ] {
            let error = await #expect(throws: ServiceError.self) {
                try await scene.clients.verify(address, token: token)
            }
            #expect(error?.field == field && error?.message.text.contains(token) == false)
        }
        #expect(throws: ServiceError.self) { try SocialClients.check("no token", of: .telegram) }
        #expect(throws: ServiceError.self) { try SocialAccount.Address.telegram(chat: "https://t.me/dogs") }
    }
}

@Suite("Texts of posts")
struct SocialContentTests {
    private static func content(_ description: String, headline: String = "Lost: Argo") -> SocialContent {
        SocialContent(
            headline: headline,
            details: ["Seen yesterday"],
            description: description,
            link: "https://dogs.example/ABCD",
            tags: ["#LostDog"],
            language: .english
        )
    }

    @Test("A text is as long as the service permits, and keeps its headline and link", arguments: [60, 200, 500, 1024])
    func length(most: Int) {
        for description in ["", "short", String(repeating: "🐕‍🦺 dog ", count: 300)] {
            for headline in ["Lost: Argo", String(repeating: "🐕", count: 600)] {
                let content = Self.content(description, headline: headline)
                let text = content.text(atMost: most, \.utf16.count)
                #expect(text.utf16.count <= most)
                #expect(text.contains("https://dogs.example/ABCD") && text.hasPrefix(headline.prefix(3)))
            }
        }
        #expect(
            Self.content("short").text(atMost: 500, \.count).hasSuffix(
                "\n\nshort\n\nhttps://dogs.example/ABCD\n\n#LostDog"))
    }

    @Test("What users write calls no accounts and no tags")
    func mentions() {
        let text = Self.content("Call @admin@evil.example #spam").text(atMost: 500, \.count)
        #expect(text.contains(/@\w/) == false && text.contains(/#spam/) == false && text.contains("#LostDog"))
    }
}
