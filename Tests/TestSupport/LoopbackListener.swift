import Foundation

/// Accepts TCP connections on a free port of 127.0.0.1.
package final class LoopbackListener: Sendable {
    package let port: UInt16
    private let socket: Int32

    package init() throws {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        socket = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                bind(listener, plain, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, plain, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Handles each connection in a thread of its own.
    package func start(_ talk: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [socket] in
            while case let connection = accept(socket, nil, nil), connection >= 0 {
                Thread.detachNewThread { talk(connection) }
            }
        }
    }

    package func stop() {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }
}
