import NIOCore

/// Closes HTTP/2 connections without streams, and those whose client does not take what is sent. It stands between TLS
/// and HTTP/2. `StreamTimeoutHandler` bounds the time of each stream.
final class HTTP2TimeoutHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private let limits: ConnectionLimits
    private var idleSince = NIODeadline.now()
    private var openStreams = 0
    private var hadStream = false
    private var sending: SendMeter
    private let timer = DeadlineTimer()
    private var context: ChannelHandlerContext?

    init(_ limits: ConnectionLimits) {
        self.limits = limits
        sending = SendMeter(limits.departure)
    }

    func streamOpened(_ stream: any Channel) {
        openStreams += 1
        hadStream = true
        stream.closeFuture.assumeIsolated().whenComplete { _ in
            self.openStreams -= 1
            self.idleSince = .now()
            if let context = self.context { self.scheduleTimer(context) }
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        scheduleTimer(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        timer.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        timer.cancel()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        sending.add(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        sending.begin(left: context.bufferedBytes)
        scheduleTimer(context)
    }

    private var deadline: NIODeadline? {
        let idle = openStreams == 0 ? idleSince + (hadStream ? limits.idle : limits.head) : nil
        return [sending.deadline, idle].compactMap(\.self).min()
    }

    private func scheduleTimer(_ context: ChannelHandlerContext) {
        timer.schedule(deadline, on: context.eventLoop) { self.timerFired(context) }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        sending.update(left: context.bufferedBytes, at: now)
        guard let deadline, deadline <= now else { return scheduleTimer(context) }
        if sending.isSending { context.reset() } else { context.close(promise: nil) }
    }
}
