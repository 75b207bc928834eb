import Domain
import Foundation
import FoundationNetworking
import Photos
import Storage
import TestSupport
import Testing

@Suite("Commands with photos in a bucket", .serialized, .enabled(if: ObjectStore.isAvailable, "\(ObjectStore.absence)"))
struct BucketCommandTests {
    private let store: ObjectStore
    private let program: Program
    private let options: [String: String]
    private var data: URL { program.folder.url.appending(path: "data") }

    init() throws {
        store = try ObjectStore()
        program = try Program()
        let keys = try program.write(store.keysText, "keys")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: keys)
        options = store.options(keysFile: keys)
    }

    private func run(_ arguments: String..., data: URL? = nil) throws -> Program.Outcome {
        try program.run(arguments, data: data ?? self.data, environment: options)
    }

    @Test("Demo photos go into the bucket; check, backup and restore compare and copy them")
    func story() throws {
        #expect(try run("demo", "--count", "40").status == 0)
        let names = try store.names()
        #expect(names.count >= 4 && names.count % 4 == 0)
        #expect(!FileManager.default.fileExists(atPath: data.appending(path: "photos").path))
        #expect(try run("check").status == 0)
        let backups = program.folder.url.appending(path: "backups")
        let outcome = try run("backup", backups.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let backup = try #require(backups.entries.first)
        let copied = try FileManager.default.subpathsOfDirectory(atPath: backup.appending(path: "photos").path)
        #expect(copied.filter { $0.hasSuffix(".jpg") }.map { "dogs/\($0)" }.sorted() == names)
        #expect(try store.names() == names)

        try store.tell("remove \(names[0])")
        try store.tell("put dogs/stranger x")
        let found = try run("check")
        #expect(found.status == 1 && found.output.contains("s3://photos/\(names[0]) is missing"))
        #expect(found.output.contains("s3://photos/dogs/stranger is of no photo"))
        #expect(try run("backup", backups.path).status == 1)
        try store.tell("remove dogs/stranger")

        let restored = program.folder.url.appending(path: "restored")
        try store.tell("fail 403")
        let refused = try run("restore", backup.path, data: restored)
        #expect(refused.status != 0 && refused.errors.contains("s3://photos/dogs"))
        #expect(!FileManager.default.fileExists(atPath: restored.path))
        try store.tell("fail none")
        let restore = try run("restore", backup.path, data: restored)
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(try store.names() == names)
        #expect(!FileManager.default.fileExists(atPath: restored.appending(path: "photos").path))
        #expect(try run("check", data: restored).status == 0)
        // A backup also makes a data folder with its photos in it.
        let local = program.folder.url.appending(path: "local")
        #expect(try program.run(["restore", backup.path], data: local).status == 0)
        #expect(try program.run(["check"], data: local).status == 0)
    }

    @Test("The program reaches a store with TLS if the certificate is trusted")
    func tls() throws {
        let store = try ObjectStore(certificate: "receiver")
        let keys = try program.write(store.keysText, "tls-keys")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: keys)
        var options = store.options(keysFile: keys)
        let demo = try program.run(["demo", "--count", "5"], data: data, environment: options)
        #expect(demo.status == 0, "\(demo.errors)")
        #expect(try !store.names().isEmpty)
        #expect(try program.run(["check"], data: data, environment: options).status == 0)
        options["DOGGOFINDER_PHOTOS_CA_FILE"] = nil
        let refused = try program.run(["check"], data: data, environment: options)
        #expect(refused.status != 0 && (refused.errors + refused.output).contains("certificate"), "\(refused.errors)")
    }

    @Test("After kill -9 between the files and the row, the next server removes the files when their hour is over")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate()
        let server = try ServerProcess(folder, environment: options, logLevel: "critical")
        let base = "http://127.0.0.1:\(server.port)"
        let token = try #require(
            try await Self.send("POST", "\(base)/v1/guests").json?["token"] as? String
        )
        let listing = try #require(
            try await Self.send("POST", "\(base)/v1/listings", #"{"status": "lost", "lon": 12, "lat": 42}"#, token)
                .json?["id"] as? String
        )
        // The first two files arrive, and the third hangs.
        let photo = try plainPNG(width: 40, height: 30)
        try store.tell("fail cut-after")
        async let upload = Self.send("PUT", "\(base)/v1/listings/\(listing)/photos/1", photo, token)
        try await until("a file") { try !store.names().isEmpty }
        server.kill()
        _ = try? await upload
        server.process.waitUntilExit()
        #expect(try !store.names().isEmpty)
        try store.tell("fail none")
        #expect(try await database.read { try $0.value("SELECT count(*) FROM photo") as Int? } == 0)
        // Announced files are known.
        #expect(try program.run(["check"], data: folder.url, environment: options).status == 0)
        try await database.write { db in
            try db.execute("UPDATE photo_leftover SET removable_at = '2000-01-01T00:00:00.000Z'")
        }
        let next = try ServerProcess(folder, environment: options, logLevel: "critical")
        defer { next.stop() }
        try await until("no files") { try store.names().isEmpty }
    }

    @Test("The server refuses wrong settings, and starts while the store does not answer")
    func settings() throws {
        func refusal(_ changes: [String: String]) throws -> String {
            let outcome = try program.run(
                ["serve", "--port", "0"],
                data: data,
                environment: options.merging(changes) { $1 }
            )
            #expect(outcome.status != 0)
            return outcome.errors
        }
        let readable = try program.write(store.keysText, "readable")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: readable)
        #expect(try refusal(["DOGGOFINDER_PHOTOS_KEYS_FILE": readable]).contains("others cannot read"))
        let wrong = try program.write(store.keysText(secret: "wrong"), "wrong")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
        let told = try refusal(["DOGGOFINDER_PHOTOS_KEYS_FILE": wrong])
        #expect(told.contains("photos: s3://photos/dogs cannot be used") && told.contains("photos-keys-file"))
        #expect(try refusal(["DOGGOFINDER_PHOTOS_KEYS_FILE": ""]).contains("photos-keys-file: expected the lines"))
        #expect(try refusal(["DOGGOFINDER_PHOTOS": "s3://other"]).contains("photos: s3://other cannot be used"))
        #expect(try refusal(["DOGGOFINDER_PHOTOS": "s3://"]).contains("photos: expected"))
        #expect(try refusal(["DOGGOFINDER_PHOTOS_ENDPOINT": "http://192.0.2.1"]).contains("photos-endpoint: expected"))
        #expect(try refusal(["DOGGOFINDER_PHOTOS": ""]).contains("photos-endpoint: expected with photos"))
        try store.tell("fail cut-before")
        let folder = try TemporaryFolder()
        let server = try ServerProcess(folder, environment: options, logLevel: "critical")
        server.stop()
    }

    private static func send(
        _ method: String,
        _ address: String,
        _ body: String? = nil,
        _ token: String? = nil
    ) async throws -> (status: Int, json: [String: Any]?) {
        try await send(method, address, body.map { Array($0.utf8) }, token)
    }

    private static func send(
        _ method: String,
        _ address: String,
        _ body: [UInt8]?,
        _ token: String?
    ) async throws -> (status: Int, json: [String: Any]?) {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await URLSession.shared.data(for: request)
        return (
            (response as? HTTPURLResponse)?.statusCode ?? 0,
            try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        )
    }
}

@Suite("Photos in a shared folder")
struct SharedPhotoFolderTests {
    @Test("Two services use a folder elsewhere; check, backup and restore use it too")
    func story() throws {
        let program = try Program()
        let shared = program.folder.url.appending(path: "shared")
        let options = ["DOGGOFINDER_PHOTOS": shared.path]
        let data = program.folder.url.appending(path: "data")
        func run(_ arguments: String..., data folder: URL? = nil) throws -> Program.Outcome {
            try program.run(arguments, data: folder ?? data, environment: options)
        }
        let missing = try run("demo", "--count", "40")
        #expect(missing.status != 0 && missing.errors.contains("photos: expected a folder that exists"))
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        #expect(try run("demo", "--count", "40").status == 0)
        #expect(!FileManager.default.fileExists(atPath: data.appending(path: "photos").path))
        #expect(!shared.entries.isEmpty)
        #expect(try run("check").status == 0)
        let inside = try run("backup", shared.appending(path: "backups").path)
        #expect(inside.status != 0 && inside.errors.contains("is in the photos folder"))
        let backups = program.folder.url.appending(path: "backups")
        #expect(try run("backup", backups.path).status == 0)
        let backup = try #require(backups.entries.first)
        #expect(FileManager.default.fileExists(atPath: backup.appending(path: "photos").path))
        // A share that is not mounted looks empty.
        try FileManager.default.moveItem(at: shared, to: program.folder.url.appending(path: "elsewhere"))
        try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
        let empty = try run("serve", "--port", "0")
        #expect(empty.status != 0 && empty.errors.contains("is empty, but the database knows photos"))
        #expect(try run("check").status == 1)
        let restored = program.folder.url.appending(path: "restored")
        let outcome = try run("restore", backup.path, data: restored)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: restored.appending(path: "photos").path))
        #expect(try run("check", data: restored).status == 0)
        #expect(try run("check").status == 0)
    }
}
