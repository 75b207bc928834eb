import Credentials
import Domain
import Foundation
import NIOCore
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Storage faults")
struct StorageFaultTests {
    private static let post = #"{"status": "lost", "lon": 14, "lat": 42, "description": "D"}"#
        .replacing("D", with: String(repeating: "long ", count: 700))

    /// Limits a database file to its current pages, as a full disk does. On a server, a trigger refuses new listings with
    /// the error code of a full disk.
    private static func fill(_ database: any Database, _ isFull: Bool) async throws {
        guard database.engine == .postGIS else {
            return try await setOnWriters("max_page_count = \(isFull ? 1 : 1_000_000)", database)
        }
        let sql =
            isFull
            ? """
            CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE disk_full; END $$;
            CREATE TRIGGER disk_is_full BEFORE INSERT ON listing FOR EACH ROW EXECUTE FUNCTION disk_is_full()
            """ : "DROP FUNCTION disk_is_full CASCADE"
        try await database.write { db in try db.run(script: sql) }
    }

    /// Makes all further writes fail permanently: even this setting could not be reversed.
    private static func refuseWrites(_ database: any Database) async throws {
        try await setOnWriters("query_only = ON", database)
    }

    private static func setOnWriters(_ setting: String, _ database: any Database) async throws {
        let set = { @Sendable (db: SQLConnection) in _ = try db.execute("PRAGMA \(setting)") }
        try await database.write(set)
        try await database.write(.newListings, set)
    }

    @Test("A full disk rejects writes, serves reads, and accepts writes when there is space")
    func full() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let listing = try await service.post(Self.post, token)
            try await Self.fill(service.board.database, true)
            var refusal: RunningService.Answer?
            // Pages that are not full have some space left.
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

    @Test("Photos are refused while less than the reserve is free")
    func reserve() async throws {
        let board = try await TestDatabase()
        let photo = AsyncStream { stream in
            stream.yield(ByteBuffer(bytes: (try? plainPNG(width: 40, height: 30)) ?? []))
            stream.finish()
        }
        let full = try PhotoService(over: board, model: nil, reservedBytes: .max)
        let error = await #expect(throws: ServiceError.self) { try await full.process(photo) }
        #expect(error == StorageFault.full.serviceError)
        #expect(board.database.faults.counts[.full] == 1)
        _ = try await board.listings.create(.at(14, 40), owner: try await board.guest())
        _ = try await PhotoService(over: board, model: nil).process(photo)
    }

    @Test(
        "A read-only disk is reported at /readyz, in metrics, and on form pages",
        .enabled(if: TestDatabase.isFile, "about database files")
    )
    func readOnly() async throws {
        let metrics = MetricsSettings(token: Token("a token for metrics"), version: "1")
        try await RunningService.with(hasModel: false, metrics: metrics) { service in
            let token = try await service.guest()
            try await Self.refuseWrites(service.board.database)
            let refused = try await service.send("POST", "/v1/listings", Self.post, token: token)
            #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
            #expect(refused.text("detail") == StorageFault.readOnly.serviceError.message.text)
            #expect(try await service.send("GET", "/readyz").status == 503)
            #expect(try await service.send("GET", "/healthz").status == 200)
            #expect(try await service.send("GET", "/v1/listings").status == 200)
            let figures = try await service.send("GET", "/metrics", token: "a token for metrics").body
            let text = String(decoding: figures, as: UTF8.self)
            #expect(text.contains("doggofinder_writes_failing 1"))
            #expect(!text.contains(#"doggofinder_disk_faults_total{fault="read-only"} 0"#))

            for (language, words) in [("it", "Il nostro disco ha un problema"), ("en", "Our disk has a problem")] {
                let form = Data("status=lost&name=Argo&place=Fisciano".utf8)
                let headers = [
                    "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                    "Accept": "text/html", "Accept-Language": language,
                ]
                let answer = try await service.send("POST", "/post", bytes: form, token, headers)
                #expect(answer.status == 503)
                let page = String(decoding: answer.body, as: UTF8.self)
                // The form still contains the user's input.
                #expect(page.contains(words) && page.contains("Argo"))
            }
        }
    }

    @Test(
        "A database server that refuses connections is reported at /readyz, in metrics, and on form pages, until it returns",
        .enabled(if: !TestDatabase.isFile, "about a database server")
    )
    func unreachable() async throws {
        let metrics = MetricsSettings(token: Token("a token for metrics"), version: "1")
        try await RunningService.with(hasModel: false, metrics: metrics) { service in
            let (token, server) = (try await service.guest(), try #require(PostgresTestServer.current))
            let listing = try await service.post(Self.post, token)
            try server.setRefusing(true, service.board.database)
            let key = ["Idempotency-Key": "\"once\""]
            let refused = try await service.send("POST", "/v1/listings", Self.post, token: token, headers: key)
            #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
            #expect(refused.text("detail") == StorageFault.unreachable.serviceError.message.text)
            #expect(try await service.send("GET", "/readyz").status == 503)
            #expect(try await service.send("GET", "/healthz").status == 200)
            let read = try await service.send("GET", "/v1/listings/\(listing)")
            #expect(read.status == 503 && read.headers["retry-after"] != nil)
            let figures = try await service.send("GET", "/metrics", token: "a token for metrics").body
            let text = String(decoding: figures, as: UTF8.self)
            #expect(text.contains("doggofinder_writes_failing 1"))
            #expect(!text.contains(#"doggofinder_disk_faults_total{fault="unreachable"} 0"#))
            let form = Data("status=lost&name=Argo&place=Fisciano".utf8)
            let headers = [
                "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                "Accept": "text/html", "Accept-Language": "it",
            ]
            let page = try await service.send("POST", "/post", bytes: form, token, headers)
            #expect(page.status == 503 && page.html.contains("<html lang=\"it\""))

            try server.setRefusing(false, service.board.database)
            #expect(try await service.send("GET", "/readyz").status == 200)
            for _ in 0..<2 {
                let again = try await service.send("POST", "/v1/listings", Self.post, token: token, headers: key)
                #expect(again.status == 201)
            }
            #expect(try await service.send("GET", "/v1/me/listings", token: token).features.count == 2)
        }
    }

    @Test(
        "A damaged index fails only the searches that read it",
        .enabled(if: TestDatabase.isFile, "about R*Trees")
    )
    func damaged() async throws {
        try await RunningService.with(hasModel: false) { service in
            try await service.board.database.write { db in
                try db.execute("INSERT INTO poi_source (name) VALUES ('test')")
                try db.run(
                    script: """
                        INSERT INTO poi (ref, source_id, seen, category, geom)
                        VALUES ('1', 1, 1, 'veterinary', MakePoint(14, 40, 4326));
                        UPDATE idx_poi_geom_node SET data = zeroblob(3);
                        """
                )
            }
            let answer = try await service.send("GET", "/v1/pois?lon=14&lat=40")
            #expect(answer.status == 503 && answer.text("detail") == StorageFault.damaged.serviceError.message.text)
            #expect(try await service.send("GET", "/v1/listings").status == 200)
            let token = try await service.guest()
            #expect(try await service.send("POST", "/v1/listings", Self.post, token: token).status == 201)
        }
    }
}
