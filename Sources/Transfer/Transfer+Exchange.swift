package import CCurl

/// The answer to a request, as far as it was read.
package struct HTTPReply: Sendable {
    package let status: Int
    /// The header lines, without the line breaks.
    package let headers: [String]
    package let body: [UInt8]
    /// Whether the body was read to its end.
    package let isComplete: Bool
}

extension Transfer {
    /// Sends the request that is set, and returns the answer. Reading stops at the limit of the body. Longer headers are a
    /// failure, because they may go on without end.
    ///
    /// - Parameters:
    ///   - body: sent by POST; nil sends GET.
    ///   - mayConnect: decides about each address right before a socket for it is opened.
    package func exchange(
        body: [UInt8]?,
        headersAtMost headerLimit: Int,
        bodyAtMost bodyLimit: Int,
        mayConnect: @escaping (UnsafePointer<sockaddr>) -> Bool
    ) throws -> HTTPReply {
        let exchange = Exchange(headerLimit: headerLimit, bodyLimit: bodyLimit, mayConnect: mayConnect)
        let pointer = Unmanaged.passUnretained(exchange).toOpaque()
        curl_set_header_sink(handle, Exchange.readHeader, pointer)
        curl_set_sink(handle, Exchange.readBody, pointer)
        curl_set_socket_opener(handle, Exchange.open, pointer)
        if let body {
            body.withUnsafeBytes { bytes in
                _ = curl_set_body(handle, bytes.baseAddress, curl_off_t(bytes.count))
            }
        }
        let code = withExtendedLifetime(exchange) { perform() }
        if exchange.hasLongHeaders { throw TransferFailure(code: CURLE_FILESIZE_EXCEEDED, reply: 0) }
        if !exchange.isFull { try check(code) }
        return HTTPReply(
            status: curl_get_reply(handle),
            headers: exchange.headers,
            body: exchange.body,
            isComplete: !exchange.isFull
        )
    }
}

/// What libcurl's calls write to.
private final class Exchange {
    private let headerLimit: Int
    private let bodyLimit: Int
    private let mayConnect: (UnsafePointer<sockaddr>) -> Bool
    private var headerBytes = 0
    private(set) var headers: [String] = []
    private(set) var body: [UInt8] = []
    private(set) var hasLongHeaders = false
    private(set) var isFull = false

    init(headerLimit: Int, bodyLimit: Int, mayConnect: @escaping (UnsafePointer<sockaddr>) -> Bool) {
        self.headerLimit = headerLimit
        self.bodyLimit = bodyLimit
        self.mayConnect = mayConnect
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        hasLongHeaders = headerBytes > headerLimit
        guard !hasLongHeaders else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        // Each answer before the last one, such as 100 or 103, has headers of its own.
        if line.hasPrefix("HTTP/") { headers = [] }
        headers.append(String(line.prefix { !$0.isNewline }))
        return true
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let room = bodyLimit - body.count
        body.append(contentsOf: bytes.prefix(room))
        isFull = bytes.count > room
        return !isFull
    }

    private static func taken(_ pointer: UnsafeMutableRawPointer?) -> Exchange? {
        pointer.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A result other than the number of bytes stops the transfer.
    static let readHeader: curl_write_callback = { buffer, size, count, exchange in
        guard let exchange = taken(exchange) else { return 0 }
        return exchange.takeHeader(UnsafeRawBufferPointer(start: buffer, count: size * count)) ? size * count : 0
    }

    static let readBody: curl_write_callback = { buffer, size, count, exchange in
        guard let exchange = taken(exchange) else { return 0 }
        return exchange.takeBody(UnsafeRawBufferPointer(start: buffer, count: size * count)) ? size * count : 0
    }

    static let open: curl_opensocket_callback = { exchange, _, address in
        guard let address, let exchange = taken(exchange), exchange.mayConnect(curl_socket_address(address)) else {
            return curl_no_socket()
        }
        return curl_open_socket(address)
    }
}
