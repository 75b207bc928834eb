package import Domain
import Foundation

extension Field {
    /// How many characters a password has, composed (NFC).
    package static let passwordLengths = 8...128

    private static let service = "doggofinder"

    /// As many characters as a password has, whatever they are, but none that is guessed first: one of the commonest, the e-mail or what
    /// stands before its `@`, the service's name with or without digits.
    ///
    /// - Parameter email: that of the account it is for.
    package func password(for email: String?) throws(ServiceError) -> String {
        let lengths = Self.passwordLengths
        guard case .string(let text) = value,
            lengths.contains(text.precomposedStringWithCanonicalMapping.unicodeScalars.count)
        else {
            throw invalid("expected \(lengths.lowerBound) to \(lengths.upperBound) characters")
        }
        guard !CommonPasswords.contains(text) else {
            throw invalid("is one that many people use: expected one that is harder to guess")
        }
        let lowered = text.lowercased()
        let own = email.map { [$0.lowercased(), String($0.lowercased().prefix { $0 != "@" })] } ?? []
        guard !own.contains(lowered), lowered.filter(\.isLetter) != Self.service else {
            throw invalid("is the e-mail, or the name of the service: expected one that is harder to guess")
        }
        return text
    }
}
