import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Message pages")
struct MessagePagesTests {
    private static let listing = """
        {"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77, "contact_phone": "089 1234567",
         "secret_mark": "Scar under the left ear"}
        """

    private static func get(
        _ service: RunningService,
        _ path: String,
        cookie: String? = nil,
        token: String? = nil
    ) async throws -> RunningService.Answer {
        let headers = ["Accept": "text/html"].merging(cookie.map { ["Cookie": $0] } ?? [:]) { $1 }
        return try await service.send("GET", path, token: token, headers: headers)
    }

    private static func send(
        _ service: RunningService,
        _ path: String,
        _ fields: [String: String] = [:],
        cookie: String? = nil,
        token: String? = nil
    ) async throws -> RunningService.Answer {
        let form = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        let headers = [
            "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html", "Sec-Fetch-Site": "same-origin",
        ].merging(cookie.map { ["Cookie": $0] } ?? [:]) { $1 }
        return try await service.send("POST", path, bytes: Data(form.joined(separator: "&").utf8), token, headers)
    }

    private static func conversation(_ service: RunningService, _ token: String) async throws -> String {
        let inbox = try await service.send("GET", "/v1/me/conversations", token: token)
        return try #require(inbox.text("conversations", "0", "id"))
    }

    @Test("A visitor becomes a guest by writing, once, and reads the answer in the inbox")
    func visitor() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            let write = "/listings/\(id)/write"
            #expect(try await Self.get(service, "/listings/\(id)").html.contains("href=\"\(write)\""))
            let form = try await Self.get(service, write)
            let cookie = try #require(form.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
            #expect(form.headers["cache-control"] == "no-store" && form.html.contains("name=\"mark\""))
            #expect(form.html.contains("gift cards") && !form.html.contains("1234567"))
            let fields = ["key": UUID().uuidString, "text": "I saw him", "mark": "a scar", "contact_name": "Bruno"]
            let before = try await service.board.accounts.findAccounts(role: nil, limit: 100).count
            for missing in ["text", "mark"] {
                var rest = fields
                rest[missing] = ""
                let again = try await Self.send(service, write, rest, cookie: cookie)
                #expect(again.status == 400 && again.html.contains("value=\"Bruno\""), "\(missing)")
            }
            #expect(try await service.board.accounts.findAccounts(role: nil, limit: 100).count == before)
            for _ in 0..<2 {
                let sent = try await Self.send(service, write, fields.merging(["else": "x"]) { $1 }, cookie: cookie)
                #expect(sent.status == 200)
            }
            let conversation = try await Self.conversation(service, owner)
            let shown = try await service.send("GET", "/v1/me/conversations/\(conversation)", token: owner)
            #expect(shown["unread"] == .number(1) && shown.text("correspondent") == "Bruno")
            let answer = "/v1/me/conversations/\(conversation)/messages"
            try await service.send("POST", answer, #"{"text": "Where was it?"}"#, token: owner)
            #expect(try await Self.get(service, "/board", cookie: cookie).html.contains("class=\"badge\""))
            let inbox = try await Self.get(service, "/inbox", cookie: cookie)
            #expect(inbox.html.contains("/inbox/\(conversation)") && inbox.html.contains("Where was it?"))
            let page = try await Self.get(service, "/inbox/\(conversation)", cookie: cookie)
            #expect(page.html.contains("Where was it?") && page.html.contains("/report?subject=message&amp;id="))
            #expect(page.headers["cache-control"] == "no-store")
            #expect(!(try await Self.get(service, "/board", cookie: cookie).html.contains("class=\"badge\"")))
            let known = try await Self.get(service, write, cookie: cookie)
            #expect(known.html.contains("Where was it?"))
        }
    }

    @Test("The inbox is searched like the board, on the page and by the API")
    func search() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            for content in [#""name": "Argo", "colour": "nero""#, #""name": "Micia", "species": "cat""#] {
                let id = try await service.post(#"{"status": "lost", \#(content), "lon": 14.79, "lat": 40.77}"#, owner)
                let sent = try await service.send(
                    "POST", "/v1/listings/\(id)/messages", #"{"text": "Visto ieri"}"#, token: writer)
                #expect(sent.status == 201)
                // A closed listing is found as well.
                if content.contains("Argo") {
                    try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "reunited"}"#, token: owner)
                }
            }
            let cookie = "__Host-doggofinder=\(owner)"
            func names(_ html: String) -> [String] { ["Argo", "Micia"].filter { html.contains("<bdi>\($0)</bdi>") } }
            for (text, wanted) in [
                ("cane+nero", ["Argo"]), ("gatta", ["Micia"]), ("visto", ["Argo", "Micia"]), ("collare", []),
            ] {
                let page = try await Self.get(service, "/inbox?q=\(text)&lang=it", cookie: cookie)
                #expect(page.status == 200 && names(page.html) == wanted, "\(text)")
                let answer = try await service.send("GET", "/v1/me/conversations?q=\(text)", token: owner)
                #expect(answer["numberReturned"] == .number(Double(wanted.count)), "\(text)")
            }
            let page = try await Self.get(service, "/inbox?q=cane+nero&lang=it", cookie: cookie).html
            #expect(page.contains(#"href="/inbox?q=cane" aria-label="Togli: nero""#))
            #expect(page.contains(#"value="cane nero""#))
            let none = try await Self.get(service, "/inbox?q=collare&lang=it", cookie: cookie).html
            #expect(none.contains("Nessun messaggio corrisponde."))
            let bad = try await Self.get(service, "/inbox?q=%E2%80%A6", cookie: cookie)
            #expect(bad.status == 400 && bad.html.contains("class=\"notice problem\"") && names(bad.html).count == 2)
            #expect(try await service.send("GET", "/v1/me/conversations?q=%E2%80%A6", token: owner).status == 400)
        }
    }

    @Test("Pages of other users' conversations are not found, and cross-site forms are refused")
    func strangers() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let body = #"{"text": "I saw him", "mark": "x"}"#
            try await service.send("POST", "/v1/listings/\(id)/messages", body, token: writer)
            let own = "/inbox/\(try await Self.conversation(service, owner))"
            let stranger = try await service.guest()
            #expect(try await Self.get(service, own).status == 401)
            #expect(try await Self.get(service, own, token: stranger).status == 404)
            for action in ["", "/delete", "/block", "/unblock"] {
                let fields = ["text": "x"]
                #expect(try await Self.send(service, own + action, fields, token: stranger).status == 404, "\(action)")
                #expect(try await service.send("POST", own + action, token: owner).status == 403, "\(action)")
            }
            #expect(try await Self.get(service, "/inbox", token: stranger).html.contains("class=\"empty\""))
            let about = try await Self.get(service, "/inbox?listing=\(id)", token: stranger)
            #expect(!about.html.contains("Argo"))
            #expect(try await Self.get(service, "/inbox?listing=\(id)", token: owner).html.contains("I saw him"))
        }
    }

    @Test("The owner sees whether the mark matches, answers, blocks and deletes without scripts")
    func owner() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let body = #"{"text": "Send me the code first", "mark": "SCAR under the left ear"}"#
            try await service.send("POST", "/v1/listings/\(id)/messages", body, token: writer)
            let own = "/inbox/\(try await Self.conversation(service, owner))"
            let page = try await Self.get(service, own, token: owner)
            #expect(
                page.html.contains("That is what you wrote.") && page.html.contains("lets them take over your account")
            )
            let writers = try await Self.get(service, own, token: writer)
            #expect(!writers.html.contains("what you wrote.") && !writers.html.contains("left ear</bdi><br>"))
            #expect(try await Self.get(service, "/listings/\(id)", token: owner).html.contains("/inbox?listing=\(id)"))
            let answered = try await Self.send(service, own, ["text": "Who are you?"], token: owner)
            #expect(answered.html.contains("Who are you?"))
            let blocked = try await Self.send(service, own + "/block", token: owner)
            #expect(blocked.html.contains("action=\"\(own)/unblock\"") && !blocked.html.contains("<textarea"))
            #expect(try await Self.send(service, own, ["text": "x"], token: owner).status == 409)
            let unblocked = try await Self.send(service, own + "/unblock", token: owner)
            #expect(unblocked.html.contains("<textarea"))
            _ = try await Self.send(service, own + "/block", token: owner)
            let deleted = try await Self.send(service, own + "/delete", token: owner)
            #expect(deleted.html.contains("class=\"empty\""))
            // A blocked sender can be unblocked even if the conversation was deleted.
            let way = try #require(deleted.html.firstMatch(of: #/action="(/inbox/[0-9a-f-]{36}/unblock)"/#)?.1)
            let after = try await Self.send(service, String(way), token: owner)
            #expect(after.status == 200 && !after.html.contains("/unblock"))
            #expect(try await Self.get(service, own, token: owner).status == 404)
            #expect(try await Self.get(service, own, token: writer).status == 200)
        }
    }

    @Test("One button at the warning reports the message and hides its sender, and the list of blocks undoes it")
    func reportAndHide() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            func write(_ text: String) async throws {
                let body = #"{"text": "\#(text)", "mark": "x"}"#
                #expect(
                    try await service.send("POST", "/v1/listings/\(id)/messages", body, token: writer).status == 201)
            }
            try await write("I have him, send 200 euro on Postepay")
            let own = "/inbox/\(try await Self.conversation(service, owner))"
            let inbox = try await service.send("GET", "/v1/me/conversations", token: owner)
            let message = try #require(inbox.text("conversations", "0", "last_message", "id"))
            let page = try await Self.get(service, own, token: owner).html
            let warning = try #require(page.range(of: "meet at a vet"))
            let text = try #require(page.range(of: "I have him"))
            let button = try #require(page.range(of: "action=\"\(own)/report\""))
            #expect(warning.upperBound < button.lowerBound && button.upperBound < text.lowerBound)
            #expect(try await !Self.get(service, own, token: writer).html.contains("/report\""))
            for (fields, status) in [([:], 400), (["message": "1"], 400), (["message": UUID().uuidString], 404)] {
                #expect(try await Self.send(service, own + "/report", fields, token: owner).status == status)
            }
            #expect(try service.board.reports.cases(.init()).cases.isEmpty)
            for _ in 0..<2 {
                let done = try await Self.send(service, own + "/report", ["message": message], token: owner)
                #expect(done.status == 200 && done.html.contains("Reported to the moderators and hidden."))
                #expect(!done.html.contains("href=\"\(own)#") && done.html.contains("class=\"empty\""))
            }
            let reported = try #require(try service.board.reports.cases(.init()).cases.first)
            #expect(reported.reports == 1 && reported.reasons.map(\.reason) == [.scam])
            #expect(reported.message == "I have him, send 200 euro on Postepay" && reported.copies == 0)
            try await write("Answer me")
            let hidden = try await Self.get(service, "/inbox", token: owner).html
            #expect(hidden.contains("class=\"empty\""))
            let way = try #require(hidden.firstMatch(of: #/action="(/inbox/[0-9a-f-]{36}/unblock)"/#)?.1)
            let back = try await Self.send(service, String(way), token: owner).html
            #expect(back.contains("href=\"\(own)#") && back.contains("I have him"))
        }
    }

    @Test("A user over the limit gets their text back with a time to retry")
    func quota() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let text = "I have seen your dog, write to me"
            for number in 0..<4 {
                let id = try await service.post(Self.listing, owner)
                let sent = try await Self.send(
                    service,
                    "/listings/\(id)/write",
                    ["text": text, "mark": "x"],
                    token: writer
                )
                guard number == 3 else { continue }
                #expect(sent.status == 429 && sent.html.contains(">\(text)</textarea>"))
                #expect(sent.headers["retry-after"] != nil)
            }
        }
    }

    @Test("Hostile text is displayed as text")
    func hostile() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let markup = "</p></textarea><xss a='\"{{t.board.title}}\u{202E}"
            let fields = ["text": markup, "mark": markup, "contact_name": markup]
            let sent = try await Self.send(service, "/listings/\(id)/write", fields, token: writer)
            let conversation = try await Self.conversation(service, owner)
            let pages = [
                sent, try await Self.get(service, "/inbox", token: owner),
                try await Self.get(service, "/inbox/\(conversation)", token: owner),
                try await Self.send(
                    service,
                    "/inbox/\(conversation)",
                    fields.merging(["contact_phone": "x"]) { $1 },
                    token: owner
                ),
            ]
            for page in pages {
                #expect(page.html.contains("&lt;xss") && !page.html.contains("<xss"))
                #expect(page.html.contains("{{t.board.title}}"))
            }
        }
    }
}
