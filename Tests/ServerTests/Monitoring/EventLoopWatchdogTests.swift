import Dispatch
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Server

@Suite("Watchdog of the event loops")
struct EventLoopWatchdogTests {
    @Test("While one of several event loops is blocked, the manager is not told that the service lives")
    func blockedLoop() async throws {
        let folder = try TemporaryFolder()
        let socket = try DatagramSocket(name: folder.url.path + "/notify")
        let manager = try #require(
            try ServiceManager(
                environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "100000"],
                logger: Logger(label: "test")
            )
        )
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 3)
        let watchdog = Task { try await EventLoopWatchdog(manager: manager, eventLoops: loops).run() }
        for _ in 0..<3 { #expect(socket.receive(withinSeconds: 60) == "WATCHDOG=1") }
        for loop in loops.makeIterator() {
            let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            loop.execute {
                isBlocked.signal()
                mayGoOn.wait()
            }
            Self.wait(isBlocked)
            // What was sent before.
            while socket.receive(withinSeconds: 0) != nil {}
            #expect(socket.receive(withinSeconds: 0.5) == nil)
            mayGoOn.signal()
            #expect(socket.receive(withinSeconds: 60) == "WATCHDOG=1")
        }
        watchdog.cancel()
        try await watchdog.value
        try await loops.shutdownGracefully()
    }

    private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
}
