import Domain
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
    private var sending: SendMeter
    /// The time since which the server has been ready to read; nil while it is not.
    private var readingSince: NIODeadline?
    /// The time at which the connection is closed.
    private var end: NIODeadline?
    private var isPartRead = false
    private let timer = DeadlineTimer()

    init(_ limits: ConnectionLimits) {
        self.limits = limits
        arrival = ThroughputMeter(limits.arrival)
        sending = SendMeter(limits.departure)
    }

    // MARK: - Reading

    func handlerAdded(context: ChannelHandlerContext) {
        // After a TLS handshake, the channel is active already.
        if context.channel.isActive { scheduleTimer(context) }
    }

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
        if case .body(let piece) = unwrapOutboundIn(data) { sending.add(piece.readableBytes) }
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
        sending.begin(left: context.bufferedBytes)
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
        timer.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer.cancel() }

    // MARK: - Timer

    private var deadline: NIODeadline? {
        if let end { return sending.deadline ?? end }
        let readDeadline: NIODeadline? =
            switch phase {
            case .idle(let since): open == 0 ? since + (hadRequest ? limits.idle : limits.head) : nil
            case .head(let since): since + limits.head
            case .body: readingSince.map { $0 + arrival.left }
            case .abandoned: nil
            }
        return [sending.deadline, readDeadline].compactMap(\.self).min()
    }

    private func scheduleTimer(_ context: ChannelHandlerContext) {
        timer.schedule(deadline, on: context.eventLoop) { self.timerFired(context) }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        addReadingTime(now)
        sending.update(left: context.bufferedBytes, at: now)
        if let deadline, deadline <= now { closeLateConnection(context, now) } else { scheduleTimer(context) }
    }

    private func addReadingTime(_ now: NIODeadline) {
        guard let since = readingSince else { return }
        if case .body = phase { arrival.wait(now - since) }
        readingSince = now
    }

    private func closeLateConnection(_ context: ChannelHandlerContext, _ now: NIODeadline) {
        guard !sending.isSending else { return context.reset() }
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
