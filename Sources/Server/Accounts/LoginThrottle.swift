import Concurrency
import Domain
import Foundation
import Synchronization

/// Slows down who guesses passwords, by the address that is typed, whether or not there is such an account: after three wrong ones each
/// further attempt waits twice as long as the one before, 15 minutes at most. One failure is forgiven every 15 minutes, so whoever goes on
/// for ever has about a hundred guesses a day.
///
/// It never keeps out who was let in before: where somebody signed in from a network, failures from elsewhere do not count there, nor
/// for who is signed in already.
final class LoginThrottle: Sendable {
    /// Whose failures are counted.
    enum Target: Hashable {
        /// Folded.
        case address(String)
        /// The same from where its owner is known.
        case known(String, network: NetworkAddress?)
        /// Somebody who is signed in, by the digest of the token.
        case session(Data)
    }

    /// As many cells in each of two rows as make it improbable that two who are busy meet in both (see `RateLimiter`).
    private static let cells = 1 << 16
    private static let free = 3.0
    /// Seconds.
    private static let maxDelay = 900.0
    /// Seconds for which a network is known.
    private static let memory = 90 * 86_400.0

    private struct Cell {
        /// Failures that are not forgiven, as of the last one.
        var failures: Float = 0
        /// Seconds.
        var last = 0.0
    }

    private struct State {
        var failures = Array(repeating: Cell(), count: 2 * LoginThrottle.cells)
        /// When somebody last signed in from a network.
        var successes = Array(repeating: -Double.infinity, count: 2 * LoginThrottle.cells)
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Double

    /// - Parameter clock: seconds; it never goes back.
    init(clock: @escaping @Sendable () -> Double = { MonotonicClock.seconds }) {
        self.clock = clock
    }

    /// Who tries to sign in with an address from a network.
    func target(_ email: String, from network: NetworkAddress?) -> Target {
        let known = Target.known(email.lowercased(), network: network?.site)
        let (first, second) = Self.places(known)
        let time = state.withLock { min($0.successes[first], $0.successes[second]) }
        return clock() - time < Self.memory ? known : .address(email.lowercased())
    }

    /// Counts a failure, until `succeed`, `forgive` or `takeBack` says that it was none.
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
            "too many wrong passwords: try again in \(seconds) s",
            retryAfter: seconds
        )
    }

    /// Where the password was not looked at after all.
    func takeBack(_ target: Target) {
        let (first, second) = Self.places(target)
        state.withLock { state in
            for place in [first, second] { state.failures[place].failures = max(0, state.failures[place].failures - 1) }
        }
    }

    /// Forgets what failed there, and remembers the network.
    func succeed(_ email: String, _ target: Target, from network: NetworkAddress?) {
        forgive(target)
        let known = Target.known(email.lowercased(), network: network?.site)
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
