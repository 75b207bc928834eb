import CArchive
import Domain
import Foundation

/// Goes through the entries of a ZIP file with libarchive, in the order in which they lie in it.
final class ZipCursor {
    /// In bytes. A part that is passed over costs one read of this size.
    private static let blockSize = 1 << 15

    private let archive: OpaquePointer
    private let descriptor: CInt
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    private var offset: Int64 = 0
    /// The bytes that may still be read of the list of entries. libarchive would hold a list of any size.
    private var listBytes = ZipLimits.maxListBytes
    private var hasList = false

    private(set) var entry: OpaquePointer?

    /// - Parameter descriptor: a regular file, which must stay open.
    init(_ descriptor: CInt) throws(SpreadsheetError) {
        guard let archive = archive_read_new() else { throw SpreadsheetError(message: "no memory left") }
        (self.archive, self.descriptor) = (archive, descriptor)
        // The other reader for ZIP, which believes what lies before each entry, is not used: both can disagree.
        archive_read_support_format_zip_seekable(archive)
        archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
        archive_read_set_seek_callback(archive) { _, context, offset, whence in
            cursor(from: context)?.seek(offset, whence) ?? Int64(ARCHIVE_FATAL)
        }
        archive_read_set_read_callback(archive) { _, context, start in
            cursor(from: context)?.read(start) ?? Int(ARCHIVE_FATAL)
        }
        guard archive_read_open1(archive) == ARCHIVE_OK else { throw failure }
    }

    deinit {
        archive_read_free(archive)
        block.deallocate()
    }

    /// Goes to the next entry. Returns false at the end.
    func advance() throws(SpreadsheetError) -> Bool {
        switch archive_read_next_header(archive, &entry) {
        // A warning says that a name is not ASCII; names of parts are.
        case ARCHIVE_OK, ARCHIVE_WARN:
            hasList = true
            return true
        case ARCHIVE_EOF: return false
        default: throw failure
        }
    }

    /// Reads a part of the present entry. Returns 0 at the end, where libarchive compares size and checksum.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SpreadsheetError) -> Int {
        let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw failure }
        return count
    }

    /// Whether the present entry is compressed by Deflate or not at all, as programs for spreadsheets do. libarchive
    /// knows methods that take as much memory as the file says.
    var isDeflatedOrStored: Bool {
        guard let name = archive_format_name(archive).map({ String(cString: $0) }) else { return false }
        return name.hasSuffix("(deflation)") || name.hasSuffix("(uncompressed)")
    }

    private var failure: SpreadsheetError {
        guard listBytes > 0 else { return SpreadsheetError(message: "expected a file with fewer parts") }
        let reason: ErrorMessage =
            archive_error_string(archive).map { ErrorMessage(verbatim: String(String(cString: $0).prefix(100))) }
            ?? "it is incomplete"
        return SpreadsheetError(message: "the file is damaged (\(reason)): \(SpreadsheetError.expectation)")
    }

    private func read(_ start: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
        let count = pread(descriptor, block.baseAddress, block.count, off_t(offset))
        guard count >= 0 else { return Int(ARCHIVE_FATAL) }
        if !hasList {
            listBytes -= count
            guard listBytes > 0 else { return Int(ARCHIVE_FATAL) }
        }
        offset += Int64(count)
        start?.pointee = UnsafeRawPointer(block.baseAddress)
        return count
    }

    private func seek(_ offset: Int64, _ whence: CInt) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return Int64(ARCHIVE_FATAL) }
        let size = Int64(status.st_size)
        let origin = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? self.offset : size
        let (target, isTooFar) = origin.addingReportingOverflow(offset)
        guard !isTooFar, (0...size).contains(target) else { return Int64(ARCHIVE_FATAL) }
        self.offset = target
        return target
    }
}

private func cursor(from context: UnsafeMutableRawPointer?) -> ZipCursor? {
    context.map { Unmanaged<ZipCursor>.fromOpaque($0).takeUnretainedValue() }
}
