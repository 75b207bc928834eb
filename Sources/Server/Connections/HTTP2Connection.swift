import HTTP
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// A connection by HTTP/2. Each of its streams is a request.
struct HTTP2Connection: HTTPChannelHandler {
    struct Value: ServerChildChannelValue {
        let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<AcceptedChannel>
        let channel: any Channel
    }

    let responder: Responder
    let limits: ConnectionLimits

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let timeouts = HTTP2TimeoutHandler(limits)
            try pipeline.addHandler(timeouts)
            let bound = NIOLoopBound(timeouts, eventLoop: channel.eventLoop)
            let streams = try pipeline.configureAsyncHTTP2Pipeline(
                mode: .server,
                // Ends the connection when the service stops. It starts its other timers only on connections that
                // become active after it was added; `HTTP2TimeoutHandler` has them.
                connectionManagerConfiguration: .init(
                    maxIdleTime: nil,
                    maxAge: nil,
                    maxGraceTime: limits.lingerTimeout,
                    keepalive: nil
                ),
                http2HandlerConfiguration: limits.http2
            ) { stream in
                stream.eventLoop.makeCompletedFuture {
                    bound.value.streamOpened(stream)
                    return try setupStream(stream, logger)
                }
            }
            try pipeline.addHandler(CloseOnErrorHandler())
            channel.detectLostPeers()
            return Value(streams: streams, channel: channel)
        }
    }

    private func setupStream(_ stream: any Channel, _ logger: Logger) throws -> AcceptedChannel {
        try stream.pipeline.syncOperations.addHandlers([
            HTTP2FramePayloadToHTTPServerCodec(), StreamTimeoutHandler(limits), ExpectContinue(),
            UnknownLengthHead.Handler(endsConnection: false),
        ])
        let value = try HTTP1Channel.Value(wrappingChannelSynchronously: stream)
        return AcceptedChannel(stream) { await handleHTTP(asyncChannel: value, logger: logger) }
    }

    func handle(value: Value, logger: Logger) async {
        // An error ends the connection, which has happened already, and with it all streams.
        try? await withThrowingDiscardingTaskGroup { group in
            for try await stream in value.streams.inbound {
                group.addTask { await stream.handle() }
            }
        }
    }
}

extension ConnectionLimits {
    /// The limits of a client on a connection. Rates of resets, errors and control frames are swift-nio-http2's own:
    /// 200 in 30 seconds; and a window of 64 KiB bounds what arrives before it is read.
    fileprivate var http2: NIOHTTP2Handler.Configuration {
        var configuration = NIOHTTP2Handler.Configuration()
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 32 << 10),
        ]
        configuration.connection.maximumBufferedControlFrames = 1_000
        return configuration
    }
}

/// Closes a connection whose client does not keep to HTTP/2 or to a limit. The client has been told by a GOAWAY frame.
private final class CloseOnErrorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
