import Domain
import Foundation
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Reports")
struct ReportRoutesTests {
    private static let argo = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#

    private static func report(
        _ id: String,
        _ reason: String = "scam",
        subject: String = "listing",
        text: String? = nil
    ) -> String {
        let more = text.map { #", "text": "\#($0)""# } ?? ""
        return #"{"subject": "\#(subject)", "id": "\#(id)", "reason": "\#(reason)"\#(more)}"#
    }

    @Test("Every signed-in user can report once, and reporters are not disclosed")
    func reporters() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, admin) = (try await service.guest(), try await service.admin())
            let id = try await service.post(Self.argo, owner)
            #expect(try await service.send("POST", "/v1/reports", Self.report(id)).status == 401)
            let anna = try await service.register("anna@example.org")
            var answers: [RunningService.Answer] = []
            for (token, reason, text) in [
                (try await service.guest(), "scam", "Asks for money"), (anna, "scam", nil),
                (anna, "wrong", "once more"),
            ] {
                let body = Self.report(id, reason, text: text)
                answers.append(try await service.send("POST", "/v1/reports", body, token: token))
            }
            #expect(answers.map(\.status) == [202, 202, 202])
            #expect(Set(answers.map(\.body)).count == 1)
            let queue = try await service.send("GET", "/v1/admin/reports", token: admin)
            #expect(queue["numberReturned"] == 1)
            #expect(queue["reports", "0", "reports"] == 2)
            #expect(queue["reports", "0", "reasons"] == ["scam": 2])
            #expect(queue.text("reports", "0", "subject_id") == id)
            #expect(queue.text("reports", "0", "texts", "0", "text") == "Asks for money")
            let reporter = try await service.send("GET", "/v1/me", token: anna).text("id") ?? "none"
            #expect(!String(decoding: queue.body, as: UTF8.self).contains(reporter))
            for token in [owner, nil] {
                let seen = try await service.send("GET", "/v1/listings/\(id)", token: token)
                #expect(!String(decoding: seen.body, as: UTF8.self).contains("report"))
            }
        }
    }

    @Test("The error for an invalid report names the field, and invisible subjects are not found")
    func invalidSubjects() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, token) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.argo, owner)
            let hidden = try await service.post(Self.argo, owner)
            try await service.board.moderation.hide(try #require(UUID(uuidString: hidden)), .init(by: .service))
            let long = String(repeating: "a", count: 1001)
            let none = UUID().uuidString
            for (body, status, field) in [
                ("{}", 400, "subject"), (Self.report("x"), 400, "id"), (Self.report(id, "because"), 400, "reason"),
                (Self.report(id, subject: "account"), 400, "subject"), (Self.report(id, text: long), 400, "text"),
                (Self.report(id, text: "a\\u0000b"), 400, "text"), (Self.report(id, "appeal"), 400, "reason"),
                (#"{"subject": "listing", "id": "\#(id)", "reason": "scam", "who": "me"}"#, 400, "who"),
                (Self.report(none), 404, nil), (Self.report(hidden), 404, nil),
                (Self.report(id, subject: "photo"), 404, nil),
                (Self.report(id, subject: "message"), 404, nil),
            ] as [(String, Int, String?)] {
                let answer = try await service.send("POST", "/v1/reports", body, token: token)
                #expect(answer.status == status && answer.text("field") == field, "\(body.prefix(120))")
            }
            let own = try await service.send("POST", "/v1/reports", Self.report(id), token: owner)
            #expect(own.status == 409)
            #expect(try await service.board.database.rows("report_case") == 0)
        }
    }

    @Test("An owner can appeal once each time a listing is hidden")
    func appeals()
        async throws
    {
        try await RunningService.with(hasModel: false) { service in
            let (owner, admin) = (try await service.guest(), try await service.admin())
            let id = try await service.post(Self.argo, owner)
            let body = Self.report(id, "appeal", text: "It is my dog")
            #expect(try await service.send("POST", "/v1/reports", body, token: owner).status == 400)
            for round in 1...2 {
                let hide = "/v1/admin/listings/\(id)/hide"
                #expect(try await service.send("POST", hide, #"{"reason": "wrong"}"#, token: admin).status == 204)
                let own = try await service.send("GET", "/v1/listings/\(id)", token: owner)
                #expect(own["properties", "hidden"] == true && own.text("properties", "hidden_reason") == "wrong")
                for _ in 0..<2 {
                    #expect(try await service.send("POST", "/v1/reports", body, token: owner).status == 202)
                }
                let queue = try await service.send("GET", "/v1/admin/reports", token: admin)
                #expect(queue["reports", "0", "reasons"] == ["appeal": 1], "round \(round)")
                let restore = "/v1/admin/listings/\(id)/restore"
                #expect(try await service.send("POST", restore, token: admin).status == 204)
                #expect(try await service.send("GET", "/v1/listings/\(id)").status == 200)
                #expect(try await service.send("GET", "/v1/admin/reports", token: admin)["numberReturned"] == 0)
                let granted = try await service.send("GET", "/v1/admin/reports?status=upheld", token: admin)
                #expect(granted["numberReturned"] == .number(Double(round)))
            }
        }
    }

    @Test("Reports are limited by account and by address, and form one case of the queue")
    func flood() async throws {
        let limits = RateLimits(factor: 1, proxies: try TrustedProxies(parsing: "loopback"), maxDelay: .zero)
        try await RunningService.with(hasModel: false, limits: limits) { service in
            func send(_ path: String, _ body: String?, _ token: String?, from address: String) async throws -> Int {
                try await service.send("POST", path, body, token: token, headers: ["X-Forwarded-For": address]).status
            }
            let owner = try await service.guest()
            let id = try await service.post(Self.argo, owner)
            let one = try await service.guest()
            var statuses: [Int] = []
            for _ in 0..<25 { statuses.append(try await send("/v1/reports", Self.report(id), one, from: "192.0.2.1")) }
            #expect(statuses.count { $0 == 202 } == 20 && statuses.suffix(5).allSatisfy { $0 == 429 })
            // All guests at one address share ten budgets.
            var taken = 0
            for _ in 0..<12 {
                let guest = try await service.guest()
                for _ in 0..<20
                where try await send("/v1/reports", Self.report(id), guest, from: "192.0.2.1") == 202 { taken += 1 }
            }
            // Budgets recover slightly during the test, and refused reports count for the address, too.
            #expect((170...190).contains(taken))
            let queue = try service.board.reports.cases(.init()).cases
            #expect(queue.count == 1 && (9...13).contains(queue.first?.reports ?? 0))
        }
    }

    @Test("Concurrent reports are counted correctly")
    func concurrentReports() async throws {
        let board = try await TestDatabase()
        let listing = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
        let draft = Report.Draft(subject: .listing, id: listing.id, reason: .spam, text: nil)
        var guests: [Account] = []
        for _ in 0..<50 { guests.append(try await board.guest()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for guest in guests + guests { group.addTask { try await board.reports.file(draft, by: guest) } }
            try await group.waitForAll()
        }
        let found = try board.reports.cases(.init()).cases
        #expect(found.count == 1 && found.first?.reports == 50)
        #expect(found.first?.reasons.map(\.reports) == [50])
    }

    @Test("A decided case is reopened by another reporter")
    func reopening() async throws {
        let board = try await TestDatabase()
        let listing = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
        let draft = Report.Draft(subject: .listing, id: listing.id, reason: .spam, text: nil)
        let (first, second) = (try await board.guest(), try await board.guest())
        try await board.reports.file(draft, by: first)
        let id = try #require(try board.reports.cases(.init()).cases.first?.id)
        try await board.moderation.decide(id, .dismissed, note: nil, by: .service)
        try await board.reports.prune(at: Timestamp.now.adding(days: 89))
        let kept = try await board.database.rows("report_case")
        #expect(kept == 1)
        try await board.reports.file(draft, by: first)
        #expect(try board.reports.cases(.init()).cases.isEmpty)
        try await board.reports.file(draft, by: second)
        #expect(try board.reports.cases(.init()).cases.map(\.reports) == [1])
        // Open cases are not pruned.
        try await board.reports.prune(at: Timestamp.now.adding(days: 91))
        #expect(try board.reports.cases(.init()).cases.map(\.reports) == [1])
        let left = try await board.database.rows("report_case")
        #expect(left == 1)
    }

    @Test("If configured, enough reports of registered accounts hide a listing until it is reviewed")
    func automaticHiding()
        async throws
    {
        let board = try await TestDatabase()
        let reports = ReportStore(board.database, hideAfter: 3)
        let listing = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
        let draft = Report.Draft(subject: .listing, id: listing.id, reason: .scam, text: nil)
        func isHidden() throws -> Bool? { try board.listings.findListing(id: listing.id, \.isHidden) }
        for _ in 0..<5 { try await reports.file(draft, by: try await board.guest()) }
        // New accounts and deleted accounts do not count.
        for number in 1...4 {
            let user = try await board.user("new\(number)@example.org")
            try await reports.file(draft, by: user)
            if number > 2 { try await board.accounts.remove(user) }
        }
        func settled(_ name: String) async throws -> Account {
            let user = try await board.user("\(name)@example.org")
            try await board.database.write { db in
                let sql = "UPDATE account SET created_at = '2020-01-01T00:00:00.000Z' WHERE id = ?"
                try db.execute(sql, [user.key])
            }
            return user
        }
        for number in 1...3 {
            #expect(try isHidden() == false)
            let user = try await settled("user\(number)")
            for _ in 0..<2 where try isHidden() == false { try await reports.file(draft, by: user) }
        }
        #expect(try isHidden() == true)
        let found = try #require(try reports.cases(.init()).cases.first)
        #expect(found.reports == 12 && found.registered == 7)
        #expect(try AuditLog(board.database).entries(.init()).map(\.actor) == ["service"])
        try await board.moderation.restore(listing.id, by: .service)
        // A moderator has reviewed it, so further reports do not hide it.
        for number in 4...7 { try await reports.file(draft, by: try await settled("user\(number)")) }
        #expect(try isHidden() == false)
    }

    @Test("Deleting an account deletes the texts of its reports and the reports about it")
    func deletion() async throws {
        let board = try await TestDatabase()
        let (owner, reporter) = (try await board.guest(), try await board.guest())
        let listing = try await board.listings.create(try .at(1, 2), owner: owner)
        let draft = Report.Draft(subject: .listing, id: listing.id, reason: .privacy, text: "my number")
        try await board.reports.file(draft, by: reporter)
        try await board.accounts.remove(reporter)
        let left = try #require(try board.reports.cases(.init()).cases.first)
        #expect(left.reports == 1 && left.texts.isEmpty)
        try await board.listings.remove(listing, version: nil)
        let gone = try #require(try board.reports.cases(.init()).cases.first)
        #expect(!gone.isThere && gone.listing == nil && gone.account == owner.id)
        try await board.accounts.remove(owner)
        #expect(try await board.database.rows("report_case") == 0)
        #expect(try await board.database.rows("report") == 0)
        #expect(try await board.database.check().isSound)
    }

    @Test("Reports by and about a guest who signs in move to the account")
    func signIn() async throws {
        let board = try await TestDatabase()
        let (guest, other) = (try await board.guest(), try await board.guest())
        let user = try await board.user("anna@example.org")
        let own = try await board.listings.create(try .at(1, 2), owner: guest)
        let others = try await board.listings.create(try .at(1, 2), owner: other)
        try await board.reports.file(.init(subject: .listing, id: own.id, reason: .scam, text: nil), by: other)
        try await board.reports.file(.init(subject: .listing, id: others.id, reason: .scam, text: nil), by: guest)
        _ = try await board.accounts.signIn(user, tokenHash: Data(count: 32), bringing: guest)
        try await board.reports.file(.init(subject: .listing, id: others.id, reason: .scam, text: nil), by: user)
        let cases = try board.reports.cases(.init()).cases
        #expect(cases.map(\.account) == [user.id, other.id])
        #expect(cases.map(\.reports) == [1, 1])
    }
}

extension ListingRow {
    fileprivate var isHidden: Bool { flag(.hidden) }
}

extension Database {
    func rows(_ table: String) async throws -> Int {
        try await read { db in try db.value("SELECT count(*) FROM \(table)") ?? -1 }
    }
}
