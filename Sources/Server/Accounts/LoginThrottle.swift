import Concurrency
import Domain
import Foundation
import HTTP

/// Slows down the guessing of passwords and of codes of second factors. Failed sign-ins are counted by account or, if
/// there is none with the address typed, by this address. After three failures each further attempt has to wait twice
/// as long as the one before, at most 15 minutes. One failure is forgiven every 15 minutes, so a persistent attacker
/// has about a hundred guesses per day.
///
/// An attacker cannot lock out the owner: if the owner has signed in from a network before, failures from other
/// networks do not count there. They do not count for a signed-in session either.
struct LoginThrottle: Sendable {
    /// The keys by which failures are counted.
    enum Target {
        /// The name that somebody signs in with: the id of an account or, without one, the address typed.
        case name(String)
        /// The same, for attempts from a network from which the owner has signed in before.
        case known(String, network: NetworkAddress?)
        /// Passwords within a signed-in session, by the digest of its token.
        case session(Data)
        /// Codes of the second factor within a session. The right password forgives none of these failures.
        case codes(session: Data)

        fileprivate var subject: String {
            switch self {
            case .name(let name): "name \(name.lowercased())"
            case .known(let name, let network): "network \(network?.site.hexadecimal ?? "") \(name.lowercased())"
            case .session(let digest): "session \(digest.base64EncodedString())"
            case .codes(let digest): "codes \(digest.base64EncodedString())"
            }
        }

        /// The keys of the counters of `LoginDelay`.
        fileprivate var keys: [LimitKey] {
            [LimitKey("sign-in-failures", subject), LimitKey("sign-in-delay", subject)]
        }
    }

    /// The time in seconds for which a network is remembered.
    private static let memory = 90 * 86_400.0

    private let counters: any LimitCounters

    init(_ counters: any LimitCounters) {
        self.counters = counters
    }

    /// Counts an attempt to sign in as a failure in advance. `succeed`, `forgive` or `cancelAttempt` cancels it.
    ///
    /// - Parameter name: the id of the account or, without one, the address typed.
    /// - Returns: what the failure was counted by.
    /// - Throws: `tooManyRequests` while it is too early for another attempt.
    func attempt(signInTo name: String, from network: NetworkAddress?) async throws -> Target {
        let (known, other) = (Target.known(name, network: network), Target.name(name))
        let keys = [Self.key(of: known)] + known.keys + other.keys
        let (isKnown, wait) = try await counters.update(keys) { counters, now in
            let isKnown = counters[0] > now
            return (isKnown, Self.count(&counters, at: isKnown ? 1 : 3, now))
        }
        try Self.expectNone(wait)
        return isKnown ? known : other
    }

    /// Counts another attempt in the same way.
    func attempt(_ target: Target) async throws {
        try Self.expectNone(
            try await counters.update(target.keys) { counters, now in Self.count(&counters, at: 0, now) }
        )
    }

    /// Cancels an attempt whose password was not compared.
    func cancelAttempt(_ target: Target) async throws {
        try await counters.update(target.keys) { counters, now in
            var delay = LoginDelay(counters, at: 0)
            delay.cancel(at: now)
            delay.write(to: &counters, at: 0)
        }
    }

    /// Forgets the failures, and remembers the network.
    func succeed(_ name: String, _ target: Target, from network: NetworkAddress?) async throws {
        let known = Self.key(of: .known(name, network: network))
        try await counters.update(target.keys + [known]) { counters, now in
            counters = [0, 0, now + Self.memory]
        }
    }

    func forgive(_ target: Target) async throws {
        try await counters.update(target.keys) { counters, _ in counters = [0, 0] }
    }

    /// The key of the time until which the network of a known target is remembered.
    private static func key(of known: Target) -> LimitKey { LimitKey("sign-in-network", known.subject) }

    /// Returns the seconds to wait. Counts the attempt if this is 0.
    private static func count(_ counters: inout [Double], at index: Int, _ now: Double) -> Double {
        var delay = LoginDelay(counters, at: index)
        let wait = delay.count(at: now)
        delay.write(to: &counters, at: index)
        return wait
    }

    private static func expectNone(_ wait: Double) throws(ServiceError) {
        guard wait > 0 else { return }
        let seconds = Int(wait.rounded(.up))
        throw ServiceError(
            .tooManyRequests,
            "too many wrong passwords or codes: try again in \(seconds) s",
            retryAfter: seconds
        )
    }
}

/// The delay after failed attempts.
struct LoginDelay {
    private static let free = 3.0
    /// In seconds. It is also the time after which a failure is forgiven.
    private static let max = 900.0

    /// The time in seconds at which all failures will be forgiven.
    private var forgivenAt: Double
    /// The time in seconds before which no attempt is permitted.
    private var permittedAt: Double

    init(_ counters: [Double], at index: Int) {
        (forgivenAt, permittedAt) = (counters[index], counters[index + 1])
    }

    func write(to counters: inout [Double], at index: Int) {
        (counters[index], counters[index + 1]) = (forgivenAt, permittedAt)
    }

    /// Counts a failure if an attempt is permitted. Otherwise returns the seconds until it will be.
    mutating func count(at now: Double) -> Double {
        guard permittedAt <= now else { return permittedAt - now }
        forgivenAt = Swift.max(forgivenAt, now) + Self.max
        permittedAt = now + delay(at: now)
        return 0
    }

    /// Removes the last failure.
    mutating func cancel(at now: Double) {
        let before = delay(at: now)
        forgivenAt = Swift.max(0, forgivenAt - Self.max)
        permittedAt -= before - delay(at: now)
    }

    /// The time in seconds between the last failure and the next attempt.
    private func delay(at now: Double) -> Double {
        // Rounding removes the error of floating-point sums.
        let excess = ((forgivenAt - now) / Self.max - Self.free - 1e-6).rounded(.up)
        return excess < 1 ? 0 : min(exp2(excess - 1), Self.max)
    }
}
