import Synchronization

/// The client of a request, and the time that the server has worked for it. It is task-local, so that queues and
/// database reads find it wherever the request is handled.
package final class RequestMeter: Sendable {
    @TaskLocal package static var current: RequestMeter?

    package let client: ClientPrefixes
    private let waited = Mutex(0.0)
    private let reads = Mutex<ReadBudget?>(nil)

    package init(client: ClientPrefixes) {
        self.client = client
    }

    // MARK: - Work

    /// The time in seconds in which the request did not use a processor, although it was being handled.
    package var secondsWaited: Double { waited.withLock(\.self) }

    /// Records a time in seconds in which the request did not use a processor.
    package func addWait(_ seconds: Double) { waited.withLock { $0 += seconds } }

    // MARK: - Database reads

    private struct ReadBudget {
        /// The processor time in seconds that is left.
        var left: Double
        let isTrial: Bool
        var isExceeded = false
    }

    /// Limits the processor time of all following reads together.
    ///
    /// - Parameter isTrial: whether the request is handled again with a larger budget if it exceeds this one.
    package func limitReads(_ time: Duration, isTrial: Bool = false) {
        reads.withLock { $0 = ReadBudget(left: time / .seconds(1), isTrial: isTrial) }
    }

    /// The processor time in seconds that is left for reads; nil if it is not limited.
    package var readTimeLeft: Double? { reads.withLock { $0?.left } }

    /// Whether the request is handled again with a larger budget if its reads exceed this one.
    package var isTrial: Bool { reads.withLock { $0?.isTrial ?? false } }

    /// Whether a read has exceeded the budget of a trial.
    package var hasExceededTrial: Bool { reads.withLock { $0.map { $0.isTrial && $0.isExceeded } ?? false } }

    /// Takes the time of a read from the budget, both in seconds.
    package func addRead(duration: Double, processorTime: Double) {
        addWait(max(0, duration - processorTime))
        reads.withLock { $0?.left -= processorTime }
    }

    /// Records that a read was interrupted because it exceeded a limit.
    package func noteInterruption() { reads.withLock { $0?.isExceeded = true } }
}
