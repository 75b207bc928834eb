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
        case idle(since: NIODeadline)
        /// A part of a request head has arrived.
        case head(since: NIODeadline)
        case body
        /// The server no longer waits for the rest of the body.
        case abandoned
    }

    private let limits: ConnectionLimits
    private var phase = Phase.idle(since: .now())
    private var hadRequest = false
    /// The number of requests without a complete response.
    private var open = 0
    private var arrival: ThroughputMeter
    private var departure: ThroughputMeter
    /// The time since which the server has been ready to read; nil while it is not.
    private var readingSince: NIODeadline?
    /// The time since which the client could have received data, and the number of bytes that waited at that time.
    private var sending: (since: NIODeadline, left: Int)?
    /// The time at which the connection is closed.
    private var end: NIODeadline?
    private var isPartRead = false
    private var timer: (time: NIODeadline, task: Scheduled<Void>)?

    init(_ limits: ConnectionLimits) {
        self.limits = limits
        arrival = ThroughputMeter(limits.arrival)
        departure = ThroughputMeter(limits.departure)
    }

    // MARK: - Reading

    func channelActive(context: ChannelHandlerContext) {
        phase = .idle(since: .now())
        scheduleTimer(context)
        context.fireChannelActive()
    }

    func read(context: ChannelHandlerContext) {
        if readingSince == nil { readingSince = .now() }
        scheduleTimer(context)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        addReadingTime(.now())
        isPartRead = true
        switch unwrapInboundIn(data) {
        case .head:
            phase = .body
            hadRequest = true
            open += 1
            arrival = ThroughputMeter(limits.arrival)
        case .body(let piece): arrival.move(piece.readableBytes)
        case .end:
            phase = .idle(since: .now())
            // The rest of an unread body has arrived, so the connection can be used again.
            if open == 0 { end = nil }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        readingSince = nil
        if !isPartRead, case .idle = phase { phase = .head(since: .now()) }
        isPartRead = false
        scheduleTimer(context)
        context.fireChannelReadComplete()
    }

    // MARK: - Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .body(let piece) = unwrapOutboundIn(data) { sending?.left += piece.readableBytes }
        if case .end = unwrapOutboundIn(data), open > 0 {
            open -= 1
            if open == 0 {
                switch phase {
                case .body, .abandoned: end = .now() + limits.lingerTimeout
                case .idle, .head: phase = .idle(since: .now())
                }
            }
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if sending == nil {
            let left = bufferedBytes(context)
            if left > 0 {
                departure = ThroughputMeter(limits.departure)
                sending = (.now(), left)
            }
        }
        scheduleTimer(context)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            end = .now() + limits.lingerTimeout
            scheduleTimer(context)
        }
        context.close(mode: mode, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimer()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelTimer() }

    // MARK: - Timer

    private var deadline: NIODeadline? {
        let sendDeadline = sending.map { $0.since + departure.left }
        if let end { return sendDeadline ?? end }
        let readDeadline: NIODeadline? =
            switch phase {
            case .idle(let since): open == 0 ? since + (hadRequest ? limits.idle : limits.head) : nil
            case .head(let since): since + limits.head
            case .body: readingSince.map { $0 + arrival.left }
            case .abandoned: nil
            }
        return [sendDeadline, readDeadline].compactMap(\.self).min()
    }

    /// Schedules the timer for the next deadline. A timer that fires too early is cheaper than one that is rescheduled
    /// for each request.
    private func scheduleTimer(_ context: ChannelHandlerContext) {
        guard let deadline else { return }
        if let timer {
            guard deadline < timer.time else { return }
            timer.task.cancel()
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(deadline: deadline) {
            let (handler, context) = bound.value
            handler.timerFired(context)
        }
        timer = (deadline, task)
    }

    private func cancelTimer() {
        timer?.task.cancel()
        timer = nil
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        let now = NIODeadline.now()
        addReadingTime(now)
        addSendingTime(now, context)
        if let deadline, deadline <= now { closeLateConnection(context, now) } else { scheduleTimer(context) }
    }

    private func addReadingTime(_ now: NIODeadline) {
        guard let since = readingSince else { return }
        if case .body = phase { arrival.wait(now - since) }
        readingSince = now
    }

    private func addSendingTime(_ now: NIODeadline, _ context: ChannelHandlerContext) {
        guard let (since, before) = sending else { return }
        let left = bufferedBytes(context)
        departure.wait(now - since)
        departure.move(before - left)
        sending = left > 0 ? (now, left) : nil
    }

    /// Returns the number of bytes that the kernel has not accepted yet.
    private func bufferedBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Closes the connection with a reset. After a normal close, the kernel would continue to send the remaining data.
    private func reset(_ context: ChannelHandlerContext) {
        (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in
        }
        context.close(promise: nil)
    }

    private func closeLateConnection(_ context: ChannelHandlerContext, _ now: NIODeadline) {
        guard sending == nil else { return reset(context) }
        guard end == nil else { return context.close(promise: nil) }
        switch phase {
        case .idle, .abandoned: context.close(promise: nil)
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
