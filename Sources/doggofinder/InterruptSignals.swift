import Foundation
import Synchronization

/// While this object exists, SIGINT and SIGTERM interrupt a task, which then undoes what it did, instead of ending the
/// process at once. There is at most one such object at a time.
final class InterruptSignals: Sendable {
    /// The task was interrupted.
    struct Interruption: Error {}

    /// The signal that has arrived, or 0. A handler of signals can only reach global variables.
    private static let received = Atomic<CInt>(0)

    private let formerHandlers: [(signal: CInt, handler: __sighandler_t?)]

    /// - Parameter interrupt: is called several times after a signal, because the task may be between two steps that
    ///   can be interrupted.
    init(_ interrupt: @escaping @Sendable () -> Void) {
        // Initializes the variable, which would not be safe in the handler.
        Self.received.store(0, ordering: .relaxed)
        formerHandlers = [SIGINT, SIGTERM].map { number in
            (number, signal(number) { InterruptSignals.received.store($0, ordering: .relaxed) })
        }
        // A thread, because the task may occupy all threads of Swift's tasks.
        Thread.detachNewThread { [weak self] in
            while self != nil {
                if Self.received.load(ordering: .relaxed) != 0 { interrupt() }
                usleep(50_000)
            }
        }
    }

    deinit {
        for (number, handler) in formerHandlers { signal(number, handler) }
    }

    /// The number of the signal that has arrived.
    var signalNumber: CInt? {
        let number = Self.received.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Throws if a signal has arrived.
    func check() throws(Interruption) {
        if signalNumber != nil { throw Interruption() }
    }
}
