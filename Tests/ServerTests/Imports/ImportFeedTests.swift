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
        _ body: (RunningService, TakingReceiver, ManualClock) async throws -> Void
    ) async throws {
        let (receiver, clock) = (try TakingReceiver(), ManualClock())
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
                ("{}", "url"), (#"{"url": 1}"#, "url"), (#"{"url": "http://example.org/"}"#, "url"),
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
