import ArgumentParser
import Domain
import Formats
import Foundation
import Storage

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell how the service is: server, queues, last backup and check, disk.",
        discussion: """
            Reads the data folder and asks the server that runs on it. Ends with 0 if all is well, 1 if something \
            needs attention, and 2 if no server answers or the database cannot be read.
            """
    )

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "The file with the token for /metrics, for figures that only the server knows. (default: as serve)",
            valueName: "file"
        )
    )
    var metricsTokenFile: String?

    @Option(help: "A backup must not be older than so many days.") var maxBackupDays = 8

    func run() async throws {
        let file = metricsTokenFile ?? Environment.text("metrics-token-file")
        let token = try file.map { try secret(in: $0, option: "metrics-token-file", "a token") }
        let report = try await StatusReport(dataOptions, metricsToken: token, maxBackupDays: maxBackupDays)
        if output.json { printJSON { $0.status(report) } } else { Self.printTable(report) }
        if report.state != .healthy { throw ExitCode(report.state == .degraded ? 1 : 2) }
    }

    private static func printTable(_ report: StatusReport) {
        var rows = [["state", report.state.rawValue], ["version", DoggoFinder.programVersion]]
        if let server = report.server {
            rows.append(["server", "\(server.address), process \(server.pid), version \(server.version)"])
            rows.append(["uptime", ProgressStep.words(report.uptimeSeconds ?? 0)])
        }
        rows.append(["load", report.load.map { String(format: "%.2f", $0) }.joined(separator: " ")])
        if let statistics = report.statistics {
            rows.append(["schema", "\(statistics.schema)"])
            rows.append(["open listings", "\(statistics.listings.map(\.count).reduce(0, +))"])
            rows.append(["accounts", "\(statistics.accounts)"])
            rows.append(["open reports", "\(statistics.openReports)"])
            rows.append(["database", UpgradeCopy.megabytes(statistics.databaseSize + statistics.logSize)])
        }
        rows += report.queues.map { ["waiting: \($0.name)", "\($0.count)"] }
        rows.append(["last backup", report.lastBackup?.text ?? "unknown"])
        rows.append([
            "last check", report.lastCheck.map { "\($0.time), \(counted($0.problems, "problem"))" } ?? "unknown",
        ])
        if let disk = report.disk {
            rows.append(["disk", "\(UpgradeCopy.megabytes(disk.free)) free of \(UpgradeCopy.megabytes(disk.total))"])
        }
        doggofinder.printTable(rows)
        for problem in report.problems { print("- \(problem)") }
    }
}

extension JSONWriter {
    fileprivate mutating func status(_ report: StatusReport) {
        object { json in
            json.field("state", report.state.rawValue)
            json.array("problems", report.problems) { $0.string($1) }
            json.field("version", DoggoFinder.programVersion)
            json.field("schema", report.statistics?.schema)
            if let server = report.server {
                json.object("server") { json in
                    json.field("address", server.address)
                    json.field("pid", Int(server.pid))
                    json.field("version", server.version)
                    json.field("started_at", server.startedAt)
                    json.field("uptime_seconds", report.uptimeSeconds, decimals: 0)
                }
            }
            json.array("load", report.load) { $0.number($1, decimals: 2) }
            if let statistics = report.statistics {
                json.field("open_listings", statistics.listings.map(\.count).reduce(0, +))
                json.field("accounts", statistics.accounts)
                json.field("open_reports", statistics.openReports)
                json.field("database_bytes", statistics.databaseSize)
                json.field("database_log_bytes", statistics.logSize)
            }
            json.object("waiting") { json in
                for queue in report.queues { json.field(named: queue.name, queue.count) }
            }
            json.field("last_backup", report.lastBackup?.text)
            if let check = report.lastCheck {
                json.object("last_check") { json in
                    json.field("at", check.time)
                    json.field("problems", check.problems)
                    json.field("seconds", check.seconds, decimals: 1)
                }
            }
            json.field("disk_free_bytes", report.disk?.free)
            json.field("disk_bytes", report.disk?.total)
        }
    }
}
