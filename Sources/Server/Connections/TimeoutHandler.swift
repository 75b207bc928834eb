import Domain
import Glibc
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections whose client takes too long to send a request, to receive a response, or to close its side. Time
/// counts only while the server waits for the client. Other limits bound the time that the server itself takes.
final class TimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart

    private enum Phase {
        /// The connection is idle between two requests.
        case quiet(since: NIODeadline)
        /// A part of a request head has arrived.
        case head(since: NIODeadline)
        case body
        /// The server no longer waits for the rest of the body.
        case abandoned
    }

    private let limits: ConnectionLimits
    private var phase = Phase.quiet(since: .now())
    private var hadRequest = false
    /// The number of requests without a complete response.
    private var open = 0
    private var arrival: ThroughputMeter
    private var departure: ThroughputMeter
    /// The time since which the server has been ready to read; nil while it is not.
    private var listensSince: NIODeadline?
    /// The time since which the client could have received data, and the number of bytes that waited at that time.
    private var sends: (since: NIODeadline, left: Int)?
    /// The time at which the connection is closed.
    private var end: NIODeadline?
    private var isPartRead = false
    private var alarm: (time: NIODeadline, task: Scheduled<Void>)?

    init(_ limits: ConnectionLimits) {
        self.limits = limits
        arrival = ThroughputMeter(limits.arrival)
        departure = ThroughputMeter(limits.departure)
    }

    // MARK: - Reading

    func channelActive(context: ChannelHandlerContext) {
        phase = .quiet(since: .now())
        setAlarm(context)
        context.fireChannelActive()
    }

    func read(context: ChannelHandlerContext) {
        if listensSince == nil { listensSince = .now() }
        setAlarm(context)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        settle(.now())
        isPartRead = true
        switch unwrapInboundIn(data) {
        case .head:
            phase = .body
            hadRequest = true
            open += 1
            arrival = ThroughputMeter(limits.arrival)
        case .body(let piece): arrival.move(piece.readableBytes)
        case .end:
            phase = .quiet(since: .now())
            // The rest of an unread body has arrived, so the connection can be used again.
            if open == 0 { end = nil }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        listensSince = nil
        if !isPartRead, case .quiet = phase { phase = .head(since: .now()) }
        isPartRead = false
        setAlarm(context)
        context.fireChannelReadComplete()
    }

    // MARK: - Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .body(let piece) = unwrapOutboundIn(data) { sends?.left += piece.readableBytes }
        if case .end = unwrapOutboundIn(data), open > 0 {
            open -= 1
            if open == 0 {
                switch phase {
                case .body, .abandoned: end = .now() + limits.lingerTimeout
                case .quiet, .head: phase = .quiet(since: .now())
                }
            }
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if sends == nil {
            let left = waiting(context)
            if left > 0 {
                departure = ThroughputMeter(limits.departure)
                sends = (.now(), left)
            }
        }
        setAlarm(context)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            end = .now() + limits.lingerTimeout
            setAlarm(context)
        }
        context.close(mode: mode, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelAlarm()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelAlarm() }

    // MARK: - Timer

    private var due: NIODeadline? {
        let taken = sends.map { $0.since + departure.left }
        if let end { return taken ?? end }
        let come: NIODeadline? =
            switch phase {
            case .quiet(let since): open == 0 ? since + (hadRequest ? limits.idle : limits.head) : nil
            case .head(let since): since + limits.head
            case .body: listensSince.map { $0 + arrival.left }
            case .abandoned: nil
            }
        return [taken, come].compactMap(\.self).min()
    }

    /// Schedules the timer for the next deadline. A timer that fires too early is cheaper than one that is rescheduled
    /// for each request.
    private func setAlarm(_ context: ChannelHandlerContext) {
        guard let due else { return }
        if let alarm {
            guard due < alarm.time else { return }
            alarm.task.cancel()
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: due) {
            let (handler, context) = bound.value
            handler.ring(context)
        }
        alarm = (due, task)
    }

    private func cancelAlarm() {
        alarm?.task.cancel()
        alarm = nil
    }

    private func ring(_ context: ChannelHandlerContext) {
        alarm = nil
        let now = NIODeadline.now()
        settle(now)
        measure(now, context)
        if let due, due <= now { cut(context, now) } else { setAlarm(context) }
    }

    private func settle(_ now: NIODeadline) {
        guard let since = listensSince else { return }
        if case .body = phase { arrival.wait(now - since) }
        listensSince = now
    }

    private func measure(_ now: NIODeadline, _ context: ChannelHandlerContext) {
        guard let (since, before) = sends else { return }
        let left = waiting(context)
        departure.wait(now - since)
        departure.move(before - left)
        sends = left > 0 ? (now, left) : nil
    }

    /// Returns the number of bytes that the kernel has not accepted yet.
    private func waiting(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Closes the connection with a reset. After a normal close, the kernel would continue to send the remaining data.
    private func reset(_ context: ChannelHandlerContext) {
        (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in
        }
        context.close(promise: nil)
    }

    private func cut(_ context: ChannelHandlerContext, _ now: NIODeadline) {
        guard sends == nil else { return reset(context) }
        guard end == nil else { return context.close(promise: nil) }
        switch phase {
        case .quiet, .abandoned: context.close(promise: nil)
        case .head:
            guard open == 0 else { return context.close(promise: nil) }
            end = now + limits.lingerTimeout
            context.answerAndClose(.requestTimeout, "request: expected its head within \(limits.head.seconds) s")
        case .body:
            // The code that reads the body receives this error and answers the request with it.
            phase = .abandoned
            context.fireErrorCaught(ServiceError.slowBody)
        }
    }
}

extension ServiceError {
    static let slowBody = ServiceError(.tooSlow, "body: expected to arrive faster")
}

extension TimeAmount {
    fileprivate var seconds: Int64 { nanoseconds / 1_000_000_000 }
}
