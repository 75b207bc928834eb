import Domain
import Foundation
import Migrations
import Photos
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

@Suite("Backups")
struct BackupTests {
    private let program: Program
    private let database: DatabaseFile
    private let listing: Listing
    private var data: URL { program.folder.url.appending(path: "data") }
    private var backups: URL { program.folder.url.appending(path: "backups") }

    init() async throws {
        program = try Program()
        database = try DatabaseFile(directory: program.folder.url.appending(path: "data"))
        _ = try database.migrate()
        let guest = try await AccountStore(database).createGuest(tokenHash: Data(repeating: 1, count: 32))
        listing = try await ListingStore(database).create(.at(14, 40), owner: guest)
        _ = try await AccountStore(database).register(
            .init(email: "anna@example.org", passwordHash: "$argon2id$test", profile: Profile()),
            upgrading: nil,
            tokenHash: Data(repeating: 2, count: 32)
        )
    }

    private func run(_ arguments: String..., data: URL? = nil) throws -> Program.Outcome {
        try program.run(arguments, data: data ?? self.data)
    }

    @discardableResult
    private func addPhoto(_ number: Int) async throws -> UUID {
        let (folder, id) = (PhotoFolder(data: data), UUID())
        try await PhotoStore(database).reserve(id)
        try await folder.write(try await PhotoProcessor.built().process(try plainPNG(width: 60, height: 40)), id: id)
        let entry = StoredPhoto(id: id, width: 60, height: 40)
        _ = try await PhotoStore(database).put(entry, .listing(listing.key, number: number))
        return id
    }

    private static func inode(_ id: UUID, _ folder: URL) throws -> UInt64 {
        let path = PhotoFolder(data: folder).url(id, side: 800).path
        let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber
        return try #require(number).uint64Value
    }

    @Test("Backups share unchanged photos, and each backup is complete without the others")
    func shared() async throws {
        let first = try await addPhoto(1)
        #expect(try run("backup", backups.path).status == 0)
        let second = try await addPhoto(2)
        #expect(try run("backup", backups.path, "--json").output.contains(#""photo":2"#))
        let copies = backups.entries
        #expect(copies.count == 2)
        #expect(try Self.inode(first, copies[0]) == Self.inode(first, copies[1]))
        #expect(PhotoFolder(data: copies[0]).missing(second).count == 3)

        #expect(try run("backup", backups.path, "--keep", "1").status == 0)
        #expect(backups.entries.count == 1)
        #expect(try run("check", data: backups.entries[0]).status == 0)
    }

    @Test("The remains of an interrupted backup cannot be restored and are deleted by the next backup")
    func interrupted() throws {
        let left = backups.appending(path: ".2026-01-01T00-00-00.000Z.part")
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: database.url,
            to: left.appending(path: DatabaseFile.fileName)
        )
        #expect(try run("restore", backups.path, data: program.folder.url.appending(path: "new")).status != 0)
        #expect(try run("backup", backups.path).status == 0)
        #expect(!FileManager.default.fileExists(atPath: left.path))
    }

    @Test("A restored folder keeps only sessions of guests and shares no files with the backup")
    func restored() async throws {
        let photo = try await addPhoto(1)
        let mailed = Data(repeating: 3, count: 32)
        let verifications = VerificationStore(database)
        let end = Timestamp.now.adding(days: 1)
        let anna = try await verifications.keepReset(of: "anna@example.org", tokenHash: mailed, until: end)
        #expect(anna != nil)
        #expect(try run("backup", backups.path).status == 0)
        let new = program.folder.url.appending(path: "new")
        #expect(try run("restore", backups.path, data: new).status == 0)
        #expect(try run("check", data: new).status == 0)
        #expect(try Self.inode(photo, new) != Self.inode(photo, backups.entries[0]))
        let copy = try DatabaseFile(directory: new)
        let tokens = try await copy.read { db in try db.values("SELECT token_hash FROM session") as [Data] }
        #expect(tokens == [Data(repeating: 1, count: 32)])
        await #expect(throws: ServiceError.self) {
            try await VerificationStore(copy).findReset(tokenHash: mailed, now: .now)
        }
        let last = try AuditLog(copy).entries(AuditLog.Query()).first
        #expect(last?.action == Audit.Action.databaseRestore.rawValue && last?.actor == Audit.Actor.commandLine.text)
        let ids = try await copy.read { db in try db.values("SELECT uuid FROM listing") as [String] }
        #expect(ids == [listing.id.uuidString.lowercased()])

        let again = try run("restore", backups.path, data: new)
        #expect(again.status != 0 && again.errors.contains("never overwrites"))
    }

    @Test("A damaged backup is rejected and creates nothing at the destination")
    func damaged() async throws {
        let photo = try await addPhoto(1)
        #expect(try run("backup", backups.path).status == 0)
        let file = PhotoFolder(data: backups.entries[0]).url(photo, side: 1600)
        try FileHandle(forWritingTo: file).truncate(atOffset: 200)
        let new = program.folder.url.appending(path: "new")
        let outcome = try run("restore", backups.path, data: new)
        #expect(outcome.status != 0 && outcome.errors.contains("-1600.jpg is missing or damaged"))
        #expect(!program.folder.url.entries.contains { $0.lastPathComponent == "new" })
    }

    @Test("A photo that is damaged in the previous backup is copied again, even if its size is the same")
    func damagedBefore() async throws {
        let photo = try await addPhoto(1)
        #expect(try run("backup", backups.path).status == 0)
        let old = PhotoFolder(data: try #require(backups.entries.first)).url(photo, side: 800)
        let whole = try Data(contentsOf: old)
        var bytes = whole
        bytes[bytes.count / 2] ^= 0xFF
        try FileManager.default.removeItem(at: old)
        try bytes.write(to: old)
        #expect(try run("backup", backups.path).status == 0)
        let new = PhotoFolder(data: try #require(backups.entries.last)).url(photo, side: 800)
        #expect(try Data(contentsOf: new) == whole)
    }

    @Test(
        "A folder with an earlier schema can be backed up, and restoring migrates it",
        arguments: [2, Migration.all.count - 1]
    )
    func older(version: Int) async throws {
        let (old, new) = (program.folder.url.appending(path: "old"), program.folder.url.appending(path: "new"))
        let former = try DatabaseFile(directory: old)
        _ = try former.migrate(Array(Migration.all.prefix(version)))
        let id = UUID().uuidString.lowercased()
        try await former.write { db in
            try db.execute("INSERT INTO account (uuid, role) VALUES (?, 'guest')", [id])
        }
        try former.close()
        let outcome = try run("backup", backups.path, data: old)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let restored = try run("restore", backups.path, data: new)
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try run("check", data: new).status == 0)
        let ids = try await DatabaseFile(directory: new).read { db in
            try db.values("SELECT uuid FROM account") as [String]
        }
        #expect(ids == [id])
        let copy = try #require(backups.entries.first).appending(path: DatabaseFile.fileName)
        #expect(try DatabaseFile.schemaAge(ofCopy: copy) == .older)
    }

    @Test("A backup from a newer version of the program is rejected")
    func newer() throws {
        #expect(try run("backup", backups.path).status == 0)
        let copy = try #require(backups.entries.first).appending(path: DatabaseFile.fileName)
        try StandaloneDatabase(copy).write { db in try db.execute("PRAGMA user_version = 99") }
        let outcome = try run("restore", backups.path, data: program.folder.url.appending(path: "new"))
        #expect(outcome.status != 0 && outcome.errors.contains("made by a newer program: use that one"))
        #expect(!program.folder.url.entries.contains { $0.lastPathComponent == "new" })
    }

    @Test("Restoring a copied data folder includes the write-ahead log")
    func log() async throws {
        let (raw, new) = (program.folder.url.appending(path: "raw"), program.folder.url.appending(path: "new"))
        try FileManager.default.createDirectory(at: raw, withIntermediateDirectories: true)
        for name in [DatabaseFile.fileName, DatabaseFile.fileName + "-wal"] {
            try FileManager.default.copyItem(at: data.appending(path: name), to: raw.appending(path: name))
        }
        let log = raw.appending(path: DatabaseFile.fileName + "-wal")
        let before = try Data(contentsOf: log)
        #expect(!before.isEmpty)
        #expect(try run("restore", raw.path, data: new).status == 0)
        let ids = try await DatabaseFile(directory: new).read { db in
            try db.values("SELECT uuid FROM listing") as [String]
        }
        #expect(ids == [listing.id.uuidString.lowercased()])
        #expect(try Data(contentsOf: log) == before)
    }

    @Test("Pruning keeps the newest backup even if another one has a future date")
    func ahead() throws {
        #expect(try run("backup", backups.path).status == 0)
        let first = try #require(backups.entries.first)
        let ahead = backups.appending(path: "2999-01-01T00-00-00.000Z")
        try FileManager.default.moveItem(at: first, to: ahead)
        #expect(try run("backup", backups.path, "--keep", "2").status == 0)
        #expect(backups.entries.count == 2)
        #expect(try run("backup", backups.path, "--keep", "1").status == 0)
        #expect(backups.entries.count == 1)
        #expect(backups.entries.first?.lastPathComponent.hasPrefix("2999") == false)
    }

    @Test(
        "A missing database is not recreated in a folder that has other data",
        arguments: ["photos/ab/photo.jpg", "last-backup", "doggofinder.sqlite-wal"]
    )
    func gone(remains: String) throws {
        let folder = program.folder.url.appending(path: "gone")
        let file = folder.appending(path: remains)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("something".utf8).write(to: file)
        let outcome = try run("migrate", data: folder)
        #expect(
            outcome.status != 0 && outcome.errors.contains("is gone, but what belongs to it is there: restore a backup")
        )
        #expect(!folder.entries.contains { $0.lastPathComponent == DatabaseFile.fileName })
        try FileManager.default.removeItem(at: file)
        #expect(try run("migrate", data: folder).status == 0)
    }

    @Test("Temporary files of other programs in the backup folder are kept")
    func others() throws {
        let other = backups.appending(path: ".upload.part")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        #expect(try run("backup", backups.path).status == 0)
        #expect(FileManager.default.fileExists(atPath: other.path))
    }

    @Test("Backup files cannot be read by other users of the machine")
    func mode() throws {
        #expect(try run("backup", backups.path).status == 0)
        let copy = try #require(backups.entries.first)
        for url in [copy, copy.appending(path: DatabaseFile.fileName)] {
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber
            #expect((mode?.intValue ?? 0o777) & 0o077 == 0)
        }
    }

    @Test("A missing photo is reported, and the backup contains the others")
    func incomplete() async throws {
        let (photo, other) = (try await addPhoto(1), try await addPhoto(2))
        try PhotoFolder(data: data).removeFiles(of: photo)
        let outcome = try run("backup", backups.path, "--keep", "1")
        #expect(outcome.status == 1 && outcome.errors.contains("\(photo.uuidString.lowercased())-1600.jpg"))
        #expect(PhotoFolder(data: try #require(backups.entries.first)).damaged(other).isEmpty)
        #expect(database.lastBackup == nil)
    }

    @Test("Photos that are removed during a backup are deleted only after the backup")
    func held() async throws {
        let photo = try await addPhoto(1)
        let folder = PhotoFolder(data: data)
        try await folder.withRemovalLocked {
            _ = try await PhotoStore(database).remove(.listing(listing.key, number: 1))
            #expect(throws: (any Error).self) { try folder.removeFiles(of: photo) }
            // The command runs in another process.
            #expect(try run("listings", "remove", listing.id.uuidString).status == 0)
            #expect(folder.damaged(photo).isEmpty)
        }
        try await PhotoStore(database).sweep { await folder.remove($0) }
        #expect(folder.missing(photo).count == 3)
    }
}
