import CCurl
import Concurrency
import Foundation
import Synchronization

/// A thread with a multi handle of libcurl. Both exist while there are transfers and for some time after them.
final class TransferLoop: Sendable {
    private struct State {
        var waiting: [TransferJob] = []
        var cancelled: [TransferJob] = []
        /// Nil without a thread.
        var multi: MultiHandle?
        var closesIdle = false
    }

    /// A multi handle, which other threads may only wake.
    private struct MultiHandle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    /// The transfers that the thread starts and cancels next.
    private struct Orders {
        let new: [TransferJob]
        let cancelled: [TransferJob]
    }

    private let name: String
    private let limit: Int
    private let usesPerConnection: Int
    private let idleTime: Duration
    private let state = Mutex(State())

    init(name: String, limit: Int, usesPerConnection: Int, idleTime: Duration) {
        (self.name, self.limit, self.usesPerConnection, self.idleTime) = (name, limit, usesPerConnection, idleTime)
    }

    // MARK: - From any thread

    func add(_ job: TransferJob) {
        let isPossible = state.withLock { state in
            if state.multi == nil {
                guard let multi = curl_multi_init() else { return false }
                // Connections beyond this number are closed when they become idle. A new one is expensive, because
                // GnuTLS reads the certificates of all authorities for it.
                curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 2 * limit)
                state.multi = MultiHandle(pointer: multi)
                startThread(MultiHandle(pointer: multi))
            }
            state.waiting.append(job)
            state.closesIdle = false
            Self.wake(state)
            return true
        }
        if !isPossible { job.answer.finish(.failure(TransferFailure(code: CURLE_FAILED_INIT, reply: 0))) }
    }

    func cancel(_ job: TransferJob) {
        state.withLock { state in
            guard state.multi != nil else { return }
            state.cancelled.append(job)
            Self.wake(state)
        }
    }

    func closeIdle() {
        state.withLock { state in
            state.closesIdle = true
            Self.wake(state)
        }
    }

    private static func wake(_ state: borrowing State) {
        if let multi = state.multi { curl_multi_wakeup(multi.pointer) }
    }

    // MARK: - On the thread

    private func startThread(_ multi: MultiHandle) {
        let thread = Thread { self.work(multi.pointer) }
        thread.name = name
        thread.start()
    }

    /// How often transfers look for answers that libcurl has read.
    private static let lookPause = Duration.milliseconds(250)

    private func work(_ multi: UnsafeMutableRawPointer) {
        var running: [UnsafeMutableRawPointer: TransferJob] = [:]
        let uses = usesPerConnection == .max ? nil : ConnectionUses(limit: usesPerConnection)
        var (idleSince, lookedAt) = (ContinuousClock.now, ContinuousClock.now)
        while let orders = orders(running.count, idleSince) {
            for job in orders.cancelled where running.removeValue(forKey: job.transfer.handle) != nil {
                curl_multi_remove_handle(multi, job.transfer.handle)
            }
            for job in orders.new {
                job.transfer.uses = uses
                begin(job, multi, &running)
            }
            if lookedAt.duration(to: .now) >= Self.lookPause {
                for job in running.values { job.transfer.lookForAnswer() }
                lookedAt = .now
            }
            let wasBusy = !running.isEmpty
            let hasFinished = advance(multi, &running)
            if wasBusy { idleSince = .now }
            let pause = (running.isEmpty ? idleTime : Self.lookPause) / .milliseconds(1)
            if !hasFinished { curl_multi_poll(multi, nil, 0, Int32(clamping: Int(pause.rounded(.up))), nil) }
        }
        curl_multi_cleanup(multi)
    }

    /// Returns nil if the thread ends, and takes its multi handle out of the reach of other threads.
    private func orders(_ running: Int, _ idleSince: ContinuousClock.Instant) -> Orders? {
        state.withLock { state in
            if running == 0, state.waiting.isEmpty, state.closesIdle || idleSince.duration(to: .now) >= idleTime {
                state.multi = nil
                state.cancelled = []
                return nil
            }
            let new = state.waiting.prefix(limit - running)
            state.waiting.removeFirst(new.count)
            defer { state.cancelled = [] }
            return Orders(new: new.filter { !$0.answer.isFinished }, cancelled: state.cancelled)
        }
    }

    private func begin(
        _ job: TransferJob,
        _ multi: UnsafeMutableRawPointer,
        _ running: inout [UnsafeMutableRawPointer: TransferJob]
    ) {
        if curl_multi_add_handle(multi, job.transfer.handle) == CURLM_OK {
            running[job.transfer.handle] = job
        } else {
            job.answer.finish(.failure(TransferFailure(code: CURLE_FAILED_INIT, reply: 0)))
        }
    }

    /// Returns whether transfers have ended, so that others may begin.
    private func advance(
        _ multi: UnsafeMutableRawPointer,
        _ running: inout [UnsafeMutableRawPointer: TransferJob]
    ) -> Bool {
        var count: Int32 = 0
        var hasFinished = false
        curl_multi_perform(multi, &count)
        while let message = curl_multi_info_read(multi, &count)?.pointee {
            guard message.msg == CURLMSG_DONE, let handle = message.easy_handle,
                let job = running.removeValue(forKey: handle)
            else { continue }
            hasFinished = true
            curl_multi_remove_handle(multi, handle)
            let code = message.data.result
            if job.transfer.canRepeat(code) {
                begin(job, multi, &running)
            } else {
                job.answer.finish(Result { try job.transfer.reply(code) })
            }
        }
        return hasFinished
    }
}

/// Counts the transfers by each connection of a loop.
final class ConnectionUses {
    private let limit: Int
    /// By the port at this end.
    private var counts: [Int32: Int] = [:]

    init(limit: Int) { self.limit = limit }

    /// Returns whether the connection is to be closed after the transfer that begins.
    func isLast(at port: Int32) -> Bool {
        counts[port, default: 0] += 1
        guard counts[port, default: 0] >= limit else { return false }
        counts[port] = nil
        return true
    }
}
