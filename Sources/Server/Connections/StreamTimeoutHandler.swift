import Domain
import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// Ends HTTP/2 streams whose client sends the body of a request or takes a response too slowly, and those whose body is
/// not complete when they are answered. Time counts only while the server waits for the client.
final class StreamTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A body is written in pieces of at most so many bytes, because only the end of a write shows that the client has
    /// taken data. At the minimum throughput, a piece takes less than the maximum time without progress.
    private static let maxPiece = 16 << 10

    private var isBodyExpected = false
    /// Whether the body arrived too slowly. The server no longer waits for it then.
    private var isBodyLate = false
    private var arrival: ThroughputMeter
    private var sending: SendMeter
    /// The number of bytes that wait for the client to extend its window, or for the connection.
    private var unsent = 0
    /// The time since which the server has been ready to read; nil while it is not.
    private var readingSince: NIODeadline?
    private let timer = DeadlineTimer()

    init(_ limits: ConnectionLimits) {
        arrival = ThroughputMeter(limits.arrival)
        sending = SendMeter(limits.departure)
    }

    // MARK: - Reading

    func read(context: ChannelHandlerContext) {
        if readingSince == nil { readingSince = .now() }
        scheduleTimer(context)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        addReadingTime(.now())
        switch unwrapInboundIn(data) {
        case .head: isBodyExpected = true
        case .body(let piece): arrival.move(piece.readableBytes)
        case .end: isBodyExpected = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        readingSince = nil
        scheduleTimer(context)
        context.fireChannelReadComplete()
    }

    // MARK: - Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: context.write(data, promise: promise)
        case .body(var body):
            while body.readableBytes > Self.maxPiece, let piece = body.readSlice(length: Self.maxPiece) {
                writePiece(context, piece, context.eventLoop.makePromise())
            }
            writePiece(context, body, promise ?? context.eventLoop.makePromise())
        case .end:
            context.write(data, promise: promise)
            if isBodyExpected { refuseBody(context) }
        }
    }

    private func writePiece(_ context: ChannelHandlerContext, _ piece: ByteBuffer, _ promise: EventLoopPromise<Void>) {
        let count = piece.readableBytes
        unsent += count
        sending.add(count)
        promise.futureResult.assumeIsolated().whenComplete { _ in self.unsent -= count }
        context.write(wrapOutboundOut(.body(piece)), promise: promise)
    }

    /// Tells the client not to send the rest of the body (RFC 9113, 8.1).
    private func refuseBody(_ context: ChannelHandlerContext) {
        isBodyExpected = false
        context.flush()
        context.triggerUserOutboundEvent(NIOHTTP2FramePayloadToHTTPEvent.reset(code: .noError), promise: nil)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        sending.begin(left: unsent)
        scheduleTimer(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer.cancel() }

    // MARK: - Timer

    private var arrivalDeadline: NIODeadline? {
        isBodyExpected && !isBodyLate ? readingSince.map { $0 + arrival.left } : nil
    }

    private func scheduleTimer(_ context: ChannelHandlerContext) {
        let deadline = [sending.deadline, arrivalDeadline].compactMap(\.self).min()
        timer.schedule(deadline, on: context.eventLoop) { self.timerFired(context) }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        addReadingTime(now)
        sending.update(left: unsent, at: now)
        if let deadline = sending.deadline, deadline <= now { return context.close(promise: nil) }
        if let deadline = arrivalDeadline, deadline <= now {
            // The code that reads the body receives this error and answers the request with it.
            isBodyLate = true
            context.fireErrorCaught(ServiceError.slowBody)
        }
        scheduleTimer(context)
    }

    private func addReadingTime(_ now: NIODeadline) {
        guard let since = readingSince else { return }
        if isBodyExpected { arrival.wait(now - since) }
        readingSince = now
    }
}
