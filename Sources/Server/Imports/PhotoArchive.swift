import Domain
import Foundation
import Photos
import Spreadsheets
import Synchronization

/// A ZIP file of photos that are named by the references of listings.
final class PhotoArchive: Sendable {
    /// The names of the files, in their order.
    let names: [String]
    private let archive: Mutex<FileArchive>

    /// - Throws: `invalid` for the field `file`.
    init(_ url: URL) throws(ServiceError) {
        let archive: FileArchive
        do { archive = try FileArchive(url) } catch { throw .invalid("file", error.message) }
        names = archive.entries.map(\.name)
        self.archive = Mutex(archive)
    }

    /// Whether a file that begins like a ZIP file has photos by the names of its files.
    static func isArchive(_ url: URL) throws(ServiceError) -> Bool {
        guard let archive = try? FileArchive(url) else { return false }
        return archive.entries.contains { entry in extensions.contains { entry.name.lowercased().hasSuffix($0) } }
    }

    /// Returns the bytes of a file.
    ///
    /// - Throws: `invalid` for the field `photo`.
    func bytes(at index: Int) throws(ServiceError) -> [UInt8] {
        do {
            return try archive.withLock { (archive) throws(SpreadsheetError) in
                try archive.read(archive.entries[index], limit: PhotoProcessor.maxFileSize)
            }
        } catch { throw .invalid("photo", error.message) }
    }

    private static let extensions = [".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif", ".avif"]
}

/// The meaning of the name of a photo: "A-12.jpg", "A-12-2.jpg", "A-12 (2).jpg", "A-12/IMG_0001.jpg".
struct PhotoName: Equatable {
    /// The references that it may mean, the likeliest first.
    let references: [String]
    /// The place among the photos of the listing.
    let number: Int

    init(_ path: String) {
        let parts = path.split(separator: "/").map(String.init)
        let file = parts.last ?? ""
        let base = (file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file).trimmed
        var (names, number) = ([String(base)], 1)
        // Without a sign before the number, "A-12" would be the second photo of "A-1".
        if let match = base.wholeMatch(of: #/(.+?)(?:[\s_\-]+\(?|\()([1-9])\)?/#) {
            names.append(String(match.1))
            number = Int(match.2) ?? 1
        }
        // A folder for each animal.
        if parts.count > 1 { names.append(String(parts[parts.count - 2].trimmed)) }
        var seen: Set<String> = []
        references = names.flatMap { [$0, $0.uppercased()] }.filter { !$0.isEmpty && seen.insert($0).inserted }
        self.number = number
    }
}
