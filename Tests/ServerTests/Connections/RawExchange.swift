import Foundation
import ServerSupport

extension RunningService {
    /// What comes back for bytes that no client library would send, until the server closes the connection.
    ///
    /// - Parameters:
    ///   - others: how many connections are open meanwhile.
    ///   - head: what these send; each is waited for until it gets a byte back.
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

    /// Sends without looking at what comes back, until the server closes the connection. Gives how many bytes came.
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

/// A socket to a server on loopback.
private final class Connection {
    /// `POLLRDHUP`.
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
        // A server that does not close would hold up the test for good.
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

    /// Nil where the server has closed the connection.
    func receive() throws -> Data? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count >= 0 else { throw TestFailure("the connection stayed open") }
        return count > 0 ? Data(buffer.prefix(count)) : nil
    }

    /// Waits until the other side has ended the connection, and takes nothing of what it sends.
    func awaitEnd() throws {
        // An end or a reset, but not what lies there to be read.
        var event = pollfd(fd: socket, events: Self.peerClosed, revents: 0)
        guard poll(&event, 1, 300_000) > 0 else { throw TestFailure("the connection stayed open") }
    }
}
