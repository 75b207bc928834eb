import Domain
import Foundation
import Logging
import NIOCore
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Import routes")
struct ImportRoutesTests {
    static let csv = """
        reference,status,name,breed,last_seen_at,place
        A-1,lost,Argo,Beagle,20/11/2025 18:30,Fisciano (SA)
        A-2,found,,meticcio,2025-11-20,Salerno
        A-3,lost,Luna,,20.11.2025,Nowhere at all
        A-1,lost,Argo,Beagle,20/11/2025,Fisciano (SA)

        """

    @Test("A file is imported in the background and reported by row; the same file again changes nothing")
    func lifeCycle() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let created = try await service.upload(Self.csv, token)
            #expect(created.status == 202)
            #expect(created.headers["location"]?.hasSuffix(try #require(created.text("id"))) == true)
            let first = try await service.ended(created, token)
            #expect(first.text("state") == "done" && first["progress"] == .number(1))
            #expect(
                first["rows"] == [
                    "total": 4, "read": 4, "created": 2, "updated": 0, "unchanged": 0, "closed": 0, "rejected": 2,
                ]
            )
            let path = "/v1/imports/\(try #require(created.text("id")))"
            let rows = try await service.send("GET", path + "/rows", token: token)
            #expect(rows.text("rows", "0", "outcome") == "created" && rows.text("rows", "0", "reference") == "A-1")
            #expect(rows.text("rows", "2", "field") == "place" && rows.text("rows", "2", "column") == "place")
            #expect(rows.text("rows", "3", "message") == "reference: row 1 has the same reference")
            let page = try await service.send("GET", path + "/rows?outcome=rejected&limit=1", token: token)
            #expect(page["rows", "0", "row"] == .number(3) && page.headers["link"]?.contains("cursor") == true)
            let file = try await service.send("GET", path + "/rows?format=csv", token: token)
            #expect(file.html.contains("4,A-1,rejected,,reference,,reference: row 1"))

            let again = try await service.ended(try await service.upload(Self.csv, token), token)
            #expect(again["rows", "unchanged"] == .number(2) && again["rows", "created"] == .number(0))
            let changed = Self.csv.replacing("Argo,Beagle,20/11/2025 18:30", with: "Argo,Boxer,20/11/2025 18:30")
            let third = try await service.ended(try await service.upload(changed, token), token)
            #expect(third["rows", "updated"] == .number(1) && third["rows", "unchanged"] == .number(1))
            let list = try await service.send("GET", "/v1/imports?limit=2", token: token)
            #expect(list["numberReturned"] == .number(2) && list.headers["link"]?.contains("cursor") == true)
            #expect(try await service.send("DELETE", path, token: token).status == 204)
            #expect(try await service.send("GET", path, token: token).status == 404)
        }
    }

    @Test("The messages of a report are in the language of the import, and why an import failed is in the caller's")
    func languages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let created = try await service.upload(Self.csv, token, "?lang=it")
            _ = try await service.ended(created, token)
            let path = "/v1/imports/\(try #require(created.text("id")))"
            let rows = try await service.send("GET", path + "/rows", token: token, headers: ["Accept-Language": "de"])
            #expect(rows.text("rows", "3", "message") == "reference: la riga 1 ha lo stesso riferimento")
            let empty = try await service.ended(try await service.upload("reference,status,place\n", token), token)
            #expect(empty.text("problem") == "empty")
            let failed = "/v1/imports/\(try #require(empty.text("id")))"
            for (language, message) in [
                ("en", "the file has no rows: nothing was changed"),
                ("it", "il file non ha righe: non è stato cambiato nulla"),
            ] {
                let answer = try await service.send("GET", failed, token: token, headers: ["Accept-Language": language])
                #expect(answer.text("message") == message && answer.headers["content-language"] == language)
            }
        }
    }

    @Test("Rows that say the same id are reported, whatever their references are, and the others are imported")
    func sameID() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let id = UUID().uuidString.lowercased()
            let rows = ["\(id),A-1", "\(id),A-2", "\(id),", ",A-3"].map { "\($0),found,Boxer,Fisciano (SA)\n" }.joined()
            let created = try await service.upload("id,reference,status,breed,place\n" + rows, token)
            let ended = try await service.ended(created, token)
            #expect(ended.text("state") == "done" && ended["rows", "created"] == 2 && ended["rows", "rejected"] == 2)
            let path = "/v1/imports/\(try #require(created.text("id")))/rows?outcome=rejected"
            let rejected = try await service.send("GET", path, token: token)
            for index in ["0", "1"] { #expect(rejected.text("rows", index, "message") == "id: row 1 has the same id") }
        }
    }

    @Test("Guests cannot import, and strangers do not see an import")
    func access() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (guest, owner) = (try await service.guest(), try await service.register("anna@example.org"))
            #expect(try await service.upload(Self.csv, guest).status == 403)
            let created = try await service.upload(Self.csv, owner)
            let path = "/v1/imports/\(try #require(created.text("id")))"
            let stranger = try await service.register("eva@example.org")
            for method in ["GET", "DELETE"] {
                #expect(try await service.send(method, path, token: stranger).status == 404)
            }
            #expect(try await service.send("GET", path + "/rows", token: stranger).status == 404)
        }
    }

    @Test("A dry run reports and writes nothing, and its file can be imported from the page")
    func dryRun() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let trial = try await service.ended(try await service.upload(Self.csv, token, "?dry_run=true"), token)
            #expect(trial["rows", "created"] == .number(2) && trial["rows", "rejected"] == .number(2))
            #expect(try await service.openListings() == 0)
            let cookie = ["Cookie": "__Host-doggofinder=\(token)"]
            let path = "/my/imports/\(try #require(trial.text("id")))"
            let page = try await service.send("GET", path, headers: cookie)
            #expect(page.status == 200 && page.html.contains("value=\"import\""))
            let type = ["Content-Type": "application/x-www-form-urlencoded", "Origin": "https://dogs.example.org"]
            let answer = try await service.send(
                "POST",
                path,
                bytes: Data("action=import".utf8),
                nil,
                cookie.merging(type) { $1 },
                isFollowing: false
            )
            #expect(answer.status == 303)
            try await until("two listings") { try await service.openListings() == 2 }
        }
    }

    @Test("Listings that are missing are closed, but not more than half of them at once")
    func missing() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            func file(_ numbers: Range<Int>) -> String {
                "reference,status,last_seen_at,place\n"
                    + numbers.map { "R\($0),lost,2025-11-20,Fisciano (SA)\n" }.joined()
            }
            func run(_ text: String, _ query: String) async throws -> RunningService.Answer {
                try await service.ended(try await service.upload(text, token, query), token)
            }
            _ = try await run(file(0..<30), "?source=a")
            _ = try await run(file(100..<102), "?source=b")
            let few = try await run(file(0..<10), "?source=a&close_missing=true")
            #expect(few.text("problem") == "too_many_missing")
            #expect(try await service.openListings() == 32)
            let empty = try await run("reference,status\n", "?source=a&close_missing=all")
            #expect(empty.text("problem") == "empty")
            let broken = try await run(file(0..<20) + "\"never ends,lost\n", "?source=a&close_missing=all")
            #expect(broken.text("problem") == "unreadable")
            #expect(try await service.openListings() == 32)
            let trial = try await run(file(0..<16), "?source=a&close_missing=true&dry_run=true")
            #expect(trial["rows", "closed"] == .number(14))
            #expect(try await service.openListings() == 32)
            let some = try await run(file(0..<16), "?source=a&close_missing=true")
            #expect(some.text("state") == "done" && some["rows", "closed"] == .number(14))
            #expect(try await service.openListings() == 18)
            let back = try await run(file(0..<30), "?source=a&close_missing=true")
            #expect(back["rows", "updated"] == .number(14) && back["rows", "unchanged"] == .number(16))
            let all = try await run(file(0..<1), "?source=a&close_missing=all")
            #expect(all["rows", "closed"] == .number(29))
            #expect(try await service.openListings() == 3)
        }
    }

    @Test("Two sources cannot change each other's listings, nor those of other accounts")
    func sources() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, eva) = (
                try await service.register("anna@example.org"), try await service.register("eva@example.org")
            )
            let row = "id,reference,status,last_seen_at,place\n,A-1,lost,2025-11-20,Fisciano (SA)\n"
            let first = try await service.ended(try await service.upload(row, anna, "?source=a"), anna)
            #expect(first["rows", "created"] == .number(1))
            let second = try await service.ended(try await service.upload(row, anna, "?source=b"), anna)
            #expect(second["rows", "rejected"] == .number(1))
            let own = try await service.ended(try await service.upload(row, eva), eva)
            #expect(own["rows", "created"] == .number(1))
            let rows = try await service.send("GET", "/v1/imports/\(try #require(first.text("id")))/rows", token: anna)
            let id = try #require(rows.text("rows", "0", "listing"))
            let theft = "id,status,last_seen_at,place\n\(id),found,2025-11-20,Salerno\n"
            let stolen = try await service.ended(try await service.upload(theft, eva), eva)
            #expect(stolen["rows", "rejected"] == .number(1))
        }
    }

    @Test("JSON arrays of objects are tables; other JSON is refused before it is an import")
    func json() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let animals = #"""
                 {"total": 2, "animals": [{"reference": "J-1", "status": "lost", "place": "Salerno", "last_seen_at": "2025-11-20"},
                 {"reference": "J-2", "status": "found", "place": "Salerno"}]}
                """#
            let read = try await service.ended(
                try await service.upload(animals, token, type: "application/json"), token)
            #expect(read["rows", "created"] == .number(2), "\(read.html)")
            let same = #"[{"reference": "J-1", "status": "closed", "place": "Salerno"}]"#
            let again = try await service.ended(
                try await service.upload(same, token, type: "application/json"), token)
            #expect(again["rows", "updated"] == .number(1))
            for wrong in ["7", "\"x\"", "reference,status", ""] {
                let refused = try await service.upload(wrong, token, type: "application/json")
                #expect(refused.status == 400 && refused.text("field") == "body", "\(wrong)")
            }
        }
    }

    @Test("GeoJSON, and what no program should send")
    func hostile() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let good = """
                {"type": "FeatureCollection", "name": "features", "features": [
                {"type": "Feature", "id": "G1", "geometry": {"type": "Point", "coordinates": [14.79, 40.77]},
                "properties": {"status": "lost", "name": "{\\"[Argo", "last_seen_at": "2025-11-20"}}, {"type": "Feature"}]}
                """
            let answer = try await service.ended(
                try await service.upload(good, token, type: "application/geo+json"),
                token
            )
            #expect(answer["rows", "created"] == .number(1) && answer["rows", "rejected"] == .number(1))
            let long = String(repeating: "a", count: 3 << 20)
            let bad = [
                "{\"features\":" + String(repeating: "[", count: 1_000_000), "{\"features\": [{\"properties\": {",
                "a,b\n\(long)\n", "a,b\n\"\(long)", long, "{\"features\": [{\"properties\": \"\(long)\"}]}", "{}",
            ]
            for text in bad {
                let answer = try await service.ended(try await service.upload(text, token), token)
                #expect(answer.text("problem") == "unreadable", "\(text.prefix(30))")
            }
            let odd = """
                reference,status,name,last_seen_at,place
                F1,lost,"=HYPERLINK(""http://evil"")",2025-11-20,Fisciano (SA)
                F2,lost,A\u{0}B,2025-11-20,Fisciano (SA)
                F3,lost
                F4,lost,Argo,11/20/2025,Fisciano (SA)

                """
            let report = try await service.ended(try await service.upload(odd, token), token)
            // The only date that tells the order of its numbers begins with the month.
            #expect(report["rows", "created"] == .number(2) && report["rows", "rejected"] == .number(2))
            let huge = try await service.upload(String(repeating: "x", count: ListingImport.maxFileSize + 1), token)
            #expect(huge.status == 413)
            #expect(try await service.upload("", token).status == 400)
            #expect(try await service.upload("a", token, type: "application/pdf").status == 415)
            let names = try FileManager.default.contentsOfDirectory(
                atPath: service.board.folder.url.appending(path: "imports").path
            )
            #expect(names.isEmpty)
        }
    }

    @Test(
        "Eight imports at once: three of each account wait, they take turns, and 5,000 equal references are one listing"
    )
    func turns() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, eva) = (
                try await service.register("anna@example.org"), try await service.register("eva@example.org")
            )
            let same =
                "reference,status,last_seen_at,place\n" + String(repeating: "A,lost,2025-11-20,Salerno\n", count: 5_000)
            let answers = try await withThrowingTaskGroup(of: RunningService.Answer.self) { group in
                for _ in 0..<8 { group.addTask { try await service.upload(same, anna) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 202 } == ListingImport.maxUnfinished)
            #expect(answers.allSatisfy { [202, 403].contains($0.status) })
            let accepted = answers.filter { $0.status == 202 }
            let path = "/v1/imports/\(try #require(accepted.last?.text("id")))"
            #expect(try await service.send("DELETE", path, token: anna).status == 204)
            #expect(try await service.send("GET", path, token: anna).text("state") == "cancelled")
            let quick = try await service.ended(try await service.upload(Self.csv, eva), eva)
            #expect(quick["rows", "created"] == .number(2))
            for answer in accepted.dropLast() {
                let ended = try await service.ended(answer, anna)
                #expect(ended["rows", "rejected"] == .number(4_999))
            }
            #expect(try await service.openListings() == 3)
        }
    }

    @Test("An import goes on after a restart, and writes each row once")
    func restart() async throws {
        let board = try await TestDatabase()
        let rows = (0..<400).map { "R\($0),lost,2025-11-20,Fisciano (SA)\n" }.joined()
        let text = "reference,status,last_seen_at,place\n" + rows
        var token = ""
        try await RunningService.with(board: board, hasModel: false) { service in
            token = try await service.register("shelter@example.org")
        }
        let imports = try await WebService(over: board, model: nil).imports
        let account = try #require(try await board.accounts.findAccount(email: "shelter@example.org"))
        let (pieces, file) = AsyncStream.makeStream(of: ByteBuffer.self)
        file.yield(ByteBuffer(string: text))
        file.finish()
        let id = try await imports.receive(pieces, by: account)
        _ = try await imports.create(id, ListingImport.Order(), by: account, sender: account)
        // The rows are counted, and two batches written. The second one is as large as the time of the first one allows.
        for _ in 0..<3 { _ = try await imports.advance(at: .recent, Logger(label: "test"), turn: .zero) }
        let written: Int? = try await board.database.read { try $0.value("SELECT count(*) FROM board") }
        #expect((100...150).contains(written ?? 0))
        try await RunningService.with(board: board, hasModel: false) { service in
            let path = "/v1/imports/\(id.uuidString.lowercased())"
            let answer = try await service.ended(try await service.send("GET", path, token: token), token)
            #expect(answer["rows", "created"] == .number(400) && answer.text("state") == "done")
            #expect(try await service.openListings() == 400)
        }
    }
}

extension RunningService {
    func openListings() async throws -> Int {
        try board.database.readNow { db in try db.value("SELECT count(*) FROM board") } ?? 0
    }
}
