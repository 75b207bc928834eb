import Concurrency
import Domain
import Foundation
import HTTP
import Synchronization

/// Slows down the guessing of passwords and of codes of second factors. Failed sign-ins are counted by account or, if
/// there is none with the address typed, by this address. After three failures each further attempt has to wait twice
/// as long as the one before, at most 15 minutes. One failure is forgiven every 15 minutes, so a persistent attacker
/// has about a hundred guesses per day.
///
/// An attacker cannot lock out the owner: if the owner has signed in from a network before, failures from other
/// networks do not count there. They do not count for a signed-in session either.
final class LoginThrottle: Sendable {
    /// The key that failures are counted by.
    enum Target: Hashable {
        /// The name that somebody signs in with, lowercased: the id of an account or, without one, the address typed.
        case name(String)
        /// The same, for attempts from a network from which the owner has signed in before.
        case known(String, network: NetworkAddress?)
        /// Passwords within a signed-in session, by the digest of its token.
        case session(Data)
        /// Codes of the second factor within a session. The right password forgives none of these failures.
        case codes(session: Data)
    }

    /// The number of cells in each of the two rows: large enough that two busy keys rarely share both cells (see
    /// `RateLimiter`).
    private static let cells = 1 << 16
    private static let free = 3.0
    /// The maximum delay in seconds.
    private static let maxDelay = 900.0
    /// The time in seconds for which a network is remembered.
    private static let memory = 90 * 86_400.0

    private struct Cell {
        /// The number of failures not yet forgiven, at the time of the last one.
        var failures: Float = 0
        /// The time of the last failure in seconds.
        var last = 0.0
    }

    private struct State {
        var failures = Array(repeating: Cell(), count: 2 * LoginThrottle.cells)
        /// The times in seconds of the last sign-ins, by address and network.
        var successes = Array(repeating: -Double.infinity, count: 2 * LoginThrottle.cells)
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Double

    /// - Parameter clock: a monotonic clock in seconds.
    init(clock: @escaping @Sendable () -> Double = { MonotonicClock.seconds }) {
        self.clock = clock
    }

    /// Returns the key for an attempt to sign in from a network.
    ///
    /// - Parameter name: the id of the account or, without one, the address typed.
    func target(_ name: String, from network: NetworkAddress?) -> Target {
        let known = Target.known(name.lowercased(), network: network?.site)
        let (first, second) = Self.places(known)
        let time = state.withLock { min($0.successes[first], $0.successes[second]) }
        return clock() - time < Self.memory ? known : .name(name.lowercased())
    }

    /// Counts a failure in advance. `succeed`, `forgive` or `cancelAttempt` cancels it.
    ///
    /// - Throws: `tooManyRequests` while it is too early for another attempt.
    func attempt(_ target: Target) throws(ServiceError) {
        let (first, second) = Self.places(target)
        let now = clock()
        let wait = state.withLock { state in
            let wait = min(Self.wait(state.failures[first], now), Self.wait(state.failures[second], now))
            guard wait <= 0 else { return wait }
            let failures = min(Self.left(state.failures[first], now), Self.left(state.failures[second], now)) + 1
            for place in [first, second] where Self.left(state.failures[place], now) < failures {
                state.failures[place] = Cell(failures: failures, last: now)
            }
            return 0
        }
        guard wait > 0 else { return }
        let seconds = Int(wait.rounded(.up))
        throw ServiceError(
            .tooManyRequests,
            "too many wrong passwords or codes: try again in \(seconds) s",
            retryAfter: seconds
        )
    }

    /// Cancels an attempt whose password was not compared.
    func cancelAttempt(_ target: Target) {
        let (first, second) = Self.places(target)
        state.withLock { state in
            for place in [first, second] { state.failures[place].failures = max(0, state.failures[place].failures - 1) }
        }
    }

    /// Forgets the failures, and remembers the network.
    func succeed(_ name: String, _ target: Target, from network: NetworkAddress?) {
        forgive(target)
        let known = Target.known(name.lowercased(), network: network?.site)
        let (first, second) = Self.places(known)
        let now = clock()
        state.withLock { state in
            state.successes[first] = now
            state.successes[second] = now
        }
    }

    func forgive(_ target: Target) {
        let (first, second) = Self.places(target)
        state.withLock { state in
            state.failures[first] = Cell()
            state.failures[second] = Cell()
        }
    }

    private static func left(_ cell: Cell, _ now: Double) -> Float {
        max(0, cell.failures - Float((now - cell.last) / maxDelay))
    }

    private static func wait(_ cell: Cell, _ now: Double) -> Double {
        let excess = Double(cell.failures) - free
        guard excess > 0 else { return 0 }
        var delay = 1.0
        for _ in 0..<min(20, Int(excess.rounded(.up))) { delay *= 2 }
        return cell.last + min(delay / 2, maxDelay) - now
    }

    private static func places(_ target: Target) -> (Int, Int) {
        let bits = UInt(bitPattern: target.hashValue)
        return (Int(bits % UInt(cells)), cells + Int((bits >> 32) % UInt(cells)))
    }
}
