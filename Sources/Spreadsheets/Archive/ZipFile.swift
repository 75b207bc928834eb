import CArchive
import Foundation

/// The parts in a ZIP file. Nothing of it is written to disk, so that paths and links in it mean nothing.
final class ZipFile {
    struct Entry {
        /// As the file has it, with slashes between folders.
        let name: String
        /// The number of the entry in the file.
        let index: Int
        /// In bytes, as the file says.
        let size: Int
        let isEncrypted: Bool
        let isUnique: Bool
    }

    private let descriptor: CInt
    /// By names in lower case, because some programs write a name differently where they refer to it.
    private(set) var entries: [String: Entry] = [:]
    private let limits: ZipLimits
    /// The bytes that may still be read of all parts together.
    private var remainingBytes: Int
    private var remainingElements = SpreadsheetLimits.maxElements

    init(_ file: URL, _ limits: ZipLimits = .spreadsheet) throws(SpreadsheetError) {
        self.limits = limits
        remainingBytes = limits.totalBytes
        // Opening a pipe would wait for a writer.
        descriptor = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SpreadsheetError(message: errno == ENOENT ? "the file does not exist" : "the file cannot be read")
        }
        try checkStart()
        try list()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func contains(_ name: String) -> Bool { entries[name.lowercased()] != nil }

    /// Opens a part.
    ///
    /// - Parameter limit: the maximum size in bytes.
    func part(_ name: String, limit: Int) throws(SpreadsheetError) -> ZipPart {
        guard let entry = entries[name.lowercased()] else {
            throw SpreadsheetError(message: "the part \(name.prefix(100)) is missing: \(SpreadsheetError.expectation)")
        }
        guard !entry.isEncrypted else { throw .hasPassword }
        guard entry.isUnique else { throw .damaged(name, "expected it once in the file") }
        let cursor = try ZipCursor(descriptor)
        for _ in 0...entry.index {
            guard try cursor.advance() else { throw .damaged(name, "the file was changed while it was read") }
        }
        guard cursor.isDeflatedOrStored else { throw .damaged(name, "expected the compression method Deflate or none") }
        return ZipPart(cursor, of: self, name: name, size: entry.size, limit: limit)
    }

    /// Counts bytes that were unpacked.
    fileprivate func count(_ bytes: Int) throws(SpreadsheetError) {
        remainingBytes -= bytes
        guard remainingBytes >= 0 else {
            throw SpreadsheetError(
                message: "expected a file with at most \(limits.totalBytes >> 20) MiB of unpacked data"
            )
        }
    }

    /// Counts elements of XML.
    fileprivate func count(elements: Int) throws(SpreadsheetError) {
        remainingElements -= elements
        guard remainingElements >= 0 else {
            throw SpreadsheetError(
                message: "expected a file with at most \(SpreadsheetLimits.maxElements / 2) cells, empty ones included"
            )
        }
    }

    private func checkStart() throws(SpreadsheetError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SpreadsheetError(message: "expected a regular file")
        }
        var start = [UInt8](repeating: 0, count: 8)
        start.removeLast(start.count - max(0, pread(descriptor, &start, start.count, 0)))
        if let refusal = SpreadsheetReader.refusal(of: start) { throw refusal }
    }

    private func list() throws(SpreadsheetError) {
        let cursor = try ZipCursor(descriptor)
        var index = 0
        while try cursor.advance() {
            guard index < limits.entries else {
                throw SpreadsheetError(message: "expected a file with at most \(limits.entries) parts")
            }
            if let name = Self.name(of: cursor.entry), archive_entry_filetype(cursor.entry) == S_IFREG {
                let key = name.lowercased()
                entries[key] = Entry(
                    name: name,
                    index: index,
                    size: Int(max(0, archive_entry_size(cursor.entry))),
                    isEncrypted: archive_entry_is_encrypted(cursor.entry) != 0,
                    isUnique: entries[key] == nil
                )
            }
            index += 1
        }
    }

    private static func name(of entry: OpaquePointer?) -> String? {
        guard let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else { return nil }
        let path = String(cString: name).replacing("\\", with: "/")
        return String(path.trimmingPrefix("/"))
    }
}

/// The unpacked bytes of a part, read piece by piece.
final class ZipPart {
    let name: String
    /// The size in bytes, as the file says.
    let size: Int
    private let cursor: ZipCursor
    private let file: ZipFile
    private let limit: Int
    private var position = 0

    fileprivate init(_ cursor: ZipCursor, of file: ZipFile, name: String, size: Int, limit: Int) {
        (self.cursor, self.file, self.name, self.size, self.limit) = (cursor, file, name, size, limit)
    }

    /// Fills the buffer. Returns a number less than its size at the end of the part.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(SpreadsheetError) -> Int {
        var count = 0
        while count < buffer.count {
            let more = try cursor.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            if more == 0 { break }
            count += more
        }
        position += count
        guard position <= limit else { throw .damaged(name, "expected at most \(limit >> 20) MiB of unpacked data") }
        try file.count(count)
        return count
    }

    /// Counts elements of XML that were read of the part.
    func count(elements: Int) throws(SpreadsheetError) { try file.count(elements: elements) }

    /// Reads the rest, so that a wrong checksum is found.
    func drain() throws(SpreadsheetError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while try fill(buffer) == buffer.count {}
    }
}
