import Domain
import Foundation
import Photos
import SQL
import Storage
import TestSupport
import Testing

/// From a file to the database that `TEST_DATABASE` names, or to another file.
@Suite("Copies into another database")
struct CopyTests {
    private let program: Program
    private var source: URL { program.folder.url.appending(path: "source") }
    private var node: URL { program.folder.url.appending(path: "node") }
    /// The arguments that name the target for `copy`, and the options that name it for other commands.
    private let target: String
    private let options: [String]

    init() throws {
        program = try Program()
        if let address = try PostgresTestServer.makeEmptyDatabase() {
            target = address
            options = ["--database", address]
        } else {
            target = program.folder.url.appending(path: "node").path
            options = []
        }
    }

    private func makeBoard(_ count: Int = 60) throws {
        let demo = try run("demo", "--count", "\(count)", data: source)
        #expect(demo.status == 0, "\(demo.errors)")
        try Data("key".utf8).write(to: source.appending(path: "second-factor-key"))
    }

    private func run(_ arguments: String..., data: URL? = nil) throws -> Program.Outcome {
        try program.run(arguments, data: data ?? node)
    }

    private func onTarget(_ arguments: String...) throws -> Program.Outcome {
        try program.run(arguments + options, data: node)
    }

    private func copy(_ options: String...) throws -> Program.Outcome {
        try program.run(["copy", "--from", source.path, "--to", target] + options, data: node)
    }

    @Test("A board with photos is copied and copied back, and all are equal and sound")
    func roundTrip() throws {
        try makeBoard()
        let there = try copy()
        #expect(there.status == 0, "\(there.errors)")
        #expect(there.output.contains("listing: 60 rows, SHA-256 ") && there.output.contains("rows are the same"))
        let check = try onTarget("check")
        #expect(check.status == 0, "\(check.output)")
        #expect(try Data(contentsOf: node.appending(path: "second-factor-key")) == Data("key".utf8))

        let end = program.folder.url.appending(path: "end")
        let back = try program.run(["copy", "--from", target, "--to", end.path], data: node)
        #expect(back.status == 0, "\(back.errors)")
        #expect(back.output == there.output)
        #expect(try run("check", data: end).status == 0)
        #expect(try Self.photos(end) == Self.photos(source))
        #expect(try !Self.photos(end).isEmpty)
    }

    @Test("A waiting import is copied with its file, also between databases of PostgreSQL, and back into a folder")
    func waitingImport() async throws {
        try makeBoard(5)
        // More than one row of PostgreSQL contains.
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let id = UUID()
        let file = source.appending(path: "imports/\(id.uuidString.lowercased())")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
        do {
            let database = try DatabaseFile(directory: source)
            let account = try await AccountStore(database).createGuest(tokenHash: Data(count: 32))
            _ = try await ListingImportStore(database).create(id: id, ListingImport.Order(), file: file, by: account)
            try database.close()
        }
        var places = [source.path, target]
        if let address = try PostgresTestServer.makeEmptyDatabase() { places.append(address) }
        places.append(program.folder.url.appending(path: "end").path)
        var outputs: Set<String> = []
        for (number, (from, to)) in zip(places, places.dropFirst()).enumerated() {
            // Each node has its own folder, so that only the database can contain the file.
            let folder = number == 0 ? node : program.folder.url.appending(path: "node\(number)")
            let outcome = try program.run(
                ["copy", "--from", from, "--to", to, "--from-photos", source.appending(path: "photos").path],
                data: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            outputs.insert(outcome.output)
        }
        #expect(outputs.count == 1 && outputs.first?.contains("listing_import: 1 rows") == true, "\(outputs)")
        let copy = program.folder.url.appending(path: "end/imports/\(id.uuidString.lowercased())")
        #expect(try Data(contentsOf: copy) == content)
    }

    private static func photos(_ folder: URL) throws -> [String: Data] {
        let photos = folder.appending(path: "photos")
        let names = try FileManager.default.subpathsOfDirectory(atPath: photos.path).filter { $0.hasSuffix(".jpg") }
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: photos.appending(path: $0))) }
        )
    }

    @Test("A copy that is killed in any step is refused by other commands and goes on when it is repeated")
    func killed() throws {
        try makeBoard(400)
        var isUnfinished = false
        for (step, pause) in [
            ("checking photos", 0), ("copying rows", 0), ("copying rows", 100), ("comparing rows", 0),
        ] {
            isUnfinished = try kill(at: step, afterMilliseconds: UInt32(pause))
            guard isUnfinished else { break }
            let outcome = try onTarget("accounts", "list")
            // A machine that is slow to send the signal lets the copy end first, even if the process has not.
            isUnfinished = step != "comparing rows" || outcome.status != 0
            guard isUnfinished else { break }
            #expect(outcome.errors.contains("the database is an unfinished copy: repeat doggofinder copy"), "\(step)")
            let check = try onTarget("check")
            #expect(check.status == 1 && check.output.contains("unfinished copy: repeat"))
        }
        if isUnfinished {
            let last = try copy()
            #expect(last.status == 0, "\(last.errors)")
        }
        let sound = try onTarget("check")
        #expect(sound.status == 0, "\(sound.output)")
    }

    /// Kills a copy when it tells a step. Returns whether it had not ended before.
    private func kill(at step: String, afterMilliseconds pause: UInt32) throws -> Bool {
        let process = Program.process(
            ["copy", "--from", source.path, "--to", target, "--data", node.path, "--progress", "json"]
        )
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        var text = ""
        while !text.contains(#""step":"\#(step)""#) {
            let data = errors.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        usleep(pause * 1000)
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal
    }

    @Test("Targets with data, places without data and addresses with a password are refused")
    func refused() throws {
        let missing = try copy()
        #expect(missing.status != 0 && missing.errors.contains("there is no DoggoFinder data in \(source.path)"))
        try makeBoard(1)
        #expect(try onTarget("accounts", "add", "anna@example.org").status == 0)
        let full = try copy()
        #expect(full.status != 0 && full.errors.contains("the target is not empty: account has rows"), "\(full.errors)")
        let same = try program.run(["copy", "--from", source.path, "--to", "\(source.path)/"], data: node)
        #expect(same.status != 0 && same.errors.contains("expected another place"))
        let secret = try program.run(["copy", "--from", source.path, "--to", "postgresql://a:b@h/d"], data: node)
        #expect(secret.status != 0 && secret.errors.contains("to: other users see a password"))
        try Data("other".utf8).write(to: node.appending(path: "second-factor-key"))
        let key = try copy()
        #expect(key.status != 0 && key.errors.contains("second-factor-key is another key"), "\(key.errors)")
    }

    @Test("A source on which a server runs is refused")
    func served() throws {
        try makeBoard(1)
        let lock = try FolderLock.server(source)
        let outcome = try copy()
        #expect(outcome.status != 0 && outcome.errors.contains("another server runs"), "\(outcome.errors)")
        withExtendedLifetime(lock) {}
    }

    @Test("A missing photo is reported, and everything else is copied")
    func missingPhoto() throws {
        try makeBoard(20)
        let photo = try #require(Self.photos(source).keys.min())
        try FileManager.default.removeItem(at: source.appending(path: "photos/\(photo)"))
        let outcome = try copy("--json")
        #expect(outcome.status == 1 && outcome.errors.contains("of photos: the rest is copied"), "\(outcome.errors)")
        #expect(outcome.output.contains(#""table":"listing","rows":20,"sha256":""#))
        #expect(outcome.output.contains("is missing"))
    }

    @Test("A backup of any database can be restored into any database")
    func backup() throws {
        try makeBoard(50)
        #expect(try copy().status == 0)
        let backups = program.folder.url.appending(path: "backups")
        let first = try onTarget("backup", backups.path)
        #expect(first.status == 0, "\(first.errors)")
        let second = try onTarget("backup", backups.path, "--keep", "1")
        #expect(second.status == 0, "\(second.errors)")
        #expect(backups.entries.count == 1)
        #expect(try run("check", data: backups.entries[0]).status == 0)

        let file = program.folder.url.appending(path: "file")
        #expect(try run("restore", backups.path, data: file).status == 0)
        #expect(try run("check", data: file).status == 0)
        guard let address = try PostgresTestServer.makeEmptyDatabase() else { return }
        let other = program.folder.url.appending(path: "other")
        let restored = try program.run(["restore", backups.path, "--database", address], data: other)
        #expect(restored.status == 0, "\(restored.errors)")
        let check = try program.run(["check", "--database", address], data: other)
        #expect(check.status == 0, "\(check.output)")
        #expect(!FileManager.default.fileExists(atPath: other.appending(path: DatabaseFile.fileName).path))
        #expect(FileManager.default.fileExists(atPath: other.appending(path: "second-factor-key").path))
        let log = try program.run(["moderation", "audit", "--database", address], data: other)
        #expect(log.output.contains("database.restore"), "\(log.output)")
    }
}
