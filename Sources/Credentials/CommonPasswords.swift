import Domain
import Foundation

/// The 5,000 most common passwords of at least 8 characters, which attackers try first. Source: the frequency list of
/// zxcvbn 4.5.0 (MIT license), most common first.
package enum CommonPasswords {
    private static let all: Set<Substring> = {
        let text = String(decoding: Bundle.module.bytes(of: "common-passwords.txt"), as: UTF8.self)
        return Set(text.split(separator: "\n"))
    }()

    package static var count: Int { all.count }

    /// Ignores the case of letters.
    package static func contains(_ password: String) -> Bool { all.contains(password.lowercased()[...]) }
}
