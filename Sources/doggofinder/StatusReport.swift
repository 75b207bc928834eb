import CCurl
import Domain
import Foundation
import Storage
import Transfer

/// The state of a service, as `doggofinder status` tells it.
struct StatusReport {
    enum State: String {
        case healthy, degraded, down
    }

    private static let serverTimeoutMilliseconds = 3000
    /// As in prometheus-alerts.yml.
    private static let maxLateSeconds = 300.0

    private(set) var state = State.healthy
    /// The problems that need attention, in words.
    private(set) var problems: [String] = []
    let server: ServerRecord?
    let load: [Double]
    /// Nil if the database cannot be read with this version of the program.
    private(set) var statistics: DatabaseStatistics?
    private(set) var queues: [(name: String, count: Int)] = []
    let lastBackup: Timestamp?
    let lastCheck: CheckRecord?
    let disk: DiskSpace?

    init(_ options: DataOptions, metricsToken: String?, maxBackupDays: Int) async throws {
        let database = try options.openExisting()
        server = FolderLock.serverRecord(options.directory)
        load = Self.systemLoad()
        lastBackup = database.lastBackup
        lastCheck = database.lastCheck
        disk = DiskSpace(of: options.directory)
        readDatabase(database)
        noteRecords(maxBackupDays)
        do { try DiskReserve(of: options.photoDisk).check() } catch { note("the disk is nearly full", .degraded) }
        await askServer(metricsToken)
    }

    /// Seconds since the server started.
    var uptimeSeconds: Double? {
        guard let server, let begin = Timestamp(parsing: server.startedAt) else { return nil }
        return Double(Timestamp.now.milliseconds - begin.milliseconds) / 1000
    }

    private mutating func note(_ problem: String, _ new: State) {
        problems.append(problem)
        if state == .healthy || new == .down { state = new }
    }

    private mutating func readDatabase(_ database: any Database) {
        do {
            switch try database.schemaAge() {
            case .older: note("the schema is older than the program: run doggofinder migrate", .degraded)
            case .newer: note("the schema is newer than the program: start the newer program", .down)
            case .foreign: note("the database is none of this program, or empty", .down)
            case .current:
                statistics = try database.statistics()
                let waiting = try database.waitingMessages()
                queues = waiting.map { ($0.channel, $0.count) }
                for queue in waiting where queue.late > Self.maxLateSeconds {
                    note("messages by \(queue.channel) have waited for \(Int(queue.late / 60)) minutes", .degraded)
                }
            }
        } catch {
            note("the database cannot be read: \(error)", .down)
        }
    }

    private mutating func noteRecords(_ maxBackupDays: Int) {
        if let lastBackup {
            let days = (Timestamp.now.milliseconds - lastBackup.milliseconds) / 86_400_000
            if days > maxBackupDays { note("the last backup is \(days) days old", .degraded) }
        } else {
            note("there is no backup: run doggofinder backup", .degraded)
        }
        if let lastCheck, lastCheck.problems > 0 {
            note("the last check found \(counted(lastCheck.problems, "problem")): run doggofinder check", .degraded)
        }
    }

    private mutating func askServer(_ metricsToken: String?) async {
        guard let server else { return note("no server runs on the data folder", .down) }
        do {
            let reply = try await Self.get("\(server.address)/readyz", headers: [])
            if reply.status != 200 { note("the server is not ready: \(reply.body)", .degraded) }
            if let answer = try? JSONDecoder().decode(Readiness.self, from: Data(reply.body.utf8)),
                answer.photos == "unavailable"
            {
                note("the server does not reach the store of photos", .degraded)
            }
        } catch {
            return note("the server does not answer at \(server.address)", .down)
        }
        guard let metricsToken else { return }
        let headers = ["Authorization: Bearer \(metricsToken)"]
        guard let reply = try? await Self.get("\(server.address)/metrics", headers: headers), reply.status == 200 else {
            return note("the server does not accept the token for metrics", .degraded)
        }
        for (name, metric) in [("photos", "doggofinder_photos_waiting"), ("writes", "doggofinder_writes_waiting")] {
            guard let value = Self.value(of: metric, in: reply.body) else { continue }
            queues.append((name, Int(value)))
        }
    }

    private struct Readiness: Decodable {
        let photos: String?
    }

    private static func value(of metric: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(metric + " ") }
            .flatMap { Double($0.dropFirst(metric.count + 1)) }
    }

    private static func get(_ address: String, headers: [String]) async throws -> (status: Int, body: String) {
        let transfers = TransferQueue(name: "status", atOnce: 1)
        let reply = try await transfers.run { transfer in
            transfer.set(CURLOPT_URL, address)
            transfer.set(CURLOPT_PROTOCOLS_STR, "http,https")
            // The certificate is for the public name, and `server.lock` names this server's own address.
            transfer.set(CURLOPT_SSL_VERIFYPEER, 0)
            transfer.set(CURLOPT_SSL_VERIFYHOST, 0)
            transfer.set(CURLOPT_USERAGENT, "DoggoFinder")
            transfer.set(CURLOPT_HTTPHEADER, headers)
            // The server is on this machine.
            transfer.set(CURLOPT_PROXY, "")
            transfer.limitTime(toConnect: serverTimeoutMilliseconds, whole: serverTimeoutMilliseconds)
            transfer.limitReply(headers: 16 << 10, body: 1 << 20)
        }
        guard reply.isComplete else { throw TransferFailure(code: CURLE_FILESIZE_EXCEEDED, reply: reply.status) }
        return (reply.status, String(decoding: reply.body, as: UTF8.self))
    }

    private static func systemLoad() -> [Double] {
        var values = [0.0, 0, 0]
        return getloadavg(&values, 3) == 3 ? values : []
    }
}
