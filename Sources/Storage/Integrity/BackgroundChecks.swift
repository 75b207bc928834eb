import Dispatch
import Synchronization

/// Runs checks beside those of the calling thread, because the checks of a large database use one processor each. Each
/// list of checks has a thread, and its checks open connections of their own.
struct BackgroundChecks {
    typealias Check = (what: String, look: @Sendable () throws -> [String])

    private final class Results: Sendable {
        let findings = Mutex<[Int: [DatabaseCheck.Finding]]>([:])
    }

    private let results = Results()
    private let group = DispatchGroup()

    init(
        _ lists: [[Check]],
        _ run: @escaping @Sendable (String, @Sendable () throws -> [String]) -> DatabaseCheck.Finding
    ) {
        for (number, checks) in lists.enumerated() {
            DispatchQueue.global().async(group: group) { [results] in
                let findings = checks.map { run($0.what, $0.look) }
                results.findings.withLock { $0[number] = findings }
            }
        }
    }

    /// Returns the findings in the order of the lists.
    func wait() -> [DatabaseCheck.Finding] {
        group.wait()
        return results.findings.withLock { findings in findings.keys.sorted().flatMap { findings[$0] ?? [] } }
    }
}
