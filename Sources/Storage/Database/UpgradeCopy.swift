package import Domain
import Foundation

/// The copy of the database that an upgrade leaves beside it, to go back to the former version of the program.
package enum UpgradeCopy {
    /// The copy contains personal data, which may be deleted from the database meanwhile.
    package static let maxDays = 30

    static func file(schema: Int, beside database: URL) -> URL {
        database.deletingLastPathComponent().appending(path: "doggofinder-schema-\(schema).sqlite")
    }

    /// Copies the last committed state. A copy is complete when it has its name.
    static func make(_ copy: URL, of database: URL, progress: @escaping (Double) throws -> Void) throws {
        let partial = copy.deletingLastPathComponent().appending(path: ".\(copy.lastPathComponent).part")
        do {
            try? FileManager.default.removeItem(at: partial)
            try DatabaseFile.copy(database, to: partial, progress: progress)
            try DatabaseFile.removeMails(inCopy: partial)
            guard rename(partial.path, copy.path) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            DatabaseFile.synchronize([copy.deletingLastPathComponent()])
        } catch {
            for suffix in ["", "-journal"] {
                try? FileManager.default.removeItem(at: URL(filePath: partial.path + suffix))
            }
            throw error
        }
    }

    /// Throws if the disk has no room for a copy and for the log of the migrations, which can be as large.
    static func requireRoom(for upgrade: Upgrade, in folder: URL) throws(ServiceError) {
        let needed = 2 * upgrade.bytes
        // A disk that cannot be examined has room.
        guard let free = DiskSpace(of: folder)?.free, free < needed else { return }
        throw ServiceError(
            .diskFull,
            """
            the upgrade from schema \(upgrade.schema) to \(upgrade.newSchema) needs \(megabytes(needed)) in \(folder.path), \
            half of it for a copy of the database, and \(megabytes(free)) are free: make room, or run doggofinder migrate \
            --without-copy after a backup to another disk
            """
        )
    }

    package static func megabytes(_ bytes: Int) -> String { "\((bytes + 999_999) / 1_000_000) MB" }

    /// All copies in a data folder.
    static func files(in folder: URL) -> [URL] {
        let entries = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return entries.filter { $0.lastPathComponent.wholeMatch(of: /doggofinder-schema-\d+\.sqlite/) != nil }
    }
}

extension Database {
    /// Removes the copies that upgrades made more than 30 days ago.
    package func removeOldUpgradeCopies(now: Timestamp = .now) {
        for file in UpgradeCopy.files(in: folder) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
            guard let made = attributes?[.modificationDate] as? Date else { continue }
            let days = (Double(now.milliseconds) / 1000 - made.timeIntervalSince1970) / 86_400
            if days > Double(UpgradeCopy.maxDays) { try? FileManager.default.removeItem(at: file) }
        }
    }
}
