import CArgon2
import Domain
import Foundation
import Synchronization

/// Hashes passwords with Argon2id on threads of its own, on half of the cores at most, the rest in a bounded queue: whoever does
/// nothing but sign in leaves the other half to all others.
package final class PasswordHasher: Sendable {
    // OWASP's password storage cheat sheet: 19 MiB, two passes, one lane.
    private static let memoryKiB: UInt32 = 19 * 1024
    private static let passes: UInt32 = 2
    private static let lanes: UInt32 = 1
    private static let saltLength = 16
    private static let hashLength = 32
    private static let parameters = "$argon2id$v=19$m=\(memoryKiB),t=\(passes),p=\(lanes)$"

    private let queue: OperationQueue
    private let maxQueueLength: Int
    /// What a password is compared with where there is no account: the answer takes as long.
    private let decoy: String
    private let count = Atomic(0)

    /// - Parameter longestQueue: how many may wait or be worked on; others are told to come back.
    package init(maxQueueLength: Int = 256) throws {
        self.maxQueueLength = maxQueueLength
        queue = OperationQueue()
        queue.name = "argon2"
        queue.maxConcurrentOperationCount = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        decoy = try Self.hash(Token().text)
    }

    /// The hash in PHC form, `$argon2id$v=19$m=...`, with its own random salt; of composed characters (NFC), as keyboards differ.
    package func hash(_ password: String) async throws -> String {
        try await run { try Self.hash(password) }
    }

    /// How a password is that of a hash.
    package enum Match: Sendable {
        case none
        case composed
        /// As it was typed: the hash is of the time when passwords were not composed.
        case typed
    }

    /// None for a wrong password and, after the same time, for a nil hash and for what is too long to be a password.
    package func match(_ password: String, hash: String?) async throws -> Match {
        let known = hash ?? decoy
        let composed = password.precomposedStringWithCanonicalMapping
        guard composed.unicodeScalars.count <= Field.passwordLengths.upperBound else {
            _ = try await run { Self.isSame("", known) }
            return .none
        }
        let match: Match = try await run {
            if Self.isSame(composed, known) { return .composed }
            // Strings are equal however they are composed; their bytes are not.
            let isComposed = password.utf8.elementsEqual(composed.utf8)
            return !isComposed && Self.isSame(password, known) ? .typed : .none
        }
        return hash == nil ? .none : match
    }

    package func verify(_ password: String, hash: String?) async throws -> Bool {
        try await match(password, hash: hash) != .none
    }

    /// Whether it was made with other parameters than those of today.
    package func isOutdated(_ hash: String) -> Bool { !hash.hasPrefix(Self.parameters) }

    /// How many were made or compared since the start, and how many wait or are being worked on.
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
