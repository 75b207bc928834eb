import Foundation
import FoundationNetworking
import TestSupport
import Testing

@Suite("Serving")
struct ServeTests {
    /// A server on a free port.
    private struct Server {
        let process: Process
        let port: UInt16

        init(_ folder: TemporaryFolder, logLevel: String, log: Any? = nil) throws {
            process = Program.process([
                "serve", "--port", "0", "--rate-limit", "off", "--log-level", logLevel, "--data", folder.url.path,
            ])
            let output = Pipe()
            process.standardOutput = output
            if let log { process.standardError = log }
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            let number = line.split(separator: ":").last.flatMap { UInt16($0.trimmingCharacters(in: .newlines)) }
            port = try #require(number)
        }

        func stop() {
            process.terminate()
            process.waitUntilExit()
        }
    }

    @Test("A log that nobody reads delays neither requests nor the end of the server")
    func unreadLog() async throws {
        let folder = try TemporaryFolder()
        let log = Pipe()
        let server = try Server(folder, logLevel: "info", log: log)
        defer { kill(server.process.processIdentifier, SIGKILL) }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/healthz"))
        // A pipe holds 64 KiB, and each line has more than 100 bytes.
        for _ in 0..<1_000 {
            let (_, response) = try await URLSession.shared.data(from: url)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        server.stop()
        #expect(server.process.terminationStatus == 0 && server.process.terminationReason == .exit)
        try log.fileHandleForWriting.close()
    }

    @Test("A request that does not end is cancelled when the server is to end")
    func unfinishedRequest() async throws {
        let server = try Server(try TemporaryFolder(), logLevel: "error")
        defer { kill(server.process.processIdentifier, SIGKILL) }
        let connection = try Connection(port: server.port)
        let part = "--X\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n\r\n"
        try connection.send(
            "POST /photo-search HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n"
                + "Content-Type: multipart/form-data; boundary=X\r\nContent-Length: 9000000\r\n\r\n\(part)"
        )
        let upload = Task {
            while !Task.isCancelled {
                try connection.send(String(repeating: "x", count: 4_000))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await Task.sleep(for: .milliseconds(500))
        server.stop()
        upload.cancel()
        #expect(server.process.terminationStatus == 0 && server.process.terminationReason == .exit)
        // After its usual time, the request would be answered by an error.
        #expect(connection.received().isEmpty)
    }
}

/// A TCP connection to this machine.
private final class Connection: Sendable {
    private let socket: Int32

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit {
        close(socket)
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw POSIXError(.EPIPE)
        }
    }

    /// Reads until the other side closes the connection.
    func received() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 { bytes += buffer[..<count] }
        return bytes
    }
}
