import Synchronization
import Testing

@testable import Concurrency

@Suite("Idle timer", .timeLimit(.minutes(5)))
struct IdleTimerTests {
    private final class Calls: Sendable {
        private let times = Mutex<[ContinuousClock.Instant]>([])
        var all: [ContinuousClock.Instant] { times.withLock { $0 } }

        func add() { times.withLock { $0.append(.now) } }

        func wait(for count: Int) async throws {
            while all.count < count { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    @Test("Calls the last function once, its time after the last use")
    func waits() async throws {
        let (early, calls) = (Calls(), Calls())
        let timer = IdleTimer(.milliseconds(200))
        let firstUse = ContinuousClock.now
        timer.restart { early.add() }
        try await Task.sleep(for: .milliseconds(80))
        let lastUse = ContinuousClock.now
        timer.restart { calls.add() }
        // On a busy machine, the sleep may be longer than the time of the timer.
        if ContinuousClock.now - firstUse < .milliseconds(200) { #expect(early.all.isEmpty) }
        try await calls.wait(for: 1)
        try #require(calls.all.count == 1)
        #expect(calls.all[0] - lastUse >= .milliseconds(200))
        try await Task.sleep(for: .milliseconds(250))
        #expect(calls.all.count == 1)
    }

    @Test("Calls again after the next use")
    func restarts() async throws {
        let calls = Calls()
        let timer = IdleTimer(.milliseconds(20))
        for count in 1...3 {
            timer.restart { calls.add() }
            try await calls.wait(for: count)
            #expect(calls.all.count == count)
        }
    }

    @Test("Calls nothing once it is deallocated")
    func ends() async throws {
        let calls = Calls()
        do {
            let timer = IdleTimer(.milliseconds(50))
            timer.restart { calls.add() }
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(calls.all.isEmpty)
    }
}
