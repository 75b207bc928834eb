import NIOCore
import ServiceLifecycle

/// Tells the service manager that all event loops answer, so that it restarts a service with a blocked loop. It also
/// tells that the service stops.
struct EventLoopWatchdog: ServiceLifecycle.Service {
    let manager: ServiceManager
    let eventLoops: any EventLoopGroup

    func run() async throws {
        let task = manager.watchdogInterval.map(repeatedTask)
        try? await gracefulShutdown()
        manager.tell(.stopping)
        task?.cancel()
    }

    /// Asks all loops twice per interval. A loop that is blocked for half of an interval is therefore tolerated. The
    /// task runs on the loops themselves: if it needed another thread, it would also report that this thread is busy.
    private func repeatedTask(_ interval: Duration) -> RepeatedTask {
        eventLoops.next().scheduleRepeatedAsyncTask(initialDelay: .zero, delay: TimeAmount(interval / 2)) { _ in
            let answers = eventLoops.makeIterator().map { $0.submit {} }
            return EventLoopFuture.andAllSucceed(answers, on: eventLoops.next()).map { manager.tell(.alive) }
        }
    }
}
