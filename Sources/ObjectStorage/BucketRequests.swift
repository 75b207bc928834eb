import Concurrency
import Synchronization
import Transfer

/// How much a store is asked at once, and how long it may take.
package struct BucketLimits: Sendable {
    package var requestsAtOnce = 24
    package var maxWaiting = 512
    /// The time for which a request waits for others.
    package var maxWait = Duration.seconds(10)
    /// The time limit for one attempt, in milliseconds.
    package var attemptTime = 10_000
    /// The time after which no further attempt begins.
    package var budget = Duration.seconds(15)
    /// The time limit for the only attempt while the store fails, in milliseconds.
    package var failingTime = 3_000

    package init() {}
}

/// Sends requests and repeats those that fail, as long as the budget permits. All of them can be repeated, because the
/// content of an object never changes.
///
/// While the store fails, each request has one short attempt, so that requests do not pile up.
final class BucketRequests: Sendable {
    /// In milliseconds.
    private static let firstPause = 100.0
    private static let maxPause = 2_000.0

    private let address: BucketAddress
    private let keys: AccessKeys
    private let limits: BucketLimits
    private let turns: AsyncSemaphore
    private let transfers: TransferQueue
    private let state = Mutex(BucketFigures())

    init(_ address: BucketAddress, _ keys: AccessKeys, _ limits: BucketLimits) {
        self.address = address
        self.keys = keys
        self.limits = limits
        turns = AsyncSemaphore(permits: limits.requestsAtOnce, maxWaiting: limits.maxWaiting, maxWait: limits.maxWait)
        transfers = TransferQueue(name: "bucket", atOnce: limits.requestsAtOnce, idleTime: .seconds(60))
    }

    var figures: BucketFigures { state.withLock(\.self) }

    /// - Parameter read: makes a value of an answer with a status of success.
    /// - Throws: `BucketFailure`, `ServiceError` if too many requests wait, or `CancellationError`.
    func send<Value: Sendable>(
        _ request: BucketRequest,
        _ read: (HTTPReply) throws -> Value = { $0 }
    ) async throws -> Value {
        let end = ContinuousClock.now + limits.budget
        let isFailing = figures.failure != nil
        var pause = Self.firstPause
        while true {
            do {
                let reply = try await attempt(request, isFailing ? limits.failingTime : limits.attemptTime)
                let value = try read(reply)
                note(request.operation, nil)
                return value
            } catch BucketFailure.missing {
                note(request.operation, nil)
                throw BucketFailure.missing
            } catch let failure as BucketFailure {
                // Half of the pause is chance, so that nodes do not repeat at the same time.
                let wait = Duration.milliseconds(Int.random(in: Int(pause / 2)...Int(pause)))
                guard failure.mayPass, !isFailing, ContinuousClock.now + wait < end else {
                    note(request.operation, failure)
                    throw failure
                }
                state.withLock { $0.repeats += 1 }
                try await Self.whileWaiting { try await Task.sleep(for: wait) }
                pause = min(Self.maxPause, pause * 2)
            }
        }
    }

    private func attempt(_ request: BucketRequest, _ milliseconds: Int) async throws -> HTTPReply {
        try await turns.withPermit {
            do {
                let reply = try await Self.whileWaiting { [address, keys] in
                    try await transfers.run { transfer in
                        request.prepare(transfer, to: address, keys, milliseconds: milliseconds)
                    }
                }
                guard (200..<300).contains(reply.status) else {
                    throw BucketFailure(
                        status: reply.status,
                        body: reply.body,
                        region: reply.header("x-amz-bucket-region")
                    )
                }
                return reply
            } catch let failure as TransferFailure {
                throw BucketFailure(failure)
            }
        }
    }

    private func note(_ operation: BucketFigures.Operation, _ failure: BucketFailure?) {
        state.withLock { state in
            // One damaged object does not make a failing store.
            state.failure = failure == .damaged ? nil : failure
            if failure == nil {
                state.counts[operation, default: .init()].done += 1
            } else {
                state.counts[operation, default: .init()].failed += 1
            }
        }
    }

    /// Waiting for the store costs the client of a request nothing of its budget.
    private static func whileWaiting<Value>(_ body: () async throws -> Value) async throws -> Value {
        let begin = MonotonicClock.seconds
        defer { RequestMeter.current?.addWait(MonotonicClock.seconds - begin) }
        return try await body()
    }
}

extension BucketFailure {
    /// Whether another attempt may succeed. What arrived damaged may be whole in the store.
    fileprivate var mayPass: Bool {
        switch self {
        case .damaged, .unavailable: true
        case .missing, .refused: false
        }
    }
}
