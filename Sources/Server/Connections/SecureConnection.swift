import HTTP
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOTLS
import TLS

/// A TLS connection over which the client speaks HTTP/2 or HTTP/1.1, as it negotiates by ALPN.
struct SecureConnection: ServerChildChannel {
    typealias Negotiated = NIONegotiatedHTTPVersion<HTTP1Connection.Value, HTTP2Connection.Value>

    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    let certificate: TLSCertificate
    let limiter: ConnectionLimiter
    let limits: ConnectionLimits
    let http1: HTTP1Connection
    let http2: HTTP2Connection

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Negotiated> { result, channel in
                switch result {
                case .negotiated("h2"): http2.setup(channel: channel, logger: logger).map { .http2($0) }
                case .negotiated, .fallback: http1.setup(channel: channel, logger: logger).map { .http1_1($0) }
                }
            }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(SecureConnectionLimitHandler(limiter))
            try pipeline.addHandler(TLSServerHandler(certificate.context))
            try pipeline.addHandler(HandshakeTimeoutHandler(limits.head))
            try pipeline.addHandler(negotiation)
            return Value(negotiated: negotiation.protocolNegotiationResult, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let value): await http1.handle(value: value, logger: logger)
            case .http2(let value): await http2.handle(value: value, logger: logger)
            }
        } catch {
            value.channel.close(promise: nil)
        }
    }
}

/// Takes a permit for each new connection. Without one, it closes the connection before the handshake, which would take
/// more time than any request.
private final class SecureConnectionLimitHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let limiter: ConnectionLimiter
    private var permit: PerAddressLimit.Permit?

    init(_ limiter: ConnectionLimiter) {
        self.limiter = limiter
    }

    func channelActive(context: ChannelHandlerContext) {
        permit = try? limiter.enter(NetworkAddress(context.remoteAddress))
        guard permit != nil else { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        permit = nil
        context.fireChannelInactive()
        limiter.trimMemory()
    }
}

/// Closes connections whose handshake takes too long, and those whose handshake is not complete when the service stops.
private final class HandshakeTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let timeout: TimeAmount
    private let timer = DeadlineTimer()

    init(_ timeout: TimeAmount) {
        self.timeout = timeout
    }

    func channelActive(context: ChannelHandlerContext) {
        timer.schedule(.now() + timeout, on: context.eventLoop) { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        if case .handshakeCompleted? = event as? TLSUserEvent {
            context.fireUserInboundEventTriggered(event)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer.cancel() }
}
