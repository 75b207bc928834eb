import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import ServerSupport
import TestSupport
import Testing

@testable import Server

/// NIO ends the process if the writer of a connected channel is not finished.
@Suite("Accepted channels")
struct AcceptedChannelTests {
    private static func connected() async throws -> (NIOAsyncTestingChannel, NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
        let channel = NIOAsyncTestingChannel()
        let wrapped = try await channel.testingEventLoop.submit {
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        return (channel, wrapped)
    }

    @Test("A channel that nobody handles is closed, and its writer is finished", .timeLimit(.minutes(10)))
    func dropped() async throws {
        let (channel, wrapped) = try await Self.connected()
        _ = AcceptedChannel(channel) { try? await wrapped.executeThenClose { _, _ in } }
        try await channel.closeFuture.get()
    }

    @Test("A channel that is handled is closed only by its handler")
    func handled() async throws {
        let (channel, wrapped) = try await Self.connected()
        await AcceptedChannel(channel) { #expect(channel.isActive) }.handle()
        #expect(channel.isActive)
        try await wrapped.executeThenClose { _, _ in }
    }

    @Test("A server that is cancelled while clients connect ends without a crash")
    func cancellation() async throws {
        let board = try await TestDatabase()
        defer { withExtendedLifetime(board) {} }
        let service = try await WebService(over: board, model: nil)
        for _ in 0..<20 {
            let (ports, ready) = AsyncStream.makeStream(of: Int.self)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let server = service.serviceGroup(host: "127.0.0.1", port: 0, logger: logger) { ready.yield($0) }
            let run = Task { try await server.run() }
            let port = try #require(await ports.first { _ in true })
            await withTaskGroup { clients in
                for _ in 0..<4 {
                    clients.addTask { while !Task.isCancelled { await Self.connect(to: port) } }
                }
                try? await Task.sleep(for: .milliseconds(20))
                run.cancel()
                _ = await run.result
                clients.cancelAll()
            }
        }
    }

    private static func connect(to port: Int) async {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        try? await bootstrap.connect(host: "127.0.0.1", port: port).get().close()
    }
}
