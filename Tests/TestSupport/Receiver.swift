package import Foundation
package import OutgoingHTTP
import Synchronization

/// An HTTPS or HTTP server on loopback, `receiver.py` or `http2.js`, with certificates of its own authority.
package final class Receiver: Sendable {
    package static let folder = Repository.root.appending(path: "Tests/OutgoingHTTPTests/Receiver")
    package static let python = URL(filePath: "/usr/bin/env")

    package static let isAvailable = runs(["python3", "-c", "import ssl"])
    package static let speaksHTTP2 = runs(["node", "-e", "require('http2')"])

    private static func runs(_ command: [String]) -> Bool {
        let process = Process()
        process.executableURL = python
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    package let port: Int
    private let process = Process()
    private let input = Pipe()
    private let reader: LineReader

    package convenience init(
        address: String = "127.0.0.1",
        port: Int = 0,
        scheme: OutgoingURL.Scheme = .https
    ) throws {
        let program = Self.folder.appending(path: "receiver.py").path
        try self.init(["python3", program, address, "\(port)", scheme.rawValue])
    }

    /// A server that speaks HTTP/2, `http2.js`.
    package convenience init(http2 address: String, port: Int = 0) throws {
        try self.init(["node", Self.folder.appending(path: "http2.js").path, address, "\(port)"])
    }

    /// - Parameter command: a program that prints its port first, and has the certificate of `receiver.py`.
    package convenience init(running command: [String]) throws { try self.init(command) }

    private init(_ command: [String]) throws {
        let output = Pipe()
        process.executableURL = Self.python
        process.arguments = command
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        reader = LineReader(output.fileHandleForReading)
        guard let first = reader.next(), let port = Int(first) else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = port
    }

    /// Ends the server and returns what it printed: a line for each connection and request.
    package func stop() -> [String] {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return reader.rest()
    }

    /// Writes a line to the standard input of the program.
    package func tell(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Waits for the next line; nil at the end.
    package func nextLine() -> String? { reader.next() }

    /// Settings for this server, with a long time limit, because other tests may keep the machine busy.
    package func settings(_ networks: String...) -> OutgoingSettings {
        var settings = OutgoingSettings()
        settings.time = 600_000
        settings.ports = [port]
        settings.allowedNetworks = (networks.isEmpty ? ["127.0.0.1/32"] : networks).compactMap { IPNetwork($0) }
        settings.authorities = Self.folder.appending(path: "authority.pem")
        return settings
    }
}

final class LineReader: Sendable {
    private let file: FileHandle
    private let bytes = Mutex(Data())

    init(_ file: FileHandle) {
        self.file = file
    }

    func next() -> String? {
        bytes.withLock { bytes in
            while !bytes.contains(10) {
                let more = file.availableData
                guard !more.isEmpty else { return nil }
                bytes.append(more)
            }
            let line = bytes.prefix { $0 != 10 }
            bytes = Data(bytes.dropFirst(line.count + 1))
            return String(decoding: line, as: UTF8.self)
        }
    }

    func rest() -> [String] {
        var lines: [String] = []
        while let line = next() { lines.append(line) }
        return lines
    }
}

/// Gives one answer after the other, and the last one again.
package final class ScriptedResolver: NameResolver {
    private let answers: [[IPAddress]]
    private let asked = Mutex<[String]>([])

    package init(_ answers: [String]...) {
        self.answers = answers.map { $0.compactMap { IPAddress($0) } }
    }

    package var names: [String] { asked.withLock(\.self) }

    package func addresses(of name: String) async throws -> [IPAddress] {
        let count = asked.withLock { asked in
            asked.append(name)
            return asked.count
        }
        return answers[min(count, answers.count) - 1]
    }
}
