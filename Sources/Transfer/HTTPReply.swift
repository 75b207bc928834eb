/// The answer to a request, as far as it was read.
package struct HTTPReply: Sendable {
    package let status: Int
    /// The header lines, without the line breaks.
    package let headers: [String]
    package let body: [UInt8]
    /// Whether the body was read to its end.
    package let isComplete: Bool
}

/// The part of an answer that libcurl has received.
struct ReceivedReply {
    let headerLimit: Int
    let bodyLimit: Int
    private var headerBytes = 0
    private(set) var headers: [String] = []
    private(set) var body: [UInt8] = []
    private(set) var hasLongHeaders = false
    private(set) var isFull = false

    init(headerLimit: Int = 16 << 10, bodyLimit: Int = 64 << 10) {
        self.headerLimit = headerLimit
        self.bodyLimit = bodyLimit
    }

    /// Returns whether more may follow.
    mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        hasLongHeaders = headerBytes > headerLimit
        guard !hasLongHeaders else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        // Each answer before the last one, such as 100 or 103, has headers of its own.
        if line.hasPrefix("HTTP/") { headers = [] }
        headers.append(String(line.prefix { !$0.isNewline }))
        return true
    }

    /// Returns whether more may follow.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = bodyLimit - body.count
        body.append(contentsOf: bytes.prefix(room))
        isFull = bytes.count > room
        return !isFull
    }
}
