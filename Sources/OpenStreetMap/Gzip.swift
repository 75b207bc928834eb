import CZlib
import Foundation

enum Gzip {
    /// False where the data is damaged or cut short.
    static func decompress(_ source: URL, to target: URL) throws -> Bool {
        guard let input = gzopen(source.path, "rb") else { return false }
        defer { gzclose(input) }
        guard FileManager.default.createFile(atPath: target.path, contents: nil) else { return false }
        let output = try FileHandle(forWritingTo: target)
        defer { try? output.close() }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = gzread(input, &buffer, UInt32(buffer.count))
            if count > 0 { try output.write(contentsOf: buffer.prefix(Int(count))) }
            guard count >= 0 else { return false }
            if count < buffer.count {
                // A short read is the end, or a file cut off inside its stream.
                var code: Int32 = 0
                _ = gzerror(input, &code)
                if code != Z_OK && code != Z_STREAM_END { return false }
                if count == 0 { return true }
            }
        }
    }
}
