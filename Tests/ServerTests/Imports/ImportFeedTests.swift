import Channels
import Domain
import Foundation
import OutgoingHTTP
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Files at addresses", .enabled(if: Receiver.isAvailable))
struct ImportFeedTests {
    private static let path = "/v1/import-feeds"

    private static func with(
        scheme: OutgoingURL.Scheme = .https,
        _ body: (RunningService, TakingReceiver, ManualClock) async throws -> Void
    ) async throws {
        let (receiver, clock) = (try TakingReceiver(scheme: scheme), ManualClock())
        let channels = ChannelSettings.silent(receiver.settings)
        try await RunningService.with(hasModel: false, channels: channels, now: clock.reading) { service in
            try await body(service, receiver, clock)
        }
    }

    /// Waits until the only address of the account has an outcome.
    private static func outcome(
        _ service: RunningService,
        _ token: String,
        after last: String? = nil
    ) async throws -> String {
        try await eventually("an outcome") {
            let feeds = try await service.send("GET", path, token: token)
            let at = feeds.text("import_feeds", "0", "last_at")
            return at != nil && at != last ? feeds.text("import_feeds", "0", "last_outcome") ?? "" : nil
        }
    }

    @Test("A file at an address is imported with a report, until the account ends it")
    func fetching() async throws {
        try await Self.with { service, receiver, _ in
            let token = try await service.register("shelter@example.org")
            let url = receiver.url("").replacing("/take/", with: "/csv/Argo/Luna")
            let body = #"{"url": "\#(url)", "every_hours": 6, "source": "list"}"#
            let created = try await service.send("POST", Self.path, body, token: token)
            #expect(created.status == 201 && created["last_at"] == .null && created.text("close_missing") == "false")
            #expect(try await service.send("POST", Self.path, body, token: token).status == 409)
            #expect(try await Self.outcome(service, token) == "imported")
            let feeds = try await service.send("GET", Self.path, token: token)
            let report = try #require(feeds.text("import_feeds", "0", "last_import")?.suffix(36))
            let done = try await eventually("the import") {
                let found = try await service.send("GET", "/v1/imports/\(report)", token: token)
                return found.text("state") == "done" ? found : nil
            }
            #expect(done["rows", "created"] == .number(2) && done.text("source") == "list")
            let own = try await service.send("GET", "/v1/me/listings", token: token)
            #expect(own["numberReturned"] == .number(2))
            let page = try await service.send(
                "GET",
                "/my/imports",
                headers: ["Cookie": "__Host-doggofinder=\(token)", "Accept-Language": "en"]
            )
            #expect(page.html.contains("fetched") && page.html.contains("Fetch no more"))
            let id = try #require(created.text("id"))
            let other = try await service.guest()
            #expect(try await service.send("DELETE", "\(Self.path)/\(id)", token: other).status == 404)
            #expect(try await service.send("POST", "\(Self.path)/\(id)/run", token: token).status == 202)
            #expect(try await service.send("DELETE", "\(Self.path)/\(id)", token: token).status == 204)
            #expect(try await service.send("GET", Self.path, token: token)["import_feeds"] == [])
        }
    }

    @Test("A file at an http address that has not changed is not imported again, unless the service left rows out")
    func unchanged() async throws {
        try await Self.with(scheme: .http) { service, receiver, clock in
            let token = try await service.register("shelter@example.org")
            let url = "http://127.0.0.1:\(receiver.port)/tagged/Argo/Luna"
            let created = try await service.send("POST", Self.path, #"{"url": "\#(url)", "source": "a"}"#, token: token)
            #expect(created.status == 201 && created.text("url") == url)
            let id = try #require(created.text("id"))
            var last: String?
            func next() async throws -> String {
                let outcome = try await Self.outcome(service, token, after: last)
                last = try await service.send("GET", Self.path, token: token).text("import_feeds", "0", "last_at")
                try await until("the import") {
                    let imports = try await service.send("GET", "/v1/imports", token: token)
                    return imports.text("imports", "0", "state") == "done"
                }
                return outcome
            }
            func run() async throws -> String {
                clock.advance(hours: 1)
                #expect(try await service.send("POST", "\(Self.path)/\(id)/run", token: token).status == 202)
                return try await next()
            }
            #expect(try await next() == "imported")
            #expect(try await run() == "unchanged")
            #expect(try await run() == "unchanged")
            #expect(try await service.send("GET", "/v1/imports", token: token)["imports", "1"] == nil)
            // Each of these changes what the same file would do, or tells that nobody knows what it has done.
            for change in [
                """
                INSERT INTO listing_import_row (import_id, number, outcome, field) SELECT max(id), 3, 'rejected', 'quota'
                FROM listing_import; UPDATE listing_import SET rejected_count = 1
                """,
                "UPDATE listing_import SET state = 'failed', problem = 'internal'",
                "UPDATE listing_import SET created_at = '2020-01-01T00:00:00.000Z'",
                "DELETE FROM listing_import",
                """
                INSERT INTO import_plan (account_id, source, plan, updated_at)
                SELECT account_id, 'a', '{}', '2099-01-01T00:00:00.000Z' FROM import_feed
                """,
            ] {
                try await service.board.database.write { db in try db.run(script: change) }
                #expect(try await run() == "imported", "\(change)")
                try await service.board.database.write { db in try db.run(script: "DELETE FROM import_plan") }
                #expect(try await run() == "unchanged", "\(change)")
            }
            // A row whose mistake is its own says nothing else the next time.
            try await service.board.database.write { db in
                try db.run(
                    script: """
                        INSERT INTO listing_import_row (import_id, number, outcome, field)
                        SELECT max(id), 3, 'rejected', 'place' FROM listing_import; UPDATE listing_import SET rejected_count = 1
                        """
                )
            }
            #expect(try await run() == "unchanged")
        }
    }

    @Test("Validators of another form are not sent back")
    func validators() {
        typealias Validators = ImportFeed.Validators
        for tag in [
            #""a""#, #"W/"a b""#, "a", #""a"#, #""a"b""#, "\"\u{E8}\"",
            "\"" + String(repeating: "a", count: 199) + "\"",
        ] {
            #expect((Validators(entityTag: tag, lastModified: nil).entityTag != nil) == (tag == #""a""#), "\(tag)")
        }
        #expect(Validators(entityTag: #"W/"a""#, lastModified: nil).entityTag == #"W/"a""#)
        for time in [
            "Sat, 21 Nov 2026 17:05:00 GMT", "Sat, 21 Nov 2026 17:05:00 GMT\r\nX: y", "today", "",
            "Sat, \u{0662}\u{0661} Nov 2026 17:05:01 GMT",
        ] {
            let isKept = Validators(entityTag: nil, lastModified: time).lastModified != nil
            #expect(isKept == time.hasSuffix("17:05:00 GMT"), "\(time)")
        }
    }

    @Test(
        "What is no file is told and imports nothing",
        arguments: [
            ("/status/404", "refused"), ("/redirect/302", "refused"), ("/body/0", "refused"),
            ("/body/\(ListingImport.maxFileSize + 1)", "too_large"), ("/nonsense", "unreachable"),
        ]
    )
    func failures(file: String, outcome: String) async throws {
        try await Self.with { service, receiver, _ in
            let token = try await service.register("shelter@example.org")
            let url = receiver.url("").replacing("/take/", with: file)
            let created = try await service.send("POST", Self.path, #"{"url": "\#(url)"}"#, token: token)
            #expect(created.status == 201)
            #expect(try await Self.outcome(service, token) == outcome)
            #expect(try await service.send("GET", "/v1/imports", token: token)["imports"] == [])
            let feeds = try await service.send("GET", Self.path, token: token)
            let (last, next) = (
                try #require(feeds.text("import_feeds", "0", "last_at")),
                try #require(feeds.text("import_feeds", "0", "next_at"))
            )
            // It is tried again an hour later and not after a day.
            #expect(Timestamp(stored: next) == Timestamp(stored: last).adding(seconds: 3600))
        }
    }

    @Test("Orders that are not as expected are refused, and the field is named")
    func invalid() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let url = #""url": "https://example.org/dogs.csv""#
            for (body, field) in [
                ("{}", "url"), (#"{"url": 1}"#, "url"), (#"{"url": "ftp://example.org/"}"#, "url"),
                (#"{"url": "http://10.0.0.1/"}"#, "url"), (#"{"url": "http://example.org:8080/"}"#, "url"),
                (#"{"url": "https://127.0.0.1/"}"#, "url"), (#"{"url": "https://example.org:8443/"}"#, "url"),
                (#"{\#(url), "every_hours": 0}"#, "every_hours"), (#"{\#(url), "every_hours": 169}"#, "every_hours"),
                (#"{\#(url), "every_hours": "x"}"#, "every_hours"), (#"{\#(url), "source": "a b"}"#, "source"),
                (#"{\#(url), "mapping": "x"}"#, "mapping"), (#"{\#(url), "close_missing": "no"}"#, "close_missing"),
                (#"{\#(url), "x": 1}"#, "x"),
            ] {
                let answer = try await service.send("POST", Self.path, body, token: token)
                #expect(answer.status == 400 && answer.text("field") == field, "\(body): \(answer.html)")
            }
            for number in 0...ImportFeed.maxCount {
                let body = #"{\#(url), "source": "list\#(number)"}"#
                let status = try await service.send("POST", Self.path, body, token: token).status
                #expect(status == (number < ImportFeed.maxCount ? 201 : 403))
            }
            let guest = try await service.guest()
            #expect(try await service.send("POST", Self.path, "{\(url)}", token: guest).status == 403)
        }
    }
}
