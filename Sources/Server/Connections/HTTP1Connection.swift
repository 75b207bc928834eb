import HTTP
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A connection by HTTP/1.1 or HTTP/1.0.
struct HTTP1Connection: ServerChildChannel {
    private let base: HTTP1Channel

    /// - Parameter limiter: takes a permit for the connection; nil if it has one already.
    init(
        _ responder: @escaping HTTPChannelHandler.Responder,
        _ limits: ConnectionLimits,
        _ limiter: ConnectionLimiter? = nil
    ) {
        base = HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: (limiter.map { [ConnectionLimitHandler($0)] } ?? [])
                    + [
                        TimeoutHandler(limits), ExpectContinue(), ParserErrorHandler(),
                        UnknownLengthHead.Handler(endsConnection: true),
                    ],
                httpDecoderConfiguration: .init(maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10)
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ProtocolVersion(), position: .after(decoder))
            channel.detectLostPeers()
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
