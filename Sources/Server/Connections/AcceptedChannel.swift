import HummingbirdCore
import NIOCore
import Synchronization

/// A connection, or a stream of one, that the server has accepted and not yet handled.
///
/// NIO ends the process if an asynchronous channel is dropped before its writer is finished (apple/swift-nio#2637). A
/// server drops the channels that wait for it when its task is cancelled, and those whose set-up ends after its socket
/// was closed. These are closed and handled here, which finishes their writers.
final class AcceptedChannel: ServerChildChannelValue {
    let channel: any Channel
    private let handler: @Sendable () async -> Void
    private let isHandled = Atomic(false)

    /// - Parameter handler: handles the channel, and finishes its writer even if the channel is closed.
    init(_ channel: any Channel, handler: @escaping @Sendable () async -> Void) {
        self.channel = channel
        self.handler = handler
    }

    deinit {
        guard !isHandled.load(ordering: .relaxed) else { return }
        Task { [channel, handler] in
            channel.close(promise: nil)
            await handler()
        }
    }

    func handle() async {
        isHandled.store(true, ordering: .relaxed)
        await handler()
    }
}
