import Domain
import Foundation

/// Walks the blocks of a `.osm.pbf`: the reading library takes one that is cut short for one that ends there.
struct PBFFraming {
    private let url: URL
    private let refusal: (String) -> ServiceError

    init(_ url: URL, _ refusal: @escaping (String) -> ServiceError) {
        self.url = url
        self.refusal = refusal
    }

    /// Each block is a big-endian length, a BlobHeader of that length, and a Blob as long as the header says.
    func check() throws {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        let size = try handle.seekToEnd()
        var offset: UInt64 = 0
        while offset < size {
            try handle.seek(toOffset: offset)
            guard let length = try handle.read(upToCount: 4), length.count == 4 else { throw damage }
            let headerSize = length.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // The format's own limit for headers: 64 KiB.
            guard headerSize > 0, headerSize < 65_536,
                let header = try handle.read(upToCount: Int(headerSize)), header.count == Int(headerSize),
                let blobSize = Self.blobSize(Array(header))
            else { throw damage }
            offset += 4 + headerSize + blobSize
        }
        guard offset == size else { throw damage }
    }

    private var damage: ServiceError { refusal("the file is damaged or cut short") }

    /// Field 3 of the BlobHeader; 1 and 2 are bytes, to be skipped.
    private static func blobSize(_ header: [UInt8]) -> UInt64? {
        var index = 0
        while index < header.count {
            guard let tag = varint(header, &index), let value = varint(header, &index) else { return nil }
            switch tag {
            case 3 << 3: return value <= 64 << 20 ? value : nil
            case 1 << 3 | 2, 2 << 3 | 2:
                guard value <= UInt64(header.count - index) else { return nil }
                index += Int(value)
            default: return nil
            }
        }
        return nil
    }

    private static func varint(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
