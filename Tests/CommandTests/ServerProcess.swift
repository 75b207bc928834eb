import Foundation
import TestSupport
import Testing

/// The program as a server on a free port.
struct ServerProcess {
    /// Exists as long as the server.
    private let folder: TemporaryFolder
    let process: Process
    let port: UInt16

    init(
        _ folder: TemporaryFolder,
        _ options: [String] = [],
        environment: [String: String] = [:],
        logLevel: String,
        log: Any? = nil
    ) throws {
        self.folder = folder
        process = Program.process(
            ["serve", "--port", "0", "--rate-limit", "off", "--log-level", logLevel, "--data", folder.url.path]
                + options,
            environment: environment
        )
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

    func kill() { Glibc.kill(process.processIdentifier, SIGKILL) }
}
