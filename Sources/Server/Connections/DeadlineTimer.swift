import NIOCore

/// A timer for a deadline that is often postponed: it fires at the earliest deadline that was scheduled, because a
/// timer that fires too early is cheaper than one that is rescheduled for each request.
final class DeadlineTimer {
    private var timer: (time: NIODeadline, task: Scheduled<Void>)?

    /// Runs `body` on the event loop, on which this function must be called.
    func schedule(_ deadline: NIODeadline?, on eventLoop: any EventLoop, _ body: @escaping () -> Void) {
        guard let deadline else { return }
        if let timer {
            guard deadline < timer.time else { return }
            timer.task.cancel()
        }
        let bound = NIOLoopBound((self, body), eventLoop: eventLoop)
        let task = eventLoop.scheduleTask(deadline: deadline) {
            let (timer, body) = bound.value
            timer.timer = nil
            body()
        }
        timer = (deadline, task)
    }

    func cancel() {
        timer?.task.cancel()
        timer = nil
    }
}
