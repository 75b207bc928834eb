package import Foundation

/// The files in a ZIP file that is no spreadsheet, such as the photos of a shelter. It is read by the code that reads
/// spreadsheets: nothing is written to disk, so that paths and links in it mean nothing.
package final class FileArchive {
    /// A file in the ZIP file.
    package struct Entry: Sendable {
        /// With its folders, as the file has it.
        package let name: String
        fileprivate let key: String
    }

    package static let maxEntries = 5_000

    /// In the order of the file, without folders and without what systems add, such as `.DS_Store`.
    package let entries: [Entry]
    private let zip: ZipFile

    /// Opens a regular file. It reads the list of its entries.
    package init(_ file: URL) throws(SpreadsheetError) {
        zip = try ZipFile(file, .photos)
        guard !SpreadsheetReader.isSpreadsheet(zip) else {
            throw SpreadsheetError(message: "is a spreadsheet: expected a ZIP file of photos")
        }
        entries = zip.entries.sorted { $0.value.index < $1.value.index }.compactMap { key, entry in
            Self.isAdded(entry.name) ? nil : Entry(name: entry.name, key: key)
        }
    }

    /// Returns the bytes of a file.
    ///
    /// - Parameter limit: in bytes.
    package func read(_ entry: Entry, limit: Int) throws(SpreadsheetError) -> [UInt8] {
        let part = try zip.part(entry.key, limit: limit)
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try part.fill(buffer)
            bytes.append(contentsOf: buffer.prefix(count))
            if count < buffer.count { return bytes }
        }
    }

    private static func isAdded(_ name: String) -> Bool {
        let parts = name.split(separator: "/")
        return parts.first == "__MACOSX" || parts.last.map { $0.hasPrefix(".") } ?? true
            || ["thumbs.db", "desktop.ini"].contains(parts.last?.lowercased())
    }
}
