import NIOCore

/// Divides a stream, handed to it in pieces, into what stands before a delimiter and what comes behind.
///
/// The delimiter begins with CR and has no other: where a beginning of it turns out to be none, no other can have begun
/// inside. So every byte is looked at twice at most, and what was held back at the end of a piece need not be kept, as it is
/// a beginning of the delimiter.
struct DelimiterScan {
    enum Finding {
        /// What is not of the delimiter, without a copy.
        case bytes(ByteBuffer)
        case delimiter
    }

    private let delimiter: [UInt8]
    /// How many bytes of the delimiter have come.
    private var matched: Int

    /// - Parameters:
    ///   - delimiter: four bytes or more; begins with CR, which does not come again.
    ///   - matched: how many of its bytes are taken to stand before the stream.
    init(_ delimiter: [UInt8], matched: Int) {
        self.delimiter = delimiter
        self.matched = matched
    }

    /// What comes next; nil where the piece is used up.
    mutating func next(in piece: inout ByteBuffer) -> Finding? {
        if matched == 0 {
            let length = piece.withUnsafeReadableBytes(firstCandidate)
            if length > 0 { return piece.readSlice(length: length).map(Finding.bytes) }
        }
        match(&piece)
        if matched == delimiter.count {
            matched = 0
            return .delimiter
        }
        guard piece.readableBytes > 0 else { return nil }
        defer { matched = 0 }
        return .bytes(ByteBuffer(bytes: delimiter[..<matched]))
    }

    /// Goes on as long as the piece goes on like the delimiter.
    private mutating func match(_ piece: inout ByteBuffer) {
        let length = zip(piece.readableBytesView, delimiter[matched...]).prefix { $0 == $1 }.count
        matched += length
        piece.moveReaderIndex(forwardBy: length)
    }

    /// Where the delimiter begins, or what may become it in the next piece; else the end.
    private func firstCandidate(in bytes: UnsafeRawBufferPointer) -> Int {
        delimiter.withUnsafeBytes { delimiter in
            let beginning = delimiter.loadUnaligned(as: UInt32.self)
            var start = 0
            while start <= bytes.count - 4 {
                guard bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self) == beginning else {
                    start += 1
                    continue
                }
                let most = min(delimiter.count, bytes.count - start)
                let length = (4..<most).first { bytes[start + $0] != delimiter[$0] } ?? most
                if length == most { return start }
                start += length
            }
            while start < bytes.count, !delimiter.starts(with: bytes[start...]) { start += 1 }
            return start
        }
    }
}

extension UInt8 {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
}
