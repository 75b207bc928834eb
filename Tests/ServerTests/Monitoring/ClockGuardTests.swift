import Domain
import Foundation
import Logging
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Clock guard")
struct ClockGuardTests {
    private static let known = Timestamp(stored: "2026-05-01T10:00:00.000Z")
    private static let ahead = Double(known.milliseconds) / 1000 + 400 * 86_400

    private static func clockGuard(_ folder: URL, isSynchronized: Bool = false) -> ClockGuard {
        ClockGuard(
            folder: folder,
            clock: PlausibleClock(wallClock: { ahead }, uptime: { 0 }),
            isSynchronized: { isSynchronized },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    private static func recorded(_ folder: URL) throws -> Timestamp? {
        Timestamp(parsing: try String(contentsOf: folder.appending(path: "last-time"), encoding: .utf8))
    }

    @Test("The first start takes the clock's time, and the next one compares")
    func firstStart() throws {
        let folder = try TemporaryFolder()
        let first = Self.clockGuard(folder.url)
        first.begin(isAccepted: false)
        let time = Timestamp(Date(timeIntervalSince1970: Self.ahead))
        #expect(first.clock.daysAhead == nil)
        #expect(try Self.recorded(folder.url) == time)
    }

    @Test("A clock far ahead is held back until the operator or the kernel confirms it")
    func ahead() throws {
        for (isAccepted, isSynchronized) in [(false, false), (true, false), (false, true)] {
            let folder = try TemporaryFolder()
            try Data(Self.known.text.utf8).write(to: folder.url.appending(path: "last-time"))
            let clockGuard = Self.clockGuard(folder.url, isSynchronized: isSynchronized)
            clockGuard.begin(isAccepted: isAccepted)
            let isHeldBack = !isAccepted && !isSynchronized
            #expect(clockGuard.clock.daysAhead == (isHeldBack ? 400 : nil))
            let time = isHeldBack ? Self.known : Timestamp(Date(timeIntervalSince1970: Self.ahead))
            #expect(try Self.recorded(folder.url) == time)
        }
    }

    @Test("/readyz reports a clock that is held back")
    func readiness() async throws {
        let board = try await TestDatabase()
        try Data(Self.known.text.utf8).write(to: board.folder.url.appending(path: "last-time"))
        let clockGuard = Self.clockGuard(board.folder.url)
        clockGuard.begin(isAccepted: false)
        try await RunningService.with(board: board, hasModel: false, clockGuard: clockGuard) { service in
            let answer = try await service.send("GET", "/readyz")
            #expect(answer.status == 200 && answer["clock_days_ahead"] == .number(400))
        }
    }
}
