import Foundation
import TestSupport
import Testing

/// Runs the built program as a separate process.
struct Program {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    static var url: URL {
        // The test bundle and the program are in the same folder.
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "doggofinder")
    }

    static func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        // The configuration of a service that is installed on this machine does not apply to tests.
        process.environment = ProcessInfo.processInfo.environment.merging(["DOGGOFINDER_CONFIG": "none"]) { $1 }
            .merging(environment) { $1 }
        return process
    }

    /// Runs a command with the test's folder as `--data`.
    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Outcome {
        try run(arguments, data: folder.url, input: input, environment: environment)
    }

    func run(
        _ arguments: [String],
        data: URL,
        input: String = "",
        environment: [String: String] = [:]
    ) throws -> Outcome {
        let process = Self.process(arguments + ["--data", data.path], environment: environment)
        let files = try ["in", "out", "err"].map { name in
            let url = folder.url.appending(path: "\(UUID().uuidString).\(name)")
            try Data((name == "in" ? input : "").utf8).write(to: url)
            return url
        }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: try String(contentsOf: files[1], encoding: .utf8),
            errors: try String(contentsOf: files[2], encoding: .utf8)
        )
    }

    func write(_ text: String, _ name: String, _ encoding: String.Encoding = .utf8) throws -> String {
        let url = folder.url.appending(path: name)
        try #require(text.data(using: encoding)).write(to: url)
        return url.path
    }
}
