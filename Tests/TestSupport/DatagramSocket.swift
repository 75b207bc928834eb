import Foundation

/// A datagram socket of this machine, such as a service manager listens on.
package final class DatagramSocket: Sendable {
    /// As `NOTIFY_SOCKET` contains it: a path, or `@` and an abstract name.
    package let name: String
    private let socket: Int32

    package init(name: String) throws {
        self.name = name
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        self.socket = socket
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = name.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The length of an abstract name is that of the address.
        let length = name.hasPrefix("@") ? 2 + bytes.count : MemoryLayout<sockaddr_un>.size
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(length)) == 0 }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { close(socket) }

    /// The next datagram, or nil if none arrives in time.
    package func receive(withinSeconds seconds: Double) -> String? {
        var event = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, Int32(seconds * 1_000)) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count >= 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
}
