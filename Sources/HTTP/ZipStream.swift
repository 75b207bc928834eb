import CArchive
import Domain
import Foundation

/// Writes a ZIP file with libarchive, and makes its bytes available while it is written.
package final class ZipStream {
    private let archive: OpaquePointer
    private var entry: OpaquePointer?
    /// The bytes that were written and not yet taken.
    private var bytes: [UInt8] = []

    package init() throws {
        guard let archive = archive_write_new() else { throw ServiceError(.unavailable, "out of memory") }
        self.archive = archive
        archive_write_set_format_zip(archive)
        // libarchive's default is to hold bytes back until it has a complete block for a tape.
        archive_write_set_bytes_per_block(archive, 0)
        let code = archive_write_open2(
            archive,
            Unmanaged.passUnretained(self).toOpaque(),
            nil,
            { _, stream, start, count in
                guard let stream, let start else { return -1 }
                let bytes = UnsafeRawBufferPointer(start: start, count: count)
                Unmanaged<ZipStream>.fromOpaque(stream).takeUnretainedValue().bytes.append(contentsOf: bytes)
                return count
            },
            nil,
            nil
        )
        try check(code)
    }

    deinit {
        archive_entry_free(entry)
        archive_write_free(archive)
    }

    /// Adds a file.
    ///
    /// - Parameter isPacked: whether the content is compressed already, so that it is stored without compression.
    package func add(_ name: String, _ content: [UInt8], isPacked: Bool = false) throws {
        try begin(name, isPacked: isPacked)
        try append(content)
    }

    /// Begins a file, and ends the file before it.
    package func begin(_ name: String, isPacked: Bool = false) throws {
        try check(
            isPacked
                ? archive_write_zip_set_compression_store(archive)
                : archive_write_zip_set_compression_deflate(archive)
        )
        archive_entry_free(entry)
        entry = archive_entry_new()
        archive_entry_set_pathname_utf8(entry, name)
        archive_entry_set_filetype(entry, S_IFREG)
        archive_entry_set_perm(entry, 0o600)
        archive_entry_set_mtime(entry, Int(Timestamp.now.milliseconds / 1000), 0)
        try check(archive_write_header(archive, entry))
    }

    package func append(_ content: [UInt8]) throws {
        guard archive_write_data(archive, content, content.count) == content.count else { throw failure }
    }

    /// Returns the bytes that were written since the last call.
    package func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    package func finish() throws -> [UInt8] {
        try check(archive_write_close(archive))
        return take()
    }

    private func check(_ code: CInt) throws {
        guard code == ARCHIVE_OK else { throw failure }
    }

    private var failure: ServiceError {
        let reason = archive_error_string(archive).map { ErrorMessage(verbatim: String(cString: $0)) }
        return ServiceError(.unavailable, reason ?? "the file cannot be made")
    }
}
