import Foundation
import TestSupport
import Testing

@Suite("Status of the service")
struct StatusTests {
    private struct Answer: Decodable {
        let state: String
        let problems: [String]
        let waiting: [String: Int]
        let lastBackup: String?
        let server: Server?

        struct Server: Decodable {
            let address: String
        }
    }

    private static let openSSL = URL(filePath: "/usr/bin/openssl")
    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: openSSL.path)

    private let program: Program
    private let data: URL
    private let token: String

    init() throws {
        program = try Program()
        data = program.folder.url.appending(path: "data")
        token = try program.write("figures-0123456789\n", "token")
        #expect(try program.run(["migrate"], data: data).status == 0)
    }

    private func status(_ options: String...) throws -> (code: Int32, answer: Answer) {
        let outcome = try program.run(["status", "--json"] + options, data: data)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return (outcome.status, try decoder.decode(Answer.self, from: Data(outcome.output.utf8)))
    }

    /// Starts a server on the data folder and waits until it answers.
    private func serve(_ options: String...) throws -> Process {
        let process = Program.process(["serve", "--port", "0", "--log-level", "error", "--data", data.path] + options)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).contains("answers at"))
        return process
    }

    private func stop(_ server: Process) {
        server.terminate()
        server.waitUntilExit()
    }

    @Test("Without a server the service is down")
    func down() throws {
        let (code, answer) = try status()
        #expect(code == 2 && answer.state == "down")
        #expect(
            answer.problems == [
                "there is no backup: run doggofinder backup", "no server runs on the data folder",
            ]
        )
        let missing = try program.run(["status"], data: program.folder.url.appending(path: "nothing"))
        #expect(missing.status != 0 && missing.errors.contains("there is no DoggoFinder data"))
    }

    @Test("With a server and a backup the service is healthy, and its queues are told")
    func healthy() throws {
        let server = try serve("--metrics-token-file", token)
        defer { stop(server) }
        var (code, answer) = try status()
        #expect(code == 1 && answer.state == "degraded", "\(answer.problems)")
        let backups = program.folder.url.appending(path: "backups").path
        #expect(try program.run(["backup", backups], data: data).status == 0)
        #expect(try program.run(["check"], data: data).status == 0)
        (code, answer) = try status("--metrics-token-file", token)
        #expect(code == 0 && answer.state == "healthy" && answer.problems.isEmpty, "\(answer.problems)")
        #expect(answer.waiting == ["mail": 0, "push": 0, "social": 0, "webhooks": 0, "photos": 0, "writes": 0])
        #expect(answer.lastBackup != nil)
        let shown = try program.run(["status"], data: data)
        #expect(shown.status == 0 && shown.output.contains("state") && shown.output.contains(", 0 problems\n"))
        let wrong = try program.write("another-0123456789\n", "wrong")
        #expect(
            try status("--metrics-token-file", wrong).answer.problems == [
                "the server does not accept the token for metrics"
            ]
        )
    }

    @Test("A server is asked by TLS, whatever name its certificate has", .enabled(if: hasOpenSSL, "openssl is missing"))
    func tls() throws {
        let (certificate, key) = (data.appending(path: "cert.pem").path, data.appending(path: "key.pem").path)
        let openSSL = Process()
        openSSL.executableURL = Self.openSSL
        openSSL.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=dogs.example.org", "-keyout", key, "-out", certificate,
        ]
        openSSL.standardError = FileHandle.nullDevice
        try openSSL.run()
        openSSL.waitUntilExit()
        let server = try serve("--tls-certificate", certificate, "--tls-key", key, "--metrics-token-file", token)
        defer { stop(server) }
        let (code, answer) = try status("--metrics-token-file", token)
        #expect(code == 1 && answer.problems == ["there is no backup: run doggofinder backup"])
        #expect(answer.server?.address.hasPrefix("https://127.0.0.1:") == true)
        #expect(answer.waiting["writes"] == 0)
    }

    @Test("The record of a server that was killed does not apply")
    func killed() throws {
        let server = try serve()
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
        #expect(try Data(contentsOf: data.appending(path: "server.lock")).isEmpty == false)
        #expect(try status().answer.problems.last == "no server runs on the data folder")
    }

    @Test("An old backup is told")
    func oldBackup() throws {
        try Data("2026-01-01T00:00:00.000Z".utf8).write(to: data.appending(path: "last-backup"))
        #expect(try status().answer.problems.first?.hasPrefix("the last backup is ") == true)
        #expect(try status("--max-backup-days", "100000").answer.problems == ["no server runs on the data folder"])
    }
}
