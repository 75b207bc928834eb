import CZlib

/// Writes ZIP files for tests, right ones and wrong ones.
package struct ZipWriter {
    /// What an entry says of itself that may not be true.
    package struct Lies: Sendable {
        package var checksum: UInt32?
        /// The unpacked size in bytes.
        package var size: UInt32?
        package var method: UInt16?
        package var flags: UInt16 = 0
        /// The file mode of Unix; a link is 0o120777.
        package var mode: UInt32 = 0o100600
        /// The offset of the data in the file, for entries that overlap.
        package var offset: UInt32?

        package init(offset: UInt32? = nil) { self.offset = offset }
    }

    package private(set) var bytes: [UInt8] = []
    private var list: [UInt8] = []
    private var count = 0

    package init() {}

    /// The offset at which the next entry begins.
    package var offset: UInt32 { UInt32(bytes.count) }

    package mutating func add(
        _ name: String, _ content: some Collection<UInt8>, isStored: Bool = false, _ lies: Lies = Lies()
    ) {
        let content = Array(content)
        let packed = isStored ? content : Self.deflated(content)
        var header: [UInt8] = []
        header.append(20, 2)
        header.append(lies.flags, 2)
        header.append(lies.method ?? (isStored ? 0 : 8), 2)
        // 1 January 1980 at midnight.
        header.append(0, 2)
        header.append(33, 2)
        header.append(lies.checksum ?? Self.checksum(content), 4)
        header.append(packed.count, 4)
        header.append(lies.size ?? UInt32(content.count), 4)
        header.append(name.utf8.count, 2)
        header.append(0, 2)
        let start = lies.offset ?? offset
        if lies.offset == nil { bytes += Array("PK\u{3}\u{4}".utf8) + header + Array(name.utf8) + packed }
        list += Array("PK\u{1}\u{2}".utf8)
        // The system is Unix, because of the mode.
        list += [20, 3] + header
        list.append(0, 6)
        list.append(lies.mode << 16, 4)
        list.append(start, 4)
        list += Array(name.utf8)
        count += 1
    }

    /// Returns the whole file.
    package func finish() -> [UInt8] {
        var end = Array("PK\u{5}\u{6}".utf8)
        end.append(0, 4)
        end.append(min(count, 0xFFFF), 2)
        end.append(min(count, 0xFFFF), 2)
        end.append(list.count, 4)
        end.append(bytes.count, 4)
        end.append(0, 2)
        return bytes + list + end
    }

    private static func checksum(_ content: [UInt8]) -> UInt32 {
        UInt32(crc32(0, content, UInt32(content.count)))
    }

    private static func deflated(_ content: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(content.count))
        var output = [UInt8](repeating: 0, count: Int(length))
        compress2(&output, &length, content, UInt(content.count), 6)
        // Without the header and the checksum of zlib.
        return Array(output[2..<Int(length) - 4])
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    fileprivate mutating func append(_ number: some BinaryInteger, _ size: Int) {
        for index in 0..<size { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
