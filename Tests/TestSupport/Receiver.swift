package import Foundation
package import OutgoingHTTP
import Synchronization

/// An HTTPS or HTTP server on loopback, `receiver.py`, with certificates of its own authority.
package final class Receiver: Sendable {
    package static let folder = Repository.root.appending(path: "Tests/OutgoingHTTPTests/Receiver")
    package static let python = URL(filePath: "/usr/bin/env")

    package static let isAvailable: Bool = {
        let process = Process()
        process.executableURL = python
        process.arguments = ["python3", "-c", "import ssl"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    package let port: Int
    private let process = Process()
    private let input = Pipe()
    private let reader: LineReader

    package init(
        address: String = "127.0.0.1",
        port: Int = 0,
        scheme: OutgoingURL.Scheme = .https
    ) throws {
        let output = Pipe()
        process.executableURL = Self.python
        process.arguments =
            ["python3", Self.folder.appending(path: "receiver.py").path, address, "\(port)", scheme.rawValue]
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
