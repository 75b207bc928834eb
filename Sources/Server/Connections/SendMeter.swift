import Glibc
import NIOCore

/// Decides whether the client takes the data that is sent to it fast enough. Time counts only while data waits.
struct SendMeter {
    private let limit: ThroughputMeter.Limit
    private var meter: ThroughputMeter
    /// The time since which the client could have received data, and the number of bytes that waited at that time.
    private var sending: (since: NIODeadline, left: Int)?

    init(_ limit: ThroughputMeter.Limit) {
        self.limit = limit
        meter = ThroughputMeter(limit)
    }

    var isSending: Bool { sending != nil }

    /// The time at which the client has been too slow.
    var deadline: NIODeadline? { sending.map { $0.since + meter.left } }

    /// Bytes were added to those that wait.
    mutating func add(_ bytes: Int) { sending?.left += bytes }

    /// Data was flushed.
    ///
    /// - Parameter left: the number of bytes that wait.
    mutating func begin(left: @autoclosure () -> Int) {
        guard sending == nil else { return }
        let left = left()
        guard left > 0 else { return }
        meter = ThroughputMeter(limit)
        sending = (.now(), left)
    }

    mutating func update(left: @autoclosure () -> Int, at now: NIODeadline) {
        guard let (since, before) = sending else { return }
        let left = left()
        meter.wait(now - since)
        meter.move(before - left)
        sending = left > 0 ? (now, left) : nil
    }
}

extension ChannelHandlerContext {
    /// The number of bytes that the kernel has not accepted yet.
    var bufferedBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Closes the connection with a reset. After a normal close, the kernel would continue to send the remaining data.
    func reset() {
        (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        close(promise: nil)
    }
}
