import Credentials
import Cryptography
import Domain
import Foundation

/// Shows, encrypted in the form that asks for a code, that the password of a sign-in was right. It permits nothing but
/// to send a code, and so no state of a partial sign-in is stored.
struct SignInTicket: Sendable, Equatable {
    let accountKey: Int64
    /// Ends the ticket when the password changes.
    private let passwordDigest: Data
    private let expiresAt: Int64

    /// In milliseconds: five minutes.
    private static let lifetime: Int64 = 300_000

    init(_ account: Account, passwordHash: String, now: Timestamp) {
        accountKey = account.key
        passwordDigest = Self.digest(passwordHash)
        expiresAt = now.milliseconds + Self.lifetime
    }

    private static func digest(_ passwordHash: String) -> Data { .sha256(passwordHash) }

    func isValid(for passwordHash: String, now: Timestamp) -> Bool {
        now.milliseconds < expiresAt && passwordDigest == Self.digest(passwordHash)
    }

    func text(_ key: SecondFactorKey) throws -> String {
        let numbers = [accountKey, expiresAt].map { number in withUnsafeBytes(of: number.bigEndian) { Data($0) } }
        return Base64URL.text(try key.seal(numbers[0] + numbers[1] + passwordDigest, for: .signIn))
    }

    /// Returns nil if the text is not a ticket of this service.
    init?(_ text: String, _ key: SecondFactorKey) {
        guard text.utf8.count <= 200, let sealed = Base64URL.bytes(text),
            let bytes = key.open(Data(sealed), for: .signIn), bytes.count == 48
        else { return nil }
        func number(at start: Int) -> Int64 {
            bytes.dropFirst(start).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        }
        accountKey = number(at: 0)
        expiresAt = number(at: 8)
        passwordDigest = Data(bytes.dropFirst(16))
    }
}
