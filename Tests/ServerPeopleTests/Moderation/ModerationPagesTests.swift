import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Moderation pages")
struct ModerationPagesTests {
    private static let argo = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#

    /// A person with a browser.
    private struct Visitor {
        let service: RunningService
        let token: String

        init(_ service: RunningService, _ token: String? = nil) {
            self.service = service
            self.token =
                token ?? String((0..<43).compactMap { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() })
        }

        func get(_ path: String) async throws -> (status: Int, html: String) {
            try await send(path, nil, method: "GET")
        }

        func send(
            _ path: String,
            _ form: String?,
            method: String = "POST",
            origin: String = "https://dogs.example.org"
        ) async throws -> (status: Int, html: String) {
            let headers = [
                "Cookie": "__Host-doggofinder=\(token)", "Origin": origin, "Accept": "text/html",
                "Content-Type": "application/x-www-form-urlencoded",
            ]
            let answer = try await service.send(method, path, bytes: form.map { Data($0.utf8) }, nil, headers)
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }
    }

    @Test("A visitor without an account reports by a form, and a second report has no effect")
    func report() async throws {
        try await RunningService.with(hasModel: false) { service in
            let id = try await service.post(Self.argo, try await service.guest())
            let visitor = Visitor(service)
            let listing = try await visitor.get("/listings/\(id)")
            #expect(listing.html.contains("/report?subject=listing&amp;id=\(id)"))
            let form = try await visitor.get("/report?subject=listing&id=\(id)")
            #expect(form.status == 200 && form.html.contains("Argo") && form.html.contains("value=\"privacy\""))
            let before = try await service.board.database.rows("account")
            let incomplete = try await visitor.send("/report", "subject=listing&id=\(id)&text=hello+there")
            #expect(incomplete.status == 400 && incomplete.html.contains("hello there"))
            #expect(incomplete.html.contains("Choose what is wrong."))
            #expect(try await service.board.database.rows("account") == before)
            for _ in 0..<2 {
                let sent = try await visitor.send("/report", "subject=listing&id=\(id)&reason=scam&text=Money")
                #expect(sent.status == 200 && sent.html.contains("The moderators will look at it."))
            }
            #expect(try await service.board.database.rows("account") == before + 1)
            #expect(try service.board.reports.cases(.init()).cases.map(\.reports) == [1])
            for bad in [
                "", "?subject=listing", "?subject=cat&id=\(id)", "?subject=listing&id=1", "?subject=photo&id=\(id)",
            ] {
                #expect(try await visitor.get("/report" + bad).status == 404, "\(bad)")
            }
        }
    }

    @Test("The queue is searched like the board, and keeps the search over actions and pages")
    func search() async throws {
        try await RunningService.with(hasModel: false) { service in
            let admin = Visitor(service, try await service.admin())
            let (owner, reporter) = (try await service.guest(), try await service.guest())
            for (name, colour, text) in [("Argo", "nero", "asks for money"), ("Rex", "bianco", "not his dog")] {
                let id = try await service.post(
                    #"{"status": "lost", "name": "\#(name)", "colour": "\#(colour)", "lon": 14.79, "lat": 40.77}"#,
                    owner)
                let report = #"{"subject": "listing", "id": "\#(id)", "reason": "scam", "text": "\#(text)"}"#
                #expect(try await service.send("POST", "/v1/reports", report, token: reporter).status == 202)
            }
            for (text, wanted) in [
                ("cane+nero", ["Argo"]), ("dog", ["Argo", "Rex"]), ("money", ["Argo"]), ("cat", []),
                ("black+rex", []),
            ] {
                let page = try await admin.get("/moderation?q=\(text)&lang=it")
                let count = page.html.components(separatedBy: "class=\"case\"").count - 1
                #expect(page.status == 200 && count == wanted.count, "\(text)")
                #expect(wanted.allSatisfy(page.html.contains), "\(text)")
                let api = try await service.send("GET", "/v1/admin/reports?q=\(text)", token: admin.token)
                #expect(api["numberReturned"] == .number(Double(wanted.count)), "\(text)")
            }
            let page = try await admin.get("/moderation?q=money").html
            #expect(page.contains(#"<input type="hidden" name="q" value="money">"#))
            #expect(try await admin.get("/moderation?q=cat").html.contains("No report matches."))
            #expect(try await admin.get("/moderation?q=%E2%80%A6").status == 400)
            let first = try await service.send("GET", "/v1/admin/reports?q=dog&limit=1", token: admin.token)
            let next = try #require(first.text("links", "1", "href"))
            #expect(first.text("links", "1", "rel") == "next" && next.contains("q=dog"))
            let second = try await service.send(
                "GET", String(next.trimmingPrefix("https://dogs.example.org")), token: admin.token)
            #expect(second["numberReturned"] == .number(1) && second.text("links", "1", "rel") == nil)
            let id = try #require(first.text("reports", "0", "id"))
            let done = try await admin.send(
                "/moderation/reports/\(id)", "action=dismiss&status=open&sort=reported_at&q=dog")
            #expect(done.status == 200)
        }
    }

    @Test("Moderators see how many other people got the words of a reported message")
    func copies() async throws {
        try await RunningService.with(hasModel: false) { service in
            let admin = Visitor(service, try await service.admin())
            let texts = [
                "Send me 50 euro for petrol!", "send me 50 EURO, for petrol", "Send mé 50 euro for petrol",
                "Is he still lost?",
            ]
            var owners: [String] = []
            for text in texts {
                owners.append(try await service.guest())
                let id = try await service.post(Self.argo, try #require(owners.last))
                let message = #"{"text": "\#(text)"}"#
                for _ in 0..<2 {
                    // A person who got the words twice counts once.
                    let sent = try await service.send(
                        "POST", "/v1/listings/\(id)/messages", message, token: try await service.guest())
                    #expect(sent.status == 201)
                }
            }
            for (owner, copies) in zip(owners, [2, 2, 2, 0]) {
                let inbox = try await service.send("GET", "/v1/me/conversations", token: owner)
                let message = try #require(inbox.text("conversations", "0", "last_message", "id"))
                let report = #"{"subject": "message", "id": "\#(message)", "reason": "scam"}"#
                #expect(try await service.send("POST", "/v1/reports", report, token: owner).status == 202)
                let found = try #require(
                    try service.board.reports.cases(.init()).cases.first {
                        $0.subjectID.uuidString.lowercased() == message
                    })
                #expect(found.copies == copies)
                let shown = try await service.send("GET", "/v1/admin/reports/\(found.id)", token: admin.token)
                #expect(shown["copies"] == .number(Double(copies)))
                #expect(try await admin.get("/moderation").html.contains("2 other people got the same words"))
            }
            let page = try await admin.get("/moderation?lang=it").html
            #expect(page.components(separatedBy: "le stesse parole sono arrivate ad altre 2 persone").count == 4)
        }
    }

    @Test("The owner of a hidden listing sees the reason and appeals")
    func appeal() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.argo, owner)
            let visitor = Visitor(service, owner)
            let own = try await visitor.send("/report", "subject=listing&id=\(id)&reason=scam")
            #expect(own.status == 409 && own.html.contains("This is your own listing"))
            try await service.board.moderation.hide(try #require(UUID(uuidString: id)), .init(.privacy, by: .service))
            let page = try await visitor.get("/listings/\(id)")
            #expect(
                page.html.contains("Reason: Someone&#39;s personal data.")
                    || page.html.contains("Reason: Someone's personal data.")
            )
            #expect(page.html.contains("Ask for a review"))
            let form = try await visitor.get("/report?subject=listing&id=\(id)")
            #expect(form.html.contains("name=\"reason\" value=\"appeal\"") && !form.html.contains("type=\"radio\""))
            let sent = try await visitor.send("/report", "subject=listing&id=\(id)&reason=appeal&text=Please")
            #expect(sent.status == 200)
            #expect(try service.board.reports.cases(.init()).cases.first?.reasons.map(\.reason) == [.appeal])
        }
    }

    @Test("Only admins see the pages and can act on them, only by forms of this site")
    func access() async throws {
        try await RunningService.with(hasModel: false) { service in
            let id = try await service.post(Self.argo, try await service.guest())
            let report = #"{"subject": "listing", "id": "\#(id)", "reason": "scam"}"#
            try await service.send("POST", "/v1/reports", report, token: try await service.guest())
            let found = try #require(try service.board.reports.cases(.init()).cases.first?.id.uuidString.lowercased())
            let admin = Visitor(service, try await service.admin())
            let act = "/moderation/reports/\(found)"
            let guest = try await service.guest()
            let user = try await service.register("anna@example.org")
            for (visitor, status) in [
                (Visitor(service), 401), (Visitor(service, guest), 403), (Visitor(service, user), 403),
            ] {
                #expect(try await visitor.get("/moderation").status == status)
                #expect(try await visitor.get("/moderation/audit").status == status)
                #expect(try await visitor.send(act, "action=hide").status == status)
                #expect(try await visitor.send("/moderation/reports/\(UUID())", "action=hide").status == status)
                #expect(try await !visitor.get("/board").html.contains("/moderation"))
            }
            #expect(try await admin.get("/board").html.contains("/moderation"))
            for path in [act, "/report"] {
                let elsewhere = try await admin.send(path, "action=hide", origin: "https://evil.example")
                #expect(elsewhere.status == 403)
            }
            #expect(try await admin.send(act, "action=dismiss&days=-1").status == 400)
            #expect(try service.board.reports.cases(.init()).cases.count == 1)
            let signedOut = try await Visitor(service).get("/moderation?status=open")
            #expect(signedOut.html.contains("/account?next=/moderation?status%3Dopen"))
            let queue = try await admin.get("/moderation?status=&sort=&cursor=")
            // A ban ends after a week unless the moderator chooses otherwise.
            #expect(queue.html.contains(#"<select name="days"><option value="7">"#))
            #expect(queue.status == 200 && queue.html.contains("Argo") && queue.html.contains(act))
        }
    }

    @Test("Moderators hide, restore, ban, unban and dismiss with notes, and see earlier decisions")
    func decisions()
        async throws
    {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            var reports: [String] = []
            for _ in 0..<2 {
                let id = try await service.post(Self.argo, owner)
                let report = #"{"subject": "listing", "id": "\#(id)", "reason": "scam"}"#
                try await service.send("POST", "/v1/reports", report, token: try await service.guest())
            }
            reports = try service.board.reports.cases(.init()).cases.map { $0.id.uuidString.lowercased() }
            let admin = Visitor(service, try await service.admin())
            func act(_ report: Int, _ form: String) async throws -> (status: Int, html: String) {
                try await admin.send("/moderation/reports/\(reports[report])", form + "&status=open&sort=-reports")
            }
            for form in ["note=x", "action=delete", "action=hide&note=me%40example.org", "action=ban&days=never"] {
                #expect(try await act(0, form).status == 400, "\(form)")
            }
            for action in ["hide", "ban"] {
                let question = try await act(0, "action=\(action)&reason=scam&days=7")
                #expect(question.status == 200 && question.html.contains("Reason: Scam"))
                #expect(question.html.contains("name=\"confirmed\""))
                #expect(try await service.send("GET", "/v1/listings").features.count == 2)
            }
            let hidden = try await act(0, "action=hide&reason=scam&note=asks+for+money&confirmed=yes")
            #expect(hidden.status == 200 && hidden.html.contains("Done."))
            #expect(try await act(0, "action=hide&reason=scam&confirmed=yes").status == 409)
            #expect(try await act(0, "action=dismiss").html.contains("Another moderator was faster"))
            #expect(try await service.send("GET", "/v1/listings").features.count == 1)
            #expect(try await act(1, "action=ban&reason=spam&days=7&confirmed=yes").status == 200)
            #expect(try await service.send("GET", "/v1/listings").features.isEmpty)
            let upheld = try await admin.get("/moderation?status=upheld")
            #expect(upheld.html.contains("value=\"unban\"") && upheld.html.contains("value=\"restore\""))
            #expect(try await act(1, "action=unban").status == 200)
            #expect(try await act(0, "action=restore&note=mistaken").status == 200)
            #expect(try await service.send("GET", "/v1/listings").features.count == 2)
            #expect(try await admin.send("/moderation/reports/\(UUID())", "action=hide").status == 404)
            let audit = try await admin.get("/moderation/audit?action=listing.hide&actor=&subject=")
            #expect(audit.html.contains("scam: asks for money") && !audit.html.contains("mistaken"))
            #expect(try await admin.get("/moderation/audit").html.contains("mistaken"))
        }
    }
}
