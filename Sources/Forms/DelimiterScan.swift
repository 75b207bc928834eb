import NIOCore

/// Splits a stream, given in pieces, at a delimiter.
///
/// The delimiter begins with CR and contains no other CR. After a partial match has failed, no other match can have
/// begun inside it. Each byte is therefore examined at most twice, and a partial match at the end of a piece does not
/// have to be stored, because it equals the beginning of the delimiter.
struct DelimiterScan {
    enum Finding {
        /// Bytes outside of the delimiter, as a slice without a copy.
        case bytes(ByteBuffer)
        case delimiter
    }

    private let delimiter: [UInt8]
    /// The number of bytes of the delimiter that have matched so far.
    private var matched: Int

    /// - Parameters:
    ///   - delimiter: At least four bytes, of which only the first is CR.
    ///   - matched: The number of its bytes that are assumed to precede the stream.
    init(_ delimiter: [UInt8], matched: Int) {
        self.delimiter = delimiter
        self.matched = matched
    }

    /// Returns the next finding, or nil if the piece is consumed.
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

    /// Advances while the piece matches the delimiter.
    private mutating func match(_ piece: inout ByteBuffer) {
        let length = zip(piece.readableBytesView, delimiter[matched...]).prefix { $0 == $1 }.count
        matched += length
        piece.moveReaderIndex(forwardBy: length)
    }

    /// Returns the position of the delimiter or of a partial match at the end of the piece; otherwise the end.
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
