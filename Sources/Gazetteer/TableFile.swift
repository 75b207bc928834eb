import CDeflate

/// The container format of the bundled tables: magic bytes, version, section table, sections. All integers are
/// little-endian.
struct TableFile: Sendable {
    static let magic = Array("DOGGOGEO".utf8)
    static let version: UInt32 = 1
    private static let headerSize = 16
    private static let entrySize = 24

    let file: MappedFile
    private let entries: [String: Entry]

    private struct Entry {
        let stride: Int
        let range: Range<Int>
    }

    init(_ file: MappedFile) throws(GazetteerError) {
        self.file = file
        let bytes = file.bytes
        guard bytes.count >= Self.headerSize, bytes.prefix(8).elementsEqual(Self.magic) else {
            throw .foreign(path: file.path)
        }
        let version = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self).littleEndian
        guard version == Self.version else { throw .version(path: file.path, found: version) }
        let count = Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self).littleEndian)
        guard count <= (bytes.count - Self.headerSize) / Self.entrySize else {
            throw .damaged(path: file.path, section: "table")
        }
        var entries: [String: Entry] = [:]
        for index in 0..<count {
            let start = Self.headerSize + index * Self.entrySize
            let tag = String(decoding: bytes[start..<start + 4], as: UTF8.self)
            entries[tag] = try Self.entry(at: start, tag: tag, of: file)
        }
        self.entries = entries
    }

    /// The CRC-32 of the whole file.
    var checksum: UInt32 { libdeflate_crc32(0, file.bytes.baseAddress, file.bytes.count) }

    private static func entry(at start: Int, tag: String, of file: MappedFile) throws(GazetteerError) -> Entry {
        let stride = file.bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self).littleEndian
        let offset = file.bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self).littleEndian
        let length = file.bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self).littleEndian
        let size = UInt64(file.bytes.count)
        guard stride > 0, offset <= size, length <= size - offset, length % UInt64(stride) == 0 else {
            throw .damaged(path: file.path, section: tag)
        }
        return Entry(stride: Int(stride), range: Int(offset)..<Int(offset + length))
    }

    /// Returns the section with a tag, whose records must have a size of `stride` bytes.
    func section(_ tag: String, stride: Int) throws(GazetteerError) -> Section {
        guard let entry = entries[tag], entry.stride == stride else { throw .damaged(path: file.path, section: tag) }
        return Section(bytes: UnsafeRawBufferPointer(rebasing: file.bytes[entry.range]), stride: stride)
    }
}

/// The records of one section. The pointer is valid while the `MappedFile` exists, which `Gazetteer` retains.
struct Section: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    let stride: Int
    let count: Int

    init(bytes: UnsafeRawBufferPointer, stride: Int) {
        self.bytes = bytes
        self.stride = stride
        count = bytes.count / stride
    }

    /// Reads a field of a record. An index out of bounds stops the program instead of reading other memory.
    @inline(__always)
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ index: Int, at field: Int = 0, as type: T.Type = T.self) -> T
    {
        precondition(index >= 0 && index < count)
        return T(littleEndian: bytes.loadUnaligned(fromByteOffset: index &* stride &+ field, as: T.self))
    }

    func double(_ index: Int, at field: Int) -> Double {
        Double(bitPattern: integer(index, at: field))
    }

    @inline(__always)
    func float(_ index: Int, at field: Int) -> Double {
        Double(Float(bitPattern: integer(index, at: field)))
    }
}
