import Channels
import Domain
import Foundation
import OutgoingHTTP
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Photos at addresses", .enabled(if: Receiver.isAvailable))
struct RemotePhotoTests {
    private struct Shelter {
        let service: RunningService
        let receiver: TakingReceiver
        let clock: ManualClock
        let token: String

        /// An address of the receiver.
        func url(_ path: String) -> String { receiver.url("").replacing("/take/", with: "/" + path) }

        /// Imports rows of references and addresses, and waits until no photo waits for its first attempt.
        @discardableResult
        func load(_ rows: [(String, String)], column: String = "photos") async throws -> RunningService.Answer {
            let text =
                "reference,status,name,place,\(column)\n"
                + rows.map { "\($0),found,Argo,Fisciano (SA),\"\($1)\"\n" }.joined()
            let done = try await service.ended(try await service.upload(text, token), token)
            let id = try #require(done.text("id"))
            return try await settled(id)
        }

        /// Waits until each photo of an import was tried.
        func settled(_ id: String) async throws -> RunningService.Answer {
            try await eventually("the photos") {
                let found = try await service.send("GET", "/v1/imports/\(id)", token: token)
                return found["photos", "waiting"] == found["photos", "retried"] ? found : nil
            }
        }

        /// The photos of the listing with a reference.
        func photos(of reference: String) async throws -> [JSONValue] {
            let own = try await service.send("GET", "/v1/me/listings", token: token)
            for listing in own["features"].items where listing["properties"]?["reference"] == .string(reference) {
                return (listing["properties"]?["photos"]).items
            }
            throw TestFailure("no listing \(reference)")
        }
    }

    private static func with(_ body: (Shelter) async throws -> Void) async throws {
        let (receiver, clock) = (try TakingReceiver(), ManualClock())
        let channels = ChannelSettings.silent(receiver.settings)
        try await RunningService.with(hasModel: false, channels: channels, now: clock.reading) { service in
            let token = try await service.register("shelter@example.org")
            try await body(Shelter(service: service, receiver: receiver, clock: clock, token: token))
        }
    }

    @Test("The photos of a row become those of its listing, and change with it")
    func changes() async throws {
        try await Self.with { shelter in
            let (one, two, three) = (shelter.url("photo/1"), shelter.url("to-photo/2"), shelter.url("photo/3"))
            let first = try await shelter.load([("A-1", "\(one) \(two)"), ("A-2", "yes")])
            #expect(first["photos", "stored"] == 2 && first["photos", "total"] == 2, "\(first.html)")
            #expect(try await shelter.photos(of: "A-2").isEmpty)
            let before = try await shelter.photos(of: "A-1")
            #expect(before.count == 2)
            let again = try await shelter.load([("A-1", "\(one) \(two)"), ("A-2", "yes")])
            #expect(again["rows", "unchanged"] == 2 && again["photos", "total"] == 0)
            // The photo that stays is not fetched again, and the one that is gone is removed.
            try await shelter.load([("A-1", "\(one);\(three)")])
            let after = try await shelter.photos(of: "A-1")
            #expect(after.count == 2 && after.first == before.first && after.last != before.last)
            let requests = shelter.receiver.begun
            #expect(requests.filter { $0 == "/photo/1" }.count == 1 && requests.filter { $0 == "/photo/3" }.count == 1)
        }
    }

    @Test("A row without a reference that gets another photo is the same row")
    func unnamedRows() async throws {
        try await Self.with { shelter in
            for number in 1...2 {
                let text = "status,name,place,photo\nfound,Argo,Fisciano (SA),\(shelter.url("photo/\(number * 90)"))\n"
                let done = try await shelter.service.ended(
                    try await shelter.service.upload(text, shelter.token), shelter.token)
                #expect(done["rows", number == 1 ? "created" : "unchanged"] == 1, "\(done.html)")
                let id = try #require(done.text("id"))
                #expect(try await shelter.settled(id)["photos", "stored"] == 1)
            }
            let own = try await shelter.service.send("GET", "/v1/me/listings", token: shelter.token)
            #expect(own["features"].items.count == 1)
        }
    }

    @Test("A photo that its owner removed does not come back")
    func removed() async throws {
        try await Self.with { shelter in
            try await shelter.load([("A-1", shelter.url("photo/1"))])
            let own = try await shelter.service.send("GET", "/v1/me/listings", token: shelter.token)
            let id = try #require(own.text("features", "0", "id"))
            let path = "/v1/listings/\(id)/photos/1"
            #expect(try await shelter.service.send("DELETE", path, token: shelter.token).status == 204)
            // The row changes, and its address does not.
            let text = "reference,status,name,place,photos\nA-1,found,Ugo,Fisciano (SA),\(shelter.url("photo/1"))\n"
            let done = try await shelter.service.ended(
                try await shelter.service.upload(text, shelter.token), shelter.token)
            #expect(done["rows", "updated"] == 1)
            #expect(try await shelter.photos(of: "A-1").isEmpty)
        }
    }

    @Test("What is no photo, is not answered or may not be asked is told")
    func failures() async throws {
        try await Self.with { shelter in
            let cases = [
                ("status/404", "refused"), ("echo", "no_photo"), ("csv/x", "no_photo"), ("nonsense/", "no_photo"),
                ("end", "unreachable"), ("redirect/302", "no_photo"), ("body/\(17 << 20)", "too_large"),
            ]
            var rows = cases.enumerated().map { ("A-\($0)", shelter.url($1.0)) }
            rows.append(("B-1", "https://10.0.0.1/dog.jpg"))
            rows.append(("B-2", "https://wrong.test:\(shelter.receiver.port)/photo/1"))
            let done = try await shelter.load(rows)
            #expect(done["photos", "stored"] == 0 && done["photos", "total"] == .number(Double(rows.count)))
            let problems = Set(done["photos", "problems"].items.compactMap { $0["problem"].flatMap(text) })
            #expect(
                problems == ["refused", "no_photo", "unreachable", "too_large", "not_permitted"], "\(done["photos"]!)")
            let id = try #require(done.text("id"))
            let page = try await shelter.service.send(
                "GET", "/my/imports/\(id)",
                headers: ["Cookie": "__Host-doggofinder=\(shelter.token)", "Accept-Language": "en"])
            #expect(page.html.contains("Why some photos are missing") && page.html.contains("10.0.0.1"))
        }
    }

    @Test("A server that fails for a while is asked again later, and its photos arrive then")
    func retries() async throws {
        try await Self.with { shelter in
            let done = try await shelter.load([("A-1", shelter.url("flaky-photo/7"))])
            #expect(done["photos", "waiting"] == 1 && done["photos", "stored"] == 0)
            #expect(try await shelter.photos(of: "A-1").isEmpty)
            shelter.clock.advance(hours: 0.1)
            let id = try #require(done.text("id"))
            try await until("the photo") {
                try await shelter.service.send("GET", "/v1/imports/\(id)", token: shelter.token)["photos", "stored"]
                    == 1
            }
            #expect(try await shelter.photos(of: "A-1").count == 1)
        }
    }

    @Test("A photo whose attempts have all ended with the process is given up")
    func killed() async throws {
        try await Self.with { shelter in
            let done = try await shelter.load([("A-1", shelter.url("flaky-photo/8"))])
            try await shelter.service.board.database.write { db in
                try db.execute("UPDATE remote_photo SET attempt_count = 5, problem = NULL")
            }
            let requests = shelter.receiver.begun.count
            shelter.clock.advance(hours: 0.1)
            let id = try #require(done.text("id"))
            try await until("the end") {
                try await shelter.service.send("GET", "/v1/imports/\(id)", token: shelter.token)["photos", "failed"]
                    == 1
            }
            #expect(shelter.receiver.begun.count == requests)
        }
    }

    @Test("Columns of usual names are read, and a listing has six photos at most")
    func columns() async throws {
        try await Self.with { shelter in
            let text = """
                reference,status,name,place,Foto 1,Foto 2,Foto
                A-1,found,Argo,Fisciano (SA),\(shelter.url("photo/1")),\(shelter.url("photo/2")),SI
                """
            let done = try await shelter.service.ended(
                try await shelter.service.upload(text, shelter.token), shelter.token)
            #expect(done["unknown_columns"] == [])
            let id = try #require(done.text("id"))
            _ = try await shelter.settled(id)
            #expect(try await shelter.photos(of: "A-1").count == 2)
            try await shelter.load([("A-2", (1...9).map { shelter.url("photo/\($0)") }.joined(separator: "|"))])
            #expect(try await shelter.photos(of: "A-2").count == 6)
        }
    }

    @Test("A trial fetches nothing")
    func trial() async throws {
        try await Self.with { shelter in
            let text = "reference,status,name,place,photo\nA-1,found,Argo,Fisciano (SA),\(shelter.url("photo/1"))\n"
            let answer = try await shelter.service.upload(text, shelter.token, "?dry_run=true")
            let done = try await shelter.service.ended(answer, shelter.token)
            #expect(done["rows", "created"] == 1 && done["photos", "total"] == 0)
            #expect(shelter.receiver.begun.isEmpty)
        }
    }
}

private func text(_ value: JSONValue) -> String? { if case .string(let text) = value { text } else { nil } }

extension JSONValue? {
    fileprivate var items: [JSONValue] { if case .array(let items)? = self { items } else { [] } }
}
