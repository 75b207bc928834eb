import Domain
import Foundation

/// Reads a sorted run of entries, in blocks, from the file of an unfinished import.
struct SortedRunReader {
    private static let blockLength = 1 << 15

    private var offset: Int
    private var left: Int
    private var buffer: ArraySlice<UInt64> = []

    init(offset: Int, count: Int) {
        self.offset = offset
        left = count
    }

    var isAtEnd: Bool { left == 0 && buffer.isEmpty }

    /// The last entry in memory, if others follow in the file: what is at most this is in memory.
    var boundOfBuffer: UInt64? { left > 0 ? buffer.last : nil }

    mutating func fill(from handle: FileHandle) throws {
        guard buffer.isEmpty, left > 0 else { return }
        let count = min(left, Self.blockLength)
        try handle.seek(toOffset: UInt64(offset))
        let length = count * BreachedPasswords.entryLength
        guard let data = try handle.read(upToCount: length), data.count == length else {
            throw ServiceError(.diskFailing, "the partial list of passwords was changed meanwhile")
        }
        buffer = data.withUnsafeBytes { bytes in
            (0..<count).map { index in
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }[...]
        }
        (offset, left) = (offset + length, left - count)
    }

    /// Removes and returns the entries in memory up to a bound; all of them without one.
    mutating func take(through bound: UInt64?) -> ArraySlice<UInt64> {
        guard let bound else {
            defer { buffer = [] }
            return buffer
        }
        let taken = buffer.prefix { $0 <= bound }
        buffer = buffer.dropFirst(taken.count)
        return taken
    }
}
