import Glibc
import HTTP
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

extension HTTPServerBuilder {
    /// Returns an HTTP/1.1 server that handles each request on the event loop of its connection. Switching to another
    /// thread and back would cost about a tenth of the time of a request.
    static func onConnectionLoop(_ limiter: ConnectionLimiter, _ limits: ConnectionLimits) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            ConnectionLoop(
                base: HTTP1Channel(
                    responder: responder,
                    configuration: .init(
                        additionalChannelHandlers: [
                            ConnectionLimitHandler(limiter), TimeoutHandler(limits), ExpectContinue(),
                            ParserErrorHandler(),
                            UnknownLengthHead.Handler(),
                        ],
                        httpDecoderConfiguration: .init(maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10)
                    )
                )
            )
        }
    }
}

/// A channel whose tasks prefer to run on the event loop of the channel.
private struct ConnectionLoop<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ProtocolVersion(), position: .after(decoder))
            // Detects peers that disappeared without closing the connection.
            try? channel.syncOptions?.setOption(.userTimeout, value: Self.silence)
            return value
        }
    }

    /// The maximum time in milliseconds without an acknowledgement of sent data.
    private static var silence: Int { 60_000 }

    func handle(value: Base.Value, logger: Logger) async {
        let channel = value.channel
        await withTaskCancellationHandler {
            await withTaskExecutorPreference(EventLoopExecutor(channel.eventLoop)) {
                await base.handle(value: value, logger: logger)
            }
        } onCancel: {
            // Hummingbird closes only the input, and the request would wait for its body until its time limit.
            channel.close(promise: nil)
        }
    }
}

private final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        eventLoop.execute { job.runSynchronously(on: executor) }
    }
}

extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// The socket option `TCP_USER_TIMEOUT`: the maximum time in milliseconds that sent data may stay unacknowledged.
    fileprivate static var userTimeout: Self { .init(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT)) }
}
