import Credentials
import Domain
import Foundation
import GRDB
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("A disk that fails")
struct StorageFaultTests {
    private static let post = #"{"status": "lost", "lon": 14, "lat": 40, "description": "D"}"#
        .replacing("D", with: String(repeating: "long ", count: 700))

    /// No page more than there is, as on a full disk.
    private static func fill(_ database: DatabaseFile, _ isFull: Bool) async throws {
        try await database.write { db in
            try db.execute(sql: "PRAGMA max_page_count = \(isFull ? 1 : 1_000_000)")
        }
    }

    /// For good: not even this could be undone.
    private static func refuseWrites(_ database: DatabaseFile) async throws {
        try await database.write { db in try db.execute(sql: "PRAGMA query_only = ON") }
    }

    @Test("A full disk refuses what is written, shows what is there, and takes it when there is room")
    func full() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let listing = try await service.post(Self.post, token)
            try await Self.fill(service.board.database, true)
            var refusal: RunningService.Answer?
            // There is some room in pages that are not full.
            for _ in 0..<200 where refusal == nil {
                let answer = try await service.send("POST", "/v1/listings", Self.post, token: token)
                if answer.status != 201 { refusal = answer }
            }
            let refused = try #require(refusal)
            #expect(refused.status == 507 && refused.headers["retry-after"] != nil)
            #expect(refused.headers["content-type"] == "application/problem+json")
            #expect(refused.text("detail") == "the disk is full: nothing was saved")
            #expect(try await service.send("GET", "/v1/listings/\(listing)").status == 200)
            #expect(try await service.send("GET", "/healthz").status == 200)
            try await Self.fill(service.board.database, false)
            #expect(try await service.send("POST", "/v1/listings", Self.post, token: token).status == 201)
            #expect(try await service.send("GET", "/readyz").status == 200)
            #expect(try await service.board.database.check().isSound)
        }
    }

    @Test("A disk that takes no writes is told at /readyz, in the figures, and in words on forms")
    func readOnly() async throws {
        let metrics = MetricsSettings(token: Token("a token for metrics"), version: "1")
        try await RunningService.with(hasModel: false, metrics: metrics) { service in
            let token = try await service.guest()
            try await Self.refuseWrites(service.board.database)
            let refused = try await service.send("POST", "/v1/listings", Self.post, token: token)
            #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
            #expect(refused.text("detail") == StorageFault.readOnly.serviceError.message)
            #expect(try await service.send("GET", "/readyz").status == 503)
            #expect(try await service.send("GET", "/healthz").status == 200)
            #expect(try await service.send("GET", "/v1/listings").status == 200)
            let figures = try await service.send("GET", "/metrics", token: "a token for metrics").body
            let text = String(decoding: figures, as: UTF8.self)
            #expect(text.contains("doggofinder_writes_failing 1"))
            #expect(!text.contains(#"doggofinder_disk_faults_total{fault="read-only"} 0"#))

            for (language, words) in [("it", "Il nostro disco non funziona"), ("en", "Our disk does not work")] {
                let form = Data("status=lost&name=Argo&place=Fisciano".utf8)
                let headers = [
                    "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                    "Accept": "text/html", "Accept-Language": language,
                ]
                let answer = try await service.send("POST", "/post", bytes: form, token, headers)
                #expect(answer.status == 503)
                let page = String(decoding: answer.body, as: UTF8.self)
                // What was written is still in the form.
                #expect(page.contains(words) && page.contains("Argo"))
            }
        }
    }

    @Test("A damaged index fails the searches that read it, and nothing else")
    func damaged() async throws {
        try await RunningService.with(hasModel: false) { service in
            try await service.board.database.write { db in
                try db.execute(sql: "INSERT INTO poi_source (name) VALUES ('test')")
                try db.execute(
                    sql: """
                        INSERT INTO poi (ref, source_id, seen, category, geom)
                        VALUES ('1', 1, 1, 'veterinary', MakePoint(14, 40, 4326));
                        UPDATE idx_poi_geom_node SET data = zeroblob(3);
                        """
                )
            }
            let answer = try await service.send("GET", "/v1/pois?lon=14&lat=40")
            #expect(answer.status == 503 && answer.text("detail") == StorageFault.damaged.serviceError.message)
            #expect(try await service.send("GET", "/v1/listings").status == 200)
            let token = try await service.guest()
            #expect(try await service.send("POST", "/v1/listings", Self.post, token: token).status == 201)
        }
    }
}
