import Credentials
import Domain
import Foundation
import Logging
import Mail
import Server
import ServerSupport
import Storage
import TestSupport
import Testing

/// The alert rules for Prometheus and the dashboard for Grafana that the documentation offers.
@Suite("Files for monitoring")
struct MonitoringFilesTests {
    private static let folder = Repository.root.appending(
        path: "Sources/doggofinder/Documentation.docc/Resources"
    )
    private static let promtool = "/usr/bin/promtool"
    private static let token = "figures-0123456789"

    private static func names(in file: String) throws -> Set<String> {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return Set(text.matches(of: /\b(doggofinder|process)_[a-z_]+/).map { String($0.0) })
    }

    @Test("Every metric in the alert rules and the dashboard exists")
    func metrics() async throws {
        let folder = try TemporaryFolder()
        let from = try #require(MailAddress("dogs@example.org"))
        func mailer(_ database: any Database) throws -> Mailer {
            let store = OutgoingMailStore(database)
            return Mailer(try FolderTransport(folder.url), store: store, from: from, logger: .init(label: "test"))
        }
        let metrics = MetricsSettings(token: Token(Self.token), version: "1.2.3")
        try await RunningService.with(hasModel: false, metrics: metrics, mailer: mailer) { service in
            try service.board.database.recordBackup(begunAt: .now)
            _ = try await service.post(#"{"status": "lost", "lon": 10, "lat": 45}"#, try await service.guest())
            let answer = try await service.send("GET", "/metrics", token: Self.token)
            let text = String(decoding: answer.body, as: UTF8.self)
            let known = Set(
                text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "{" && $0 != " " } }
            )
            for file in ["prometheus-alerts.yml", "prometheus-alerts-test.yml", "grafana-dashboard.json"] {
                let names = try Self.names(in: file)
                #expect(names.count > 3)
                for name in names { #expect(known.contains(name[...]), "\(file): \(name)") }
            }
        }
    }

    @Test("The dashboard is JSON, and each panel has a query")
    func dashboard() throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "grafana-dashboard.json"))
        let board = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(board["panels"] as? [[String: Any]])
        #expect(panels.count >= 10)
        for panel in panels {
            let targets = panel["targets"] as? [[String: Any]] ?? []
            #expect(!targets.isEmpty && targets.allSatisfy { ($0["expr"] as? String)?.isEmpty == false })
        }
    }

    @Test(
        "promtool accepts the alert rules, and they fire when they should",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: promtool),
            "promtool of the package prometheus is missing"
        ),
        arguments: [["check", "rules", "prometheus-alerts.yml"], ["test", "rules", "prometheus-alerts-test.yml"]]
    )
    func rules(arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.promtool)
        process.arguments = arguments
        process.currentDirectoryURL = Self.folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
