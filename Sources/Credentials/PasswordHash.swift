import CArgon2
package import Domain
import Foundation

/// Hashes passwords with Argon2id, as many at once as there are cores, the rest in a bounded queue.
package final class PasswordHasher: Sendable {
    // OWASP's password storage cheat sheet: 19 MiB, two passes, one lane.
    private static let memoryKiB: UInt32 = 19 * 1024
    private static let passes: UInt32 = 2
    private static let lanes: UInt32 = 1
    private static let saltLength = 16
    private static let hashLength = 32
    private static let longestQueue = 256

    private let queue: OperationQueue
    /// What a password is compared with where there is no account: the answer takes as long.
    private let decoy: String

    package init() throws {
        queue = OperationQueue()
        queue.name = "argon2"
        queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        decoy = try Self.hash(Token().text)
    }

    /// The hash in PHC form, `$argon2id$v=19$m=...`, with its own random salt.
    package func hash(_ password: String) async throws -> String {
        try await run { try Self.hash(password) }
    }

    /// False for a wrong password and, after the same time, for a nil hash.
    package func verify(_ password: String, hash: String?) async throws -> Bool {
        let known = hash ?? decoy
        let matches = try await run {
            argon2id_verify(known, password, password.utf8.count) == ARGON2_OK.rawValue
        }
        return matches && hash != nil
    }

    private func run<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        guard queue.operationCount < Self.longestQueue else {
            throw ServiceError(.tooManyRequests, "too many people are signing in at once: try again in a moment")
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.addOperation { continuation.resume(with: Result(catching: work)) }
        }
    }

    private static func hash(_ password: String) throws -> String {
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

extension Field {
    /// How many characters a password has.
    package static let passwordLengths = 8...128

    /// As many characters as a password has, whatever they are.
    package func password() throws(ServiceError) -> String {
        let lengths = Self.passwordLengths
        guard case .string(let text) = value, lengths.contains(text.unicodeScalars.count) else {
            throw invalid("expected \(lengths.lowerBound) to \(lengths.upperBound) characters")
        }
        return text
    }
}
