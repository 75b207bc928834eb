import CArgon2
import Domain
import Foundation
import Synchronization

/// Hashes passwords with Argon2id on its own threads, with a bounded queue. It uses at most half of the cores, so that
/// many simultaneous sign-ins leave the other half to all other requests.
package final class PasswordHasher: Sendable {
    // OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane.
    private static let memoryKiB: UInt32 = 19 * 1024
    private static let passes: UInt32 = 2
    private static let lanes: UInt32 = 1
    private static let saltLength = 16
    private static let hashLength = 32
    private static let parameters = "$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=\(lanes)$"

    private let queue: OperationQueue
    private let maxQueueLength: Int
    /// The hash that is compared if there is no account, so that the response takes the same time.
    private let decoy: String
    private let count = Atomic(0)

    /// - Parameter maxQueueLength: the maximum number of hashes that wait or are computed; further requests throw
    ///   `unavailable`.
    package init(maxQueueLength: Int = 256) throws {
        self.maxQueueLength = maxQueueLength
        queue = OperationQueue()
        queue.name = "argon2"
        queue.maxConcurrentOperationCount = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        decoy = try Self.hash(Token().text)
    }

    /// Returns the hash in PHC form, `$argon2id$v=19$m=...`, with a random salt. The password is normalised to NFC
    /// first, because keyboards produce different sequences for the same characters.
    package func hash(_ password: String) async throws -> String {
        try await run { try Self.hash(password) }
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
            _ = try await run { Self.isSame("", known) }
            return .none
        }
        let match: Match = try await run {
            if Self.isSame(composed, known) { return .composed }
            // `==` treats canonically equivalent strings as equal, so the bytes are compared.
            let isComposed = password.utf8.elementsEqual(composed.utf8)
            return !isComposed && Self.isSame(password, known) ? .typed : .none
        }
        return hash == nil ? .none : match
    }

    package func verify(_ password: String, hash: String?) async throws -> Bool {
        try await match(password, hash: hash) != .none
    }

    /// Returns whether the hash was computed with parameters other than the present ones.
    package func isOutdated(_ hash: String) -> Bool { !hash.hasPrefix(Self.parameters) }

    /// The number of hashes computed since the start, and the number that wait or are being computed.
    package var load: (done: Int, waiting: Int) { (count.load(ordering: .relaxed), queue.operationCount) }

    private func run<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        guard queue.operationCount < maxQueueLength else {
            throw ServiceError(.unavailable, "too many people are signing in at once: try again in a moment")
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.addOperation { [self] in
                let result = Result(catching: work)
                count.add(1, ordering: .relaxed)
                continuation.resume(with: result)
            }
        }
    }

    private static func isSame(_ password: String, _ hash: String) -> Bool {
        argon2id_verify(hash, password, password.utf8.count) == ARGON2_OK.rawValue
    }

    private static func hash(_ password: String) throws -> String {
        let password = password.precomposedStringWithCanonicalMapping
        let salt = (0..<saltLength).map { _ in UInt8.random(in: .min ... .max) }
        var encoded = [CChar](repeating: 0, count: 128)
        let code = argon2id_hash_encoded(
            passes,
            memoryKiB,
            lanes,
            password,
            password.utf8.count,
            salt,
            salt.count,
            hashLength,
            &encoded,
            encoded.count
        )
        guard code == ARGON2_OK.rawValue else {
            throw ServiceError(.unavailable, "argon2: \(String(cString: argon2_error_message(code)))")
        }
        return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
