import Synchronization

/// Counts the checks that are finished on several threads.
final class CheckCount: Sendable {
    private let finished = Atomic(0)
    private let total: Int

    init(total: Int) {
        self.total = total
    }

    /// - Parameter name: the check that begins.
    func progress(_ name: String) -> TaskProgress {
        TaskProgress(name: name, finished: finished.load(ordering: .relaxed), total: total)
    }

    func finish() { finished.add(1, ordering: .relaxed) }
}
