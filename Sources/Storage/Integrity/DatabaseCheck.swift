import Dispatch
import Domain
import SQL
import Synchronization

/// The results of an integrity check of a database, and the number of rows in its main tables.
package struct DatabaseCheck: Sendable {
    package struct Finding: Sendable {
        package let what: String
        /// Empty if the check found no problem.
        package let problems: [String]

        package init(what: String, problems: [String]) {
            self.what = what
            self.problems = problems
        }

        init(_ what: String, _ look: () throws -> [String]) {
            self.what = what
            do { problems = try look() } catch {
                problems = ["cannot be read: \(SQLFailure(error)?.description ?? "\(error)")"]
            }
        }
    }

    /// The name of a check, and a function that returns problems.
    typealias Check = (what: String, look: @Sendable (SQLConnection) throws -> [String])
    /// A check that opens a connection of its own.
    typealias BackgroundCheck = (what: String, look: @Sendable () throws -> [String])

    package let findings: [Finding]
    package let counts: [(table: String, rows: Int)]

    package var isSound: Bool { findings.allSatisfy(\.problems.isEmpty) }

    /// - Parameters:
    ///   - background: lists of checks, each of which runs on a thread beside the others, because the checks of a large
    ///     database use one processor each.
    ///   - progress: is called for each check that begins, from all threads.
    init(
        _ checks: [Check],
        beside background: [[BackgroundCheck]] = [],
        _ db: SQLConnection,
        _ progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }
    ) {
        let run = CheckRun(total: checks.count + background.joined().count, progress)
        let group = DispatchGroup()
        for (number, list) in background.enumerated() {
            DispatchQueue.global().async(group: group) {
                run.run(list.map { check in (check.what, { try check.look() }) }, number: number + 1)
            }
        }
        run.run(checks.map { check in (check.what, { try check.look(db) }) }, number: 0)
        group.wait()
        findings = run.findings
        counts = Self.counts(db)
    }

    private static func counts(_ db: SQLConnection) -> [(table: String, rows: Int)] {
        ["account", "session", "listing", "message", "sighting", "photo", "poi", "place", "event", "report", "audit"]
            .compactMap { table in
                // Tables that cannot be counted are reported by the other checks.
                (try? db.value("SELECT count(*) FROM \(table)") as Int?).flatMap { $0 }.map { (table, $0) }
            }
    }
}

/// Lists of checks that run on several threads.
private final class CheckRun: Sendable {
    private let total: Int
    private let progress: @Sendable (TaskProgress) -> Void
    private let finished = Atomic(0)
    private let found = Mutex<[Int: [DatabaseCheck.Finding]]>([:])

    init(total: Int, _ progress: @escaping @Sendable (TaskProgress) -> Void) {
        (self.total, self.progress) = (total, progress)
    }

    func run(_ checks: [(what: String, look: () throws -> [String])], number: Int) {
        let findings = checks.map { what, look in
            progress(TaskProgress(name: what, finished: finished.load(ordering: .relaxed), total: total))
            defer { finished.add(1, ordering: .relaxed) }
            return DatabaseCheck.Finding(what, look)
        }
        found.withLock { $0[number] = findings }
    }

    /// The findings in the order of the lists.
    var findings: [DatabaseCheck.Finding] {
        found.withLock { found in found.keys.sorted().flatMap { found[$0] ?? [] } }
    }
}

extension Database {
    /// Looks for damage, and for data that contradict each other, without a time limit.
    ///
    /// - Parameter progress: is called for each check that begins; for a database file, from several threads.
    package func check(
        progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }
    ) async throws -> DatabaseCheck {
        switch self {
        case let file as DatabaseFile:
            try file.readers.read(within: .init()) { db in try DatabaseCheck(db, file.url, progress) }
        case let server as PostgresDatabase:
            try server.read(within: nil) { db in DatabaseCheck(postGIS: db, progress) }
        default: throw ServiceError(.unavailable, "there is no check for this kind of database")
        }
    }
}
