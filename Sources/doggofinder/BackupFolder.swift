import CLinux
import Domain
import Foundation
import Photos
import Storage

/// A folder of backups. Each backup is a complete subfolder whose name is the time of its start in UTC. Backups share
/// photos by hard links, so any backup can be deleted in any way without affecting the others.
struct BackupFolder {
    let url: URL

    /// The backups, oldest first.
    var backups: [URL] {
        let entries = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
        return entries.filter { Self.isName($0.lastPathComponent) && Self.holdsDatabase($0) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// Whether this is the folder, or a folder below it. It need not exist yet.
    func isInside(_ folder: URL) -> Bool {
        let (outer, inner) = (Self.resolved(folder), Self.resolved(url))
        return inner == outer || inner.hasPrefix(outer + "/")
    }

    /// Returns the path without symbolic links in the part of it that exists.
    private static func resolved(_ url: URL) -> String {
        var (existing, missing) = (url.absoluteURL.standardizedFileURL, "")
        while true {
            if let path = realpath(existing.path, nil) {
                defer { free(path) }
                return String(cString: path) + missing
            }
            guard existing.path != "/" else { return missing }
            missing = "/" + existing.lastPathComponent + missing
            existing.deleteLastPathComponent()
        }
    }

    static func holdsDatabase(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: DatabaseFile.fileName).path)
    }

    static func name(begunAt time: Timestamp) -> String { time.text.replacing(":", with: "-") }

    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /\d{4}-\d\d-\d\dT[\d.-]+Z/) != nil }

    /// Whether this is the name of an unfinished backup. Other programs may store their own files in the same folder.
    private static func isPartial(_ name: String) -> Bool {
        name.hasPrefix(".") && name.hasSuffix(".part") && isName(String(name.dropFirst().dropLast(".part".count)))
    }

    /// Runs `body` while no other backup runs in this folder. Deletes the remains of interrupted backups first.
    func hold<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch let error as CocoaError {
            throw ServiceError.invalid("folder", "\(url.path) cannot be used as a folder: \(error.reason)")
        }
        let file = open(url.appending(path: ".lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CocoaError.failure(errno) }
        defer { close(file) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw ServiceError(.conflict, "\(url.path): another backup goes on")
        }
        for entry in try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
        where Self.isPartial(entry.lastPathComponent) {
            try FileManager.default.removeItem(at: entry)
        }
        return try await body()
    }

    /// - Parameters:
    ///   - count: how many backups stay, at least 1.
    ///   - made: the backup that was just made. It is kept and counted even if its name is not the newest, because
    ///     clocks can be wrong.
    func removeAll(butNewest count: Int, with made: URL) throws {
        for backup in backups.filter({ $0.lastPathComponent != made.lastPathComponent }).dropLast(count - 1) {
            // Renamed first, so that a partly deleted folder does not look like a backup.
            let partial = url.appending(path: ".\(backup.lastPathComponent).part")
            try FileManager.default.moveItem(at: backup, to: partial)
            try FileManager.default.removeItem(at: partial)
        }
    }
}

/// Creates a folder under a temporary name, and renames it when all its contents are on the disk.
struct NewFolder {
    let partial: URL
    private let target: URL

    init(_ target: URL) throws {
        self.target = target
        partial = target.deletingLastPathComponent().appending(path: ".\(target.lastPathComponent).part")
        if FileManager.default.fileExists(atPath: partial.path) { try FileManager.default.removeItem(at: partial) }
        try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
    }

    func finish() throws {
        try Self.flush(partial)
        guard rename(partial.path, target.path) == 0 else { throw CocoaError.failure(errno) }
        try Self.flush(target.deletingLastPathComponent())
    }

    func discard() { try? FileManager.default.removeItem(at: partial) }

    /// Writes the whole file system to the disk at once (`syncfs`): flushing file by file would take minutes.
    private static func flush(_ folder: URL) throws {
        let file = open(folder.path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw CocoaError.failure(errno) }
        defer { close(file) }
        guard syncfs(file) == 0 else { throw CocoaError.failure(errno) }
    }
}

extension CocoaError {
    /// Returns the error for a system error code.
    static func failure(_ code: CInt) -> any Error { POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
}

/// Checks a copy: its database, as far as possible without migrating it, and every photo that the database refers to.
struct CopyCheck {
    let counts: [(table: String, rows: Int)]
    let isDatabaseSound: Bool
    let problems: [String]

    /// - Parameters:
    ///   - folder: the folder with the database.
    ///   - photoData: the folder that contains the folder of the photos, if that is not beside the database.
    ///   - progress: is told each part of the check.
    init(of folder: URL, photosIn photoData: URL? = nil, progress: ProgressReporter) async throws {
        let file = folder.appending(path: DatabaseFile.fileName)
        try Self.throwIfForeign(file)
        progress.begin("checking the copy of the database")
        let check = try await DatabaseFile.check(copy: file) {
            progress.update($0.finished, of: $0.total, part: $0.name)
        }
        counts = check.counts
        isDatabaseSound = check.isSound
        let photos = try Self.photos(inCopy: file)
        progress.begin("checking photos", total: photos.count)
        let photoFolder = PhotoFolder(data: photoData ?? folder)
        let damaged = photos.enumerated().flatMap { number, id in
            progress.update(number)
            return photoFolder.damaged(id)
        }
        problems =
            check.findings.flatMap { finding in finding.problems.map { "\(finding.what): \($0)" } }
            + damaged.map { "\($0.path) is missing or damaged" }
    }

    private static func throwIfForeign(_ file: URL) throws {
        switch try DatabaseFile.schemaAge(ofCopy: file) {
        case .older, .current: return
        case .newer: throw ServiceError(.conflict, "the database was made by a newer program: use that one")
        case .foreign: throw ServiceError(.diskFailing, "the database is none of this program, or empty")
        }
    }

    /// Returns no photos for copies with schemas from before photos existed.
    static func photos(inCopy file: URL) throws -> [UUID] {
        try DatabaseFile.hasTable("photo", inCopy: file) ? PhotoStore.ids(inCopy: file) : []
    }
}
