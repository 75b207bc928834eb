import Cryptography
import Domain
package import Foundation

/// The key that encrypts the secrets of second factors, and the tokens of social accounts, so that the database alone does not
/// reveal them (AES-256-GCM).
package struct SecondFactorKey: Sendable {
    /// The purpose for which a text is encrypted. It cannot be decrypted for another one.
    package enum Purpose: Sendable {
        /// The secret of the account with this ID.
        case secret(UUID)
        /// The proof that the password of a sign-in was right.
        case signIn
        /// The token of the social account with this ID.
        case socialAccount(UUID)

        fileprivate var bytes: Data {
            switch self {
            case .secret(let id): Data("secret \(id.uuidString.lowercased())".utf8)
            case .signIn: Data("sign-in".utf8)
            case .socialAccount(let id): Data("social \(id.uuidString.lowercased())".utf8)
            }
        }
    }

    private let key: Data

    /// A new random key.
    package init() {
        key = .random(count: 32)
    }

    /// Returns nil if the text is not 32 bytes in Base64url.
    private init?(text: String) {
        guard let bytes = Base64URL.bytes(text), bytes.count == 32 else { return nil }
        key = Data(bytes)
    }

    private var text: String { Base64URL.text(key) }

    /// A digest by which keys can be compared. It does not reveal the key, which is random.
    package var fingerprint: String { Base64URL.text(Data.sha256(text)) }

    /// Returns the nonce, the encrypted text and the tag.
    package func seal(_ data: Data, for purpose: Purpose) throws -> Data {
        let nonce = Data.random(count: AESGCM.nonceLength)
        return try nonce + AESGCM(key: key).seal(data, nonce: nonce, authenticating: purpose.bytes)
    }

    /// Returns nil if the text was encrypted with another key or for another purpose, or was changed.
    package func open(_ sealed: Data, for purpose: Purpose) -> Data? {
        let (nonce, text) = (sealed.prefix(AESGCM.nonceLength), sealed.dropFirst(AESGCM.nonceLength))
        return AESGCM(key: key).open(text, nonce: nonce, authenticating: purpose.bytes)
    }

    /// The name of the file with the key, in the data folder.
    package static let fileName = "second-factor-key"

    /// Returns the key in the data folder, which is made if it does not exist.
    package static func readOrCreate(in folder: URL) throws -> SecondFactorKey {
        let file = folder.appending(path: fileName)
        return try key(in: try PrivateFile.readOrCreate(file) { Data((SecondFactorKey().text + "\n").utf8) }, of: file)
    }

    package static func read(_ file: URL) throws -> SecondFactorKey {
        try key(in: try PrivateFile.read(file), of: file)
    }

    private static func key(in data: Data, of file: URL) throws -> SecondFactorKey {
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = SecondFactorKey(text: text) else {
            throw ServiceError.invalid("second-factor-key-file", "expected 32 bytes in Base64url in \(file.path)")
        }
        return key
    }
}
