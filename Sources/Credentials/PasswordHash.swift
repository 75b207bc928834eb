import CArgon2
import Concurrency
import Domain
import Foundation
import Synchronization

/// Hashes passwords with Argon2id on its own threads. It uses at most half of the cores, so that many simultaneous
/// sign-ins leave the other half to all other requests. The queue is bounded and fair: an address that sends many
/// passwords waits for those that send few.
package final class PasswordHasher: Sendable {
    /// The memory and the passes of one hash, on one lane.
    package struct Cost: Sendable {
        let memoryKiB: UInt32
        let passes: UInt32

        /// OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane.
        package static let standard = Cost(memoryKiB: 19 * 1024, passes: 2)

        /// The least that Argon2 permits: for tests that need accounts and not their protection.
        package static let least = Cost(memoryKiB: 8, passes: 1)

        var parameters: String { "$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=\(PasswordHasher.lanes)$" }
    }

    private static let lanes: UInt32 = 1
    private static let saltLength = 16
    private static let hashLength = 32

    private let cost: Cost
    private let breached: BreachedPasswords?
    private let queue = DispatchQueue(label: "argon2", attributes: .concurrent)
    private let semaphore: AsyncSemaphore
    /// The hash that is compared if there is no account, so that the response takes the same time. It is random, so no
    /// password matches.
    private let decoy: String
    private let count = Atomic(0)

    /// - Parameters:
    ///   - breached: the passwords that nobody can choose; nil for those of the bundled list alone.
    ///   - maxQueueLength: the maximum number of hashes that wait; further ones throw `unavailable`.
    package init(cost: Cost = .standard, breached: BreachedPasswords? = nil, maxQueueLength: Int = 256) {
        self.cost = cost
        self.breached = breached
        let threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        semaphore = AsyncSemaphore(permits: threads, maxWaiting: maxQueueLength, maxWait: .seconds(30))
        decoy =
            cost.parameters
            + [Self.saltLength, Self.hashLength]
            .map { Data(Self.randomBytes($0)).base64EncodedString().replacing("=", with: "") }
            .joined(separator: "$")
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// Returns the hash in PHC form, `$argon2id$v=19$m=...`, with a random salt. The password is normalised to NFC
    /// first, because keyboards produce different sequences for the same characters.
    package func hash(_ password: String) async throws -> String {
        try await run { [cost] in try Self.hash(password, cost) }
    }

    /// Hashes a password that a person chooses. Throws `invalid` if it is in the list of breached passwords. The file
    /// is read on the threads of the hashes, because no event loop may wait for a disk.
    package func hash(new password: String) async throws -> String {
        try await run { [cost, breached] in
            guard try breached?.contains(password) != true else { throw ServiceError.commonPassword(field: "password") }
            return try Self.hash(password, cost)
        }
    }

    /// The result of comparing a password with a hash.
    package enum Match: Sendable {
        case none
        case composed
        /// The password matches as typed: the hash is from the time before passwords were normalised.
        case typed
    }

    /// Returns `none` for a wrong password. Returns `none` after the same time if the hash is nil or the password is
    /// too long.
    package func match(_ password: String, hash: String?) async throws -> Match {
        let known = hash ?? decoy
        let composed = password.precomposedStringWithCanonicalMapping
        guard composed.unicodeScalars.count <= Field.passwordLengths.upperBound else {
            _ = try await run { try Self.isSame("", known) }
            return .none
        }
        let match: Match = try await run {
            if try Self.isSame(composed, known) { return .composed }
            // `==` treats canonically equivalent strings as equal, so the bytes are compared.
            let isComposed = password.utf8.elementsEqual(composed.utf8)
            return try !isComposed && Self.isSame(password, known) ? .typed : .none
        }
        return hash == nil ? .none : match
    }

    package func verify(_ password: String, hash: String?) async throws -> Bool {
        try await match(password, hash: hash) != .none
    }

    /// Returns whether the hash was computed with parameters other than the present ones.
    package func isOutdated(_ hash: String) -> Bool { !hash.hasPrefix(cost.parameters) }

    /// The number of hashes computed since the start, and the number that wait or are being computed.
    package var load: (done: Int, waiting: Int) {
        let load = semaphore.load
        return (count.load(ordering: .relaxed), load.inUse + load.waiting)
    }

    private func run<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        try await semaphore.withPermit {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    let result = Result(catching: work)
                    count.add(1, ordering: .relaxed)
                    continuation.resume(with: result)
                }
            }
        }
    }

    /// Throws if the comparison is not possible, for example without memory: this is not a wrong password.
    private static func isSame(_ password: String, _ hash: String) throws -> Bool {
        let code = argon2id_verify(hash, password, password.utf8.count)
        guard code != ARGON2_VERIFY_MISMATCH.rawValue else { return false }
        try check(code)
        return true
    }

    private static func check(_ code: Int32) throws {
        guard code != ARGON2_OK.rawValue else { return }
        throw ServiceError(.unavailable, "argon2: \(String(cString: argon2_error_message(code)))")
    }

    private static func hash(_ password: String, _ cost: Cost) throws -> String {
        let password = password.precomposedStringWithCanonicalMapping
        let salt = randomBytes(saltLength)
        var encoded = [CChar](repeating: 0, count: 128)
        try check(
            argon2id_hash_encoded(
                cost.passes,
                cost.memoryKiB,
                lanes,
                password,
                password.utf8.count,
                salt,
                salt.count,
                hashLength,
                &encoded,
                encoded.count
            )
        )
        return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
