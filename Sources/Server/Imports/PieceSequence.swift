import NIOCore

/// A file in memory as one piece, as it would arrive in a request.
struct PieceSequence: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        var piece: ByteBuffer?

        mutating func next() -> ByteBuffer? {
            defer { piece = nil }
            return piece
        }
    }

    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(piece: ByteBuffer(bytes: bytes)) }
}
