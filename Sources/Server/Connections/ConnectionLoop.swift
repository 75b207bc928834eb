import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

extension HTTPServerBuilder {
    /// Returns a server that handles each request on the event loop of its connection. Switching to another thread and
    /// back would cost about a tenth of the time of a request.
    ///
    /// - Parameter certificate: for TLS; without it, the server speaks plain HTTP/1.1.
    static func onConnectionLoop(
        _ limiter: ConnectionLimiter,
        _ limits: ConnectionLimits,
        _ certificate: TLSCertificate?
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            guard let certificate else {
                return ConnectionLoop(base: HTTP1Connection(responder, limits, limiter))
            }
            return ConnectionLoop(
                base: SecureConnection(
                    certificate: certificate,
                    limiter: limiter,
                    limits: limits,
                    http1: HTTP1Connection(responder, limits),
                    http2: HTTP2Connection(responder: responder, limits: limits)
                )
            )
        }
    }
}

/// A channel whose tasks prefer to run on the event loop of the channel.
private struct ConnectionLoop<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedChannel> {
        base.setup(channel: channel, logger: logger).map { value in
            AcceptedChannel(channel) { await base.handle(value: value, logger: logger) }
        }
    }

    func handle(value: AcceptedChannel, logger: Logger) async {
        let channel = value.channel
        await withTaskCancellationHandler {
            await withTaskExecutorPreference(EventLoopExecutor(channel.eventLoop)) { await value.handle() }
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

extension Channel {
    /// Detects peers that disappeared without closing the connection.
    func detectLostPeers() {
        // The maximum time in milliseconds without an acknowledgement of sent data.
        try? syncOptions?.setOption(.userTimeout, value: 60_000)
    }
}

extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// The socket option `TCP_USER_TIMEOUT`: the maximum time in milliseconds that sent data may stay unacknowledged.
    fileprivate static var userTimeout: Self { .init(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT)) }
}
