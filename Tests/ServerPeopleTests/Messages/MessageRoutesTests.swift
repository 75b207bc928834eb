import Domain
import Foundation
import OpenAPI
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Messages to owners")
struct MessageRoutesTests {
    private static let secret = "Scar under the left ear"
    private static let listing = """
        {"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77, "contact_name": "Anna Hidden",
         "contact_phone": "089 1234567", "contact_email": "hidden@example.org"}
        """
    private static let marked = listing.replacing("{\"status\"", with: "{\"secret_mark\": \"\(secret)\", \"status\"")

    private static func json(_ fields: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
    }

    private static func write(
        _ service: RunningService,
        _ listing: String,
        _ token: String?,
        _ fields: [String: String] = ["text": "I saw him"],
        headers: [String: String] = [:]
    ) async throws -> RunningService.Answer {
        try await service.send(
            "POST",
            "/v1/listings/\(listing)/messages",
            try json(fields),
            token: token,
            headers: headers
        )
    }

    /// The newest message of each conversation in an inbox.
    private static func inbox(_ service: RunningService, _ token: String) async throws -> [String] {
        let answer = try await service.send("GET", "/v1/me/conversations", token: token)
        guard case .array(let found)? = answer["conversations"] else { return [] }
        return found.indices.compactMap { answer.text("conversations", "\($0)", "last_message", "text") }
    }

    private static func admin(_ service: RunningService) async throws -> String {
        let token = try await service.register("admin@example.org")
        let account = try #require(try await service.board.accounts.findAccount(email: "admin@example.org"))
        try await service.board.accounts.setRole(account, .admin)
        return token
    }

    @Test(
        "Only owner and writer, not even admins, see a conversation and the contacts that each shares"
    )
    func whoSeesWhat() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.register("anna@example.org")
            let writer = try await service.register("bruno@example.org")
            let id = try await service.post(Self.listing, owner)
            let about = "/v1/listings/\(id)/messages"
            let sent = try await Self.write(service, id, writer, ["text": "I saw him", "contact_name": "Bruno"])
            let conversation = try #require(sent.text("conversation"))
            let own = "/v1/me/conversations/\(conversation)"
            #expect(sent.status == 201 && sent.headers["location"] == "https://dogs.example.org\(own)")
            let answered = try await service.send("POST", "\(own)/messages", #"{"text": "Where?"}"#, token: owner)
            #expect(answered.status == 201)
            for (token, isMine) in [(writer, false), (owner, true)] {
                for path in [about, "/v1/me/conversations", own] {
                    let answer = try await service.send("GET", path, token: token)
                    #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store", "\(path)")
                    let told = String(decoding: answer.body, as: UTF8.self)
                    for hidden in ["Hidden", "1234567", "example.org\"", "hidden@", "anna@", "bruno@"] {
                        #expect(!told.contains(hidden), "\(path): \(hidden)")
                    }
                }
                let whole = try await service.send("GET", own, token: token)
                #expect(
                    whole["messages", "0", "mine"] == .bool(isMine) && whole.text("messages", "0", "text") == "Where?"
                )
                #expect(whole["messages", "1", "mine"] == .bool(!isMine))
                #expect(whole.text("messages", "1", "contact_name") == "Bruno")
                #expect(whole["messages", "1", "contact_phone"] == .null)
                #expect(whole.text("correspondent") == (isMine ? "Bruno" : nil))
            }
            let others = [
                (nil, 401, 401), (try await service.guest(), 403, 404), (try await Self.admin(service), 403, 404),
            ]
            for (token, list, single) in others {
                #expect(try await service.send("GET", about, token: token).status == list)
                #expect(try await service.send("GET", own, token: token).status == single)
                #expect(try await service.send("DELETE", own, token: token).status == single)
                for path in ["messages", "read"] {
                    let body = path == "read" ? "{}" : #"{"text": "x"}"#
                    #expect(try await service.send("POST", "\(own)/\(path)", body, token: token).status == single)
                }
                let block = #"{"conversation": "\#(conversation)"}"#
                #expect(try await service.send("POST", "/v1/me/blocks", block, token: token).status == single)
                #expect(
                    try await service.send("DELETE", "/v1/me/blocks/\(conversation)", token: token).status == single
                )
                if let token { #expect(try await Self.inbox(service, token).isEmpty) }
            }
            #expect(try await Self.write(service, id, owner).status == 403)
            #expect(try await Self.write(service, id, nil).status == 401)
            #expect(try await Self.write(service, UUID().uuidString, writer).status == 404)
            #expect(try await Self.write(service, "1", writer).status == 404)
        }
    }

    @Test("Answers match their documentation")
    func documented() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shape = DocumentedShape(document: try await service.send("GET", "/openapi.json").json)
            func check(_ answer: RunningService.Answer, _ schema: String) {
                let problems = shape.problems(of: answer.json, Schema.named(schema).json, at: schema)
                #expect(problems == [])
            }
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.marked, owner)
            for (token, isOwner) in [(owner, true), (try await service.guest(), false)] {
                let shown = try await service.send("GET", "/v1/listings/\(id)", token: token)
                check(shown, "Listing")
                #expect(shown.text("properties", "secret_mark") == (isOwner ? Self.secret : nil))
                #expect(shown["properties", "asks_for_mark"] == .bool(true))
            }
            let fields = ["text": "guarda www.evil.example", "mark": "scar UNDER the left ear!"]
            let sent = try await Self.write(service, id, writer, fields)
            check(sent, "SentMessage")
            let own = "/v1/me/conversations/\(try #require(sent.text("conversation")))"
            for token in [owner, writer] {
                check(try await service.send("GET", "/v1/listings/\(id)/messages", token: token), "ConversationList")
                check(try await service.send("GET", "/v1/me/conversations", token: token), "ConversationList")
                check(try await service.send("GET", own, token: token), "WholeConversation")
            }
            // The recipient sees a warning that the writer does not see.
            let (read, written) = (
                try await service.send("GET", own, token: owner, headers: ["Accept-Language": "it"]),
                try await service.send("GET", own, token: writer)
            )
            #expect(read.text("messages", "0", "warning", "code") == "link")
            #expect(read.text("messages", "0", "warning", "text")?.contains("altro sito") == true)
            #expect(written["messages", "0", "warning"] == .null)
            #expect(read.text("warnings", "0", "code") == "verification_code")
            #expect(read.text("warnings", "0", "text")?.contains("codice") == true)
            #expect(written.text("warnings", "1", "text")?.contains("gift cards") == true)
        }
    }

    @Test("Writers cannot learn whether their mark matches, and the owner can")
    func markMatches() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.marked, owner)
            let missing = try await Self.write(service, id, try await service.guest())
            #expect(missing.status == 400 && missing.text("field") == "mark")
            var answers: [[String]] = []
            for (mark, matches) in [("scar, under the LEFT ear", true), ("a white paw", false)] {
                let writer = try await service.guest()
                let sent = try await Self.write(service, id, writer, ["text": "I have him", "mark": mark])
                let own = "/v1/me/conversations/\(try #require(sent.text("conversation")))"
                let seen =
                    [sent.body] + [
                        try await service.send("GET", own, token: writer).body,
                        try await service.send("GET", "/v1/me/conversations", token: writer).body,
                        try await service.send("GET", "/v1/listings/\(id)/messages", token: writer).body,
                    ]
                answers.append(
                    seen.map { bytes in
                        String(decoding: bytes, as: UTF8.self).replacing(mark, with: "MARK")
                            .replacing(#/[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z/#, with: "")
                    }
                )
                let shown = try await service.send("GET", own, token: owner)
                #expect(shown["messages", "0", "mark_matches"] == .bool(matches))
                #expect(shown.text("messages", "0", "mark") == mark)
            }
            #expect(answers[0] == answers[1])
            #expect(!answers[0].joined().contains("mark_matches"))
        }
    }

    @Test("A secret mark is visible only to its owner and to admins")
    func secretMark() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, stranger) = (try await service.guest(), try await service.guest())
            let key = ["Idempotency-Key": "mark"]
            let posted = try await service.send("POST", "/v1/listings", Self.marked, token: owner, headers: key)
            let id = try #require(posted.text("id"))
            #expect(posted.text("properties", "secret_mark") == Self.secret)
            let bare = Self.listing.replacing("lost", with: "sighted")
            let replayed = try await service.send("POST", "/v1/listings", bare, token: stranger, headers: key)
            let sent = try await Self.write(service, id, stranger, ["text": "I have him", "mark": "boh"])
            var paths = [
                "/v1/listings/\(id)", "/v1/listings", "/v1/listings?lon=14.8&lat=40.8", "/v1/listings?q=scar+ear",
                "/v1/listings/clusters?bbox=14,40,15,41", "/v1/listings.csv", "/v1/listings.geojson",
                "/feeds/listings.atom", "/feeds/listings.rss", "/collections/listings/items",
                "/collections/listings/items/\(id)", "/collections/listings/schema", "/collections/listings/queryables",
                "/board", "/embed", "/map?lon=14.79&lat=40.77&zoom=15", "/listings/\(id)", "/listings/\(id)/card",
                "/v1/me/conversations", "/v1/listings/\(id)/messages",
                "/v1/me/conversations/\(try #require(sent.text("conversation")))", "/v1/me/listings", "/inbox",
                "/inbox/\(try #require(sent.text("conversation")))", "/listings/\(id)/write",
            ]
            for (zoom, x, y) in [(0, 0, 0), (14, 8865, 6139)] { paths.append("/tiles/listings/\(zoom)/\(x)/\(y).pbf") }
            func tells(_ answer: RunningService.Answer) -> Bool {
                let text = String(decoding: answer.body, as: UTF8.self).lowercased()
                return text.contains("scar under") || text.contains("secret_mark\":\"")
            }
            #expect(!tells(replayed) && replayed.status == 201 && !tells(sent))
            for path in paths {
                for token in [nil, stranger] {
                    for accept in ["application/json", "text/html"] {
                        let answer = try await service.send("GET", path, token: token, headers: ["Accept": accept])
                        #expect(!tells(answer), "\(path) \(accept)")
                        if token != nil { #expect([200, 204].contains(answer.status), "\(path) \(answer.status)") }
                    }
                }
            }
            #expect(try await service.send("GET", "/v1/listings?q=scar").features.isEmpty)
            #expect(try await service.send("GET", "/collections/listings/items?secret_mark=x").status == 400)
            for token in [owner, try await Self.admin(service)] {
                #expect(tells(try await service.send("GET", "/v1/listings/\(id)", token: token)))
            }
            let own = try await service.send("GET", "/listings/\(id)", token: owner, headers: ["Accept": "text/html"])
            #expect(tells(own))
        }
    }

    @Test("Hostile text is stored unchanged, and the error for invalid text names the field")
    func hostile() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            for (fields, field) in [
                (["text": ""], "text"), (["text": "  \n "], "text"), ([:], "text"), (["text": "a\u{0}b"], "text"),
                (["text": "a\u{1B}[2J"], "text"), (["text": String(repeating: "x", count: 4001)], "text"),
                (["text": "x", "contact_phone": "call me"], "contact_phone"),
                (["text": "x", "contact_email": "a@b"], "contact_email"),
                (["text": "x", "contact_name": String(repeating: "x", count: 121)], "contact_name"),
                (["text": "x", "contact_name": "a\nb"], "contact_name"), (["text": "x", "id": "7"], "id"),
                (["text": "x", "mark": String(repeating: "x", count: 201)], "mark"), (["text": "x", "to": "y"], "to"),
            ] {
                let refused = try await Self.write(service, id, writer, fields)
                #expect(refused.status == 400 && refused.text("field") == field, "\(field)")
            }
            #expect(try await Self.inbox(service, owner).isEmpty)
            let texts = [
                #"</p><script>alert(1)</script>"onload='x' {{t.board.title}} \#u{202E}gpj.exe"#, "due\nrighe\r\n\ttre",
                String(repeating: "🐕", count: 4000), "\u{2066}\u{202E}a", "'; DROP TABLE message; --",
            ]
            for text in texts {
                #expect(try await Self.write(service, id, writer, ["text": text]).text("text") == text)
                #expect(try await Self.inbox(service, owner) == [text])
            }
        }
    }

    @Test("A message sent twice with the same key is stored once, and the key of another message is refused")
    func repetition() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let path = "/v1/listings/\(id)/messages"
            let key = ["Idempotency-Key": "\"1\""]
            func write(_ text: String, _ token: String) async throws -> RunningService.Answer {
                try await service.send("POST", path, #"{"text": "\#(text)"}"#, token: token, headers: key)
            }
            let answers = try await withThrowingTaskGroup(of: RunningService.Answer.self) { group in
                for _ in 0..<3 { group.addTask { try await write("I saw him", writer) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.body)).count == 1)
            let replayed = answers.filter { $0.headers["idempotency-replayed"] == "true" }
            #expect(replayed.count == 2)
            let list = try await service.send("GET", "/v1/me/conversations", token: owner)
            #expect(list["conversations", "0", "unread"] == .number(1))
            let changed = try await write("other", writer)
            #expect(changed.status == 422 && changed.text("field") == "Idempotency-Key")
            let stranger = try await write("I saw him", try await service.guest())
            #expect(stranger.status == 201 && stranger.headers["idempotency-replayed"] == nil)
        }
    }

    @Test("Messages of a blocked sender get the usual answer and are not delivered until they are unblocked")
    func blocks() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let first = try await Self.write(service, id, writer)
            let conversation = try #require(first.text("conversation"))
            let body = #"{"conversation": "\#(conversation)"}"#
            #expect(try await service.send("POST", "/v1/me/blocks", body, token: owner).status == 204)
            let second = try await Self.write(service, id, writer, ["text": "again"])
            #expect(second.status == first.status && second.headers["location"] == first.headers["location"])
            guard case .object(let before) = first.json, case .object(let after) = second.json else { return }
            #expect(Set(before.keys) == Set(after.keys))
            #expect(try await Self.inbox(service, owner) == [])
            let own = try await service.send("GET", "/v1/listings/\(id)/messages", token: owner)
            #expect(own.text("conversations", "0", "last_message", "text") == "I saw him")
            #expect(own["conversations", "0", "blocked"] == .bool(true))
            #expect(try await Self.inbox(service, writer) == ["again"])
            let shown = try await service.send("GET", "/v1/me/conversations/\(conversation)", token: writer)
            #expect(shown["blocked"] == .bool(false))
            let answer = "/v1/me/conversations/\(conversation)/messages"
            #expect(try await service.send("POST", answer, #"{"text": "x"}"#, token: owner).status == 409)
            #expect(try await service.send("DELETE", "/v1/me/blocks/\(conversation)", token: owner).status == 204)
            #expect(try await service.send("POST", "/v1/me/blocks", body, token: owner).status == 204)
            let blocks = try await service.send("GET", "/v1/me/blocks", token: owner)
            let block = try #require(blocks.text("blocks", "0", "id"))
            #expect(try await service.send("DELETE", "/v1/me/blocks/\(block)", token: writer).status == 404)
            #expect(try await service.send("DELETE", "/v1/me/blocks/\(block)", token: owner).status == 204)
            _ = try await Self.write(service, id, writer, ["text": "heard"])
            #expect(try await Self.inbox(service, owner) == ["heard"])
            for (body, field) in [("{}", "conversation"), (#"{"account": "x"}"#, "account")] {
                let refused = try await service.send("POST", "/v1/me/blocks", body, token: owner)
                #expect(refused.status == 400 && refused.text("field") == field)
            }
        }
    }

    @Test("Writing after deleting a conversation starts a new one, blocked or not")
    func blockedOrNot() async throws {
        for isBlocked in [false, true] {
            try await RunningService.with(hasModel: false) { service in
                let (owner, writer) = (try await service.guest(), try await service.guest())
                let id = try await service.post(Self.listing, owner)
                let first = try #require(try await Self.write(service, id, writer).text("conversation"))
                if isBlocked {
                    let body = #"{"conversation": "\#(first)"}"#
                    let block = try await service.send("POST", "/v1/me/blocks", body, token: owner)
                    #expect(block.status == 204)
                    try await service.send("DELETE", "/v1/me/conversations/\(first)", token: owner)
                }
                try await service.send("DELETE", "/v1/me/conversations/\(first)", token: writer)
                let again = try await Self.write(service, id, writer, ["text": "again"])
                #expect(again.status == 201 && again.text("conversation") != first)
            }
        }
    }

    @Test("Lists have cursors, are marked as read, and are deleted for one party")
    func inbox() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            for number in 0..<5 {
                _ = try await Self.write(service, id, try await service.guest(), ["text": "\(number)"])
            }
            for path in ["/v1/me/conversations?limit=2", "/v1/listings/\(id)/messages"] {
                var (next, seen): (String?, [String]) = (path, [])
                while let path = next {
                    let page = try await service.send("GET", path, token: owner)
                    guard case .array(let found)? = page["conversations"] else { break }
                    seen += found.indices.compactMap { page.text("conversations", "\($0)", "last_message", "text") }
                    next = page.text("links", "1", "href")?.replacing("https://dogs.example.org", with: "")
                }
                #expect(seen == ["4", "3", "2", "1", "0"])
            }
            let page = try await service.send("GET", "/v1/me/conversations?limit=1", token: owner)
            let conversation = "/v1/me/conversations/\(try #require(page.text("conversations", "0", "id")))"
            #expect(page["conversations", "0", "unread"] == .number(1))
            let unknown = #"{"message": "\#(UUID().uuidString)"}"#
            #expect(try await service.send("POST", conversation + "/read", unknown, token: owner).status == 404)
            #expect(try await service.send("POST", conversation + "/read", token: owner).status == 204)
            #expect(try await service.send("GET", conversation, token: owner)["unread"] == .number(0))
            #expect(try await service.send("DELETE", conversation, token: owner).status == 204)
            #expect(try await service.send("GET", conversation, token: owner).status == 404)
            for cursor in ["-1", "0", "!", String(repeating: "z", count: 40)] {
                let refused = try await service.send("GET", "/v1/me/conversations?cursor=\(cursor)", token: owner)
                #expect(refused.status == 400 && refused.text("field") == "cursor", "\(cursor)")
            }
        }
    }

    @Test("Conversations are kept when a guest registers or signs in, and are deleted with the account")
    func accounts() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, guest) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            _ = try await Self.write(service, id, guest)
            let user = try await service.register("bruno@example.org", guest: guest)
            #expect(try await Self.inbox(service, user) == ["I saw him"])
            let second = try await service.guest()
            _ = try await Self.write(service, id, second, ["text": "from elsewhere"])
            let credentials = #"{"email": "bruno@example.org", "password": "correct horse"}"#
            let session = try await service.send("POST", "/v1/sessions", credentials, token: second)
            let again = try #require(session.text("token"))
            #expect(try await Self.inbox(service, again) == ["from elsewhere", "I saw him"])
            #expect(try await service.send("DELETE", "/v1/me", token: again).status == 204)
            #expect(try await Self.inbox(service, owner).isEmpty)
        }
    }

    private static func limits(_ factor: Double) throws -> RateLimits {
        RateLimits(factor: factor, proxies: try TrustedProxies(parsing: "loopback"), maxDelay: .milliseconds(10))
    }

    @Test("Too many new conversations are refused with a time to retry; existing ones are not affected")
    func quota() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            var ids: [String] = []
            for _ in 0..<11 { ids.append(try await service.post(Self.listing, owner)) }
            // Rejected messages do not count.
            for _ in 0..<20 { #expect(try await Self.write(service, ids[0], writer, [:]).status == 400) }
            for number in 0..<10 {
                let sent = try await Self.write(service, ids[number], writer, ["text": "Hello \(number)"])
                #expect(sent.status == 201)
            }
            let refused = try await Self.write(service, ids[10], writer, ["text": "Hello 10"])
            #expect(refused.status == 429 && refused.headers["content-type"] == "application/problem+json")
            #expect(refused.headers["retry-after"].flatMap { Int($0) }.map { (1...360).contains($0) } == true)
            #expect(refused.headers["ratelimit-policy"] == "\"conversation\";q=10;w=3600")
            for number in 0..<50 {
                #expect(try await Self.write(service, ids[0], writer, ["text": "\(number)"]).status == 201)
            }
            let full = try await Self.write(service, ids[0], writer)
            #expect(full.status == 429 && full.headers["ratelimit-policy"] == "\"message\";q=60;w=3600")
            #expect(try await Self.write(service, ids[10], try await service.guest()).status == 201)
        }
    }

    @Test("The same text can be sent to a few listings only, even with small changes")
    func copies() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            for (number, text) in [
                "I have it, write me!", "i have it write me", "I HAVE IT - write me", "I have it write me.",
            ]
            .enumerated() {
                let id = try await service.post(Self.listing, owner)
                let sent = try await Self.write(service, id, writer, ["text": text])
                #expect(sent.status == (number < 3 ? 201 : 429), "\(text)")
                if number == 3 { #expect(sent.headers["ratelimit-policy"] == "\"message-copy\";q=3;w=86400") }
            }
        }
    }

    @Test("New guests at one address share the budgets of four accounts")
    func address() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.limits(0.1)) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            func write(_ address: String, _ number: Int) async throws -> Int {
                let headers = ["X-Forwarded-For": address]
                let fields = ["text": "Hello \(number)"]
                return try await Self.write(service, id, try await service.guest(), fields, headers: headers).status
            }
            for number in 0..<4 { #expect(try await write("2001:db8:1:2::\(number)", number) == 201) }
            #expect(try await write("2001:db8:1:2::9", 4) == 429)
            #expect(try await write("2001:db8:1:3::9", 5) == 201)
        }
        try await RunningService.with(hasModel: false, limits: try Self.limits(0)) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            for _ in 0..<12 {
                let id = try await service.post(Self.listing, owner)
                #expect(try await Self.write(service, id, writer).status == 201)
            }
        }
    }

    @Test("A refusal for one guest does not reduce the budget of others at the address")
    func refusedOfAddress() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.limits(0.1)) { service in
            let (owner, first) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let other = try await service.post(Self.listing, owner)
            let headers = ["X-Forwarded-For": "2001:db8:1:2::1"]
            func write(_ listing: String, _ token: String, _ text: String) async throws -> Int {
                try await Self.write(service, listing, token, ["text": text], headers: headers).status
            }
            #expect(try await write(id, first, "Hello") == 201)
            for number in 0..<10 { #expect(try await write(other, first, "Hello \(number)") == 429) }
            // The refused message does not count for this guest either.
            for number in 0..<5 { #expect(try await write(id, first, "More \(number)") == 201) }
            #expect(try await write(id, first, "Too much") == 429)
            for number in 0..<3 {
                #expect(try await write(id, try await service.guest(), "Hello of \(number)") == 201)
            }
        }
    }
}
