import Domain
import Foundation
import ObjectStorage
import Photos
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Photos in a bucket over HTTP", .serialized, .enabled(if: ObjectStore.isAvailable, "\(ObjectStore.absence)"))
struct BucketRoutesTests {
    private static let beagle = #"{"status": "lost", "lon": 12.48, "lat": 41.89, "breed": "beagle"}"#
    private let store: ObjectStore

    init() throws {
        store = try ObjectStore()
    }

    private func serving(
        _ bucket: Bucket? = nil,
        _ body: (RunningService) async throws -> Void
    ) async throws {
        let files = PhotoBucket(try bucket ?? store.bucket())
        try await RunningService.with(hasModel: false, photoFiles: files, body)
    }

    /// Waits until the files of removed photos are gone; the server removes them in the background.
    private func wait(for count: Int) async throws {
        try await until("\(count) files") { try store.names().count == count }
    }

    /// Waits until so many photos are announced for removal: their rows go after their objects.
    private func wait(forLeftovers count: Int, _ service: RunningService) async throws {
        try await until("\(count) leftovers") {
            try await service.board.database.read { try $0.value("SELECT count(*) FROM photo_leftover") } == count
        }
    }

    @Test("An uploaded photo is read with the same headers as from a folder, replaced and removed")
    func story() async throws {
        try await serving { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let photo = Data(try plainPNG(width: 40, height: 30))
            let path = "/v1/listings/\(id)/photos/1"
            let sent = try await service.send("PUT", path, bytes: photo, token)
            #expect(sent.status == 201)
            for name in ["url", "medium", "thumbnail"] {
                let path = try #require(sent.text(name)).replacing("https://dogs.example.org", with: "")
                let file = try await service.send("GET", path)
                #expect(file.status == 200 && file.headers["content-type"] == "image/jpeg")
                #expect(file.body.prefix(3) == Data([0xFF, 0xD8, 0xFF]))
                #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
                let tag = try #require(file.headers["etag"])
                _ = try store.counts()
                #expect(try await service.send("GET", path, headers: ["If-None-Match": tag]).status == 304)
                #expect(try store.counts().photos == 0)
            }
            #expect(try await service.send("PUT", path, bytes: photo, token).status == 200)
            try await wait(for: 4)
            #expect(try await service.send("GET", "/readyz").text("photos") == "ready")
            #expect(try await service.send("DELETE", "/v1/listings/\(id)", token: token).status == 204)
            try await wait(for: 0)
            try await wait(forLeftovers: 0, service)
        }
    }

    @Test("While the store fails, photos are answered by 503 and Retry-After, and the rest works")
    func outage() async throws {
        try await serving(try store.bucket(budget: .seconds(1))) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let photo = Data(try plainPNG(width: 40, height: 30))
            let path = "/v1/listings/\(id)/photos/1"
            let sent = try await service.send("PUT", path, bytes: photo, token)
            let file = try #require(sent.text("medium")).replacing("https://dogs.example.org", with: "")
            try store.tell("fail 503")
            // The first request repeats its attempts, the others have one.
            for _ in 0..<2 {
                let read = try await service.send("GET", file)
                #expect(read.status == 503 && read.headers["retry-after"] == "10")
                let upload = try await service.send("PUT", path, bytes: photo, token)
                #expect(upload.status == 503 && upload.headers["retry-after"] == "10")
            }
            #expect(try await service.send("GET", "/v1/listings/\(id)")["properties", "photos", "0"] != nil)
            #expect(try await service.send("GET", "/listings/\(id)").status == 200)
            let ready = try await service.send("GET", "/readyz")
            #expect(ready.status == 200 && ready.text("photos") == "unavailable")
            let admin = try await service.admin()
            let metrics = try await service.send("GET", "/metrics", token: admin).html
            #expect(metrics.contains("doggofinder_photo_store_failing 1\n"))
            #expect(metrics.contains(#"doggofinder_photo_store_requests_total{operation="get",result="failed"} "#))
            // The row is removed, and the files as soon as the store answers.
            #expect(try await service.send("DELETE", path, token: token).status == 204)
            #expect(try await service.send("GET", file).status == 404)
            try store.tell("fail none")
            #expect(try await service.send("PUT", path, bytes: photo, token).status == 201)
            #expect(try await service.send("DELETE", path, token: token).status == 204)
            // What was announced for the failed uploads remains announced for an hour.
            try await wait(for: 0)
            try await wait(forLeftovers: 2, service)
            #expect(try await service.send("GET", "/readyz").text("photos") == "ready")
        }
    }

    @Test("A store that answers late, after the upload was refused, leaves no file for longer than an hour")
    func late() async throws {
        // Each file is sent once.
        try await serving(try store.bucket(attemptTime: 5_000, budget: .zero)) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let path = "/v1/listings/\(id)/photos/1"
            try store.tell("fail late")
            let photo = Data(try plainPNG(width: 40, height: 30))
            #expect(try await service.send("PUT", path, bytes: photo, token).status == 503)
            #expect(try store.names().isEmpty)
            try store.tell("fail none")
            try await wait(for: 4)
            try await wait(forLeftovers: 1, service)
            try await service.board.database.write { db in
                try db.execute("UPDATE photo_leftover SET removable_at = '2000-01-01T00:00:00.000Z'")
            }
            let files = PhotoBucket(try store.bucket())
            try await PhotoStore(service.board.database).sweep { await files.remove($0) }
            #expect(try store.names().isEmpty)
            try await wait(forLeftovers: 0, service)
        }
    }

    @Test("A missing file is not found, and a missing bucket is an outage")
    func missing() async throws {
        try await serving { service in
            let token = try await service.guest()
            let id = try await service.post(Self.beagle, token)
            let photo = Data(try plainPNG(width: 40, height: 30))
            let path = "/v1/listings/\(id)/photos/1"
            let sent = try await service.send("PUT", path, bytes: photo, token)
            let file = try #require(sent.text("medium")).replacing("https://dogs.example.org", with: "")
            let name = try #require(try store.names().first { $0.hasSuffix("-800.jpg") })
            try store.tell("remove \(name)")
            #expect(try await service.send("GET", file).status == 404)
            #expect(try await service.send("GET", "/readyz").text("photos") == "ready")
            try store.tell("remove-bucket")
            #expect(try await service.send("GET", file).status == 503)
            #expect(try await service.send("PUT", path, bytes: photo, token).status == 503)
            try store.tell("make-bucket")
            #expect(try await service.send("PUT", path, bytes: photo, token).status == 200)
        }
    }

    @Test("Eight uploads at once are stored, or leave nothing")
    func atOnce() async throws {
        try await serving { service in
            let token = try await service.guest()
            var ids: [String] = []
            for _ in 0..<8 { ids.append(try await service.post(Self.beagle, token)) }
            try store.tell("fail 500 12")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for id in ids {
                    let photo = Data(try plainPNG(width: 40, height: 30))
                    group.addTask {
                        try await service.send("PUT", "/v1/listings/\(id)/photos/1", bytes: photo, token).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [Int](repeating: 201, count: 8))
            #expect(try store.names().count == 32)
            try await wait(forLeftovers: 0, service)
        }
    }
}
