import Foundation
import ServerSupport

extension RunningService {
    /// What comes back for bytes that no client library would send, until the server closes the connection.
    func exchange(_ bytes: String) async throws -> String {
        guard let port = base.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw Surprise("no port") }
        return try await withCheckedThrowingContinuation { answer in
            Thread.detachNewThread { answer.resume(with: Result { try Self.exchange(bytes, port) }) }
        }
    }

    private static func exchange(_ bytes: String, _ port: UInt16) throws -> String {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Surprise("no connection") }
        // A server that does not close would hold up the test for good.
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard bytes.utf8.withContiguousStorageIfAvailable({ write(socket, $0.baseAddress, $0.count) }) != nil else {
            throw Surprise("nothing was sent")
        }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Surprise("the connection stayed open") }
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += buffer.prefix(count)
        }
    }
}
