package import Domain
package import Foundation
import SQL

/// The files of imports in a PostgreSQL database, from which each node can read them. With a database file, they are in
/// the data folder only.
extension ListingImportStore {
    /// The bytes of a row; the CHECK of the table says the same.
    private static let pieceSize = 1 << 20

    private var hasFiles: Bool { database.engine == .postGIS }

    /// Stores the file of an import in the transaction that records the import.
    static func insert(_ file: URL, of listingImport: Int64, _ db: SQLConnection) throws {
        guard db.engine == .postGIS else { return }
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var number = 0
        while let piece = try handle.read(upToCount: pieceSize), !piece.isEmpty {
            try db.execute(
                "INSERT INTO listing_import_file (import_id, number, content) VALUES (?, ?, ?)",
                [listingImport, number, piece]
            )
            number += 1
        }
    }

    /// Writes the file of an import to `url`, where another node has received it. Returns false if it is not stored.
    package func readFile(of id: UUID, to url: URL) throws -> Bool {
        guard hasFiles else { return false }
        let folder = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let draft = folder.appending(path: ".\(UUID().lowercased)")
        defer { try? FileManager.default.removeItem(at: draft) }
        guard FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        let handle = try FileHandle(forWritingTo: draft)
        defer { try? handle.close() }
        var number = 0
        while let piece = try piece(number, of: id) {
            try handle.write(contentsOf: piece)
            number += 1
        }
        guard number > 0 else { return false }
        guard rename(draft.path, url.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return true
    }

    private func piece(_ number: Int, of id: UUID) throws -> Data? {
        try database.readNow { db in
            try db.value(
                """
                SELECT content FROM listing_import_file JOIN listing_import ON listing_import.id = import_id
                WHERE uuid = ? AND number = ?
                """,
                [id.lowercased, number]
            )
        }
    }

    /// Deletes the file of an import.
    package func removeFile(of listingImport: ListingImport) async throws {
        guard hasFiles else { return }
        try await database.write { db in
            try db.execute("DELETE FROM listing_import_file WHERE import_id = ?", [listingImport.key])
        }
    }

    /// Deletes the files that are not needed any more: those of imports that have ended, and old dry runs.
    package func removeFiles(at now: Timestamp) async throws {
        guard hasFiles else { return }
        let unneeded = """
            SELECT DISTINCT import_id FROM listing_import_file JOIN listing_import ON listing_import.id = import_id
            WHERE NOT (\(Self.needsFile))
            """
        let time = now.adding(days: -1).text
        guard try database.readNow({ db in try db.exists(unneeded, [time]) }) else { return }
        try await database.write { db in
            try db.execute("DELETE FROM listing_import_file WHERE import_id IN (\(unneeded))", [time])
        }
    }
}
