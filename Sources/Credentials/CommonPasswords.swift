import Foundation

/// The commonest passwords of 8 characters or more, which are what is tried first: the first 5,000 such of the frequency list that
/// zxcvbn 4.5.0 brings (MIT), commonest first.
package enum CommonPasswords {
    private static let all: Set<Substring> = {
        let text = String(decoding: PackageResources.common_passwords_txt, as: UTF8.self)
        return Set(text.split(separator: "\n"))
    }()

    /// Whatever the case of its letters.
    package static func contains(_ password: String) -> Bool { all.contains(password.lowercased()[...]) }
}
