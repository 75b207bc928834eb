import CZlib
import Foundation

/// Reads the bytes of a file and decompresses them if they are gzip data.
final class ByteStream {
    private let file: gzFile

    init(path: String) throws {
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard let type else { throw Malformed("no such file") }
        // A pipe cannot be read twice, and opening it would block.
        guard type == .typeRegular || type == .typeSymbolicLink else { throw Malformed("expected a file") }
        guard let file = gzopen(path, "rb") else { throw Malformed("cannot be opened") }
        gzbuffer(file, 1 << 18)
        self.file = file
    }

    deinit {
        gzclose_r(file)
    }

    /// Fills the buffer. If it returns fewer bytes than the buffer holds, the end of the file was reached.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var filled = 0
        while filled < buffer.count {
            let room = min(buffer.count - filled, 1 << 30)
            let count = gzread(file, buffer.baseAddress?.advanced(by: filled), UInt32(room))
            guard count >= 0 else { throw failure() }
            guard count > 0 else { break }
            filled += Int(count)
        }
        if filled < buffer.count { try checkEnd() }
        return filled
    }

    func read(atMost count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = try read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    // `gzread` returns 0 both at the end of the data and where compressed data is cut short.
    private func checkEnd() throws {
        var code = Z_OK
        _ = gzerror(file, &code)
        if code == Z_BUF_ERROR { throw Malformed("is cut short: its gzip data has no end") }
        if code != Z_OK, code != Z_STREAM_END { throw failure() }
    }

    private func failure() -> Malformed {
        var code = Z_OK
        let message = gzerror(file, &code).map { String(cString: $0) } ?? "unknown error"
        return Malformed("cannot be read: \(message)")
    }
}
