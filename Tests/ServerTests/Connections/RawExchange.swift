import Foundation
import ServerSupport

extension RunningService {
    /// Sends bytes that no client library would send, and returns everything that arrives until the server closes the
    /// connection.
    ///
    /// - Parameters:
    ///   - others: the number of other connections that are open at the same time.
    ///   - head: the bytes that each of these sends; the test waits until each has received a byte.
    func exchange(_ bytes: String, besides others: Int = 0, sending head: String = "") async throws -> String {
        try await onSocketThread { port in
            let others = try (0..<others).map { _ in try Connection(port) }
            for other in others where !head.isEmpty {
                try other.send(head)
                _ = try other.receive()
            }
            let connection = try Connection(port)
            try connection.send(bytes)
            var answer = Data()
            while let piece = try connection.receive() { answer += piece }
            withExtendedLifetime(others) {}
            return String(decoding: answer, as: UTF8.self)
        }
    }

    /// Sends without reading until the server closes the connection. Returns the number of bytes that arrived.
    func ignore(_ bytes: String) async throws -> Int {
        try await onSocketThread { port in
            let connection = try Connection(port)
            try connection.send(bytes)
            try connection.awaitEnd()
            var count = 0
            while let piece = try? connection.receive() { count += piece.count }
            return count
        }
    }

    private func onSocketThread<Value: Sendable>(
        _ body: @Sendable @escaping (UInt16) throws -> Value
    ) async throws -> Value {
        guard let port = base.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw TestFailure("no port") }
        return try await withCheckedThrowingContinuation { answer in
            Thread.detachNewThread { answer.resume(with: Result { try body(port) }) }
        }
    }
}

/// A socket that is connected to a server on loopback.
private final class Connection {
    /// The value of `POLLRDHUP`.
    private static let peerClosed: Int16 = 0x2000

    private let socket: Int32

    init(_ port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw TestFailure("no connection") }
        // Without the timeout, a server that does not close the connection would block the test forever.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    func send(_ bytes: String) throws {
        let count = Array(bytes.utf8).withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == bytes.utf8.count else { throw TestFailure("nothing was sent") }
    }

    /// The next bytes, or nil if the server has closed the connection.
    func receive() throws -> Data? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count >= 0 else { throw TestFailure("the connection stayed open") }
        return count > 0 ? Data(buffer.prefix(count)) : nil
    }

    /// Waits until the server has closed the connection, without reading.
    func awaitEnd() throws {
        // The poll reports a closed or reset connection, but not unread data.
        var event = pollfd(fd: socket, events: Self.peerClosed, revents: 0)
        guard poll(&event, 1, 300_000) > 0 else { throw TestFailure("the connection stayed open") }
    }
}
