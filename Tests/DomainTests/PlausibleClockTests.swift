import Domain
import Synchronization
import Testing

@Suite("Plausible clock")
struct PlausibleClockTests {
    private static let day = 86_400.0
    private static let known = Timestamp(stored: "2026-05-01T10:00:00.000Z")
    private static let start = Double(known.milliseconds) / 1000

    /// The wall clock and the uptime of a machine.
    private final class Machine: Sendable {
        let wall = Mutex(PlausibleClockTests.start)
        let up = Mutex(1000.0)

        func pass(_ seconds: Double) {
            wall.withLock { $0 += seconds }
            up.withLock { $0 += seconds }
        }

        func set(_ time: Double) { wall.withLock { $0 = time } }

        var clock: PlausibleClock {
            PlausibleClock(wallClock: { self.wall.withLock(\.self) }, uptime: { self.up.withLock(\.self) })
        }
    }

    @Test("Without a known time, every time is plausible")
    func unknown() {
        let machine = Machine()
        machine.set(Self.start + 400 * Self.day)
        #expect(machine.clock.now == Self.start + 400 * Self.day && machine.clock.daysAhead == nil)
    }

    @Test("A clock that is 400 days ahead continues from the last known time, until it is right or accepted")
    func ahead() {
        let machine = Machine()
        let clock = machine.clock
        machine.set(Self.start + 400 * Self.day)
        clock.begin(at: Self.known)
        machine.pass(60)
        #expect(clock.now == Self.start + 60 && clock.daysAhead == 400)
        machine.set(Self.start + 90)
        #expect(clock.now == Self.start + 90 && clock.daysAhead == nil)
        machine.set(Self.start + 400 * Self.day)
        clock.accept()
        machine.pass(60)
        #expect(clock.now == Self.start + 400 * Self.day + 60 && clock.daysAhead == nil)
    }

    @Test("A long run, a day without the server, and a clock behind the known time are plausible")
    func plausible() {
        let machine = Machine()
        let clock = machine.clock
        machine.set(Self.start + Self.day)
        clock.begin(at: Self.known)
        machine.pass(400 * Self.day)
        #expect(clock.now == Self.start + 401 * Self.day && clock.daysAhead == nil)
        machine.set(Self.start - 400 * Self.day)
        #expect(clock.now == Self.start - 400 * Self.day && clock.daysAhead == nil)
    }
}
