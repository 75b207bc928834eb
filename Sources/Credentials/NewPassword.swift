package import Domain
import Foundation

extension Field {
    /// The permitted lengths of a password, in Unicode scalars after normalisation to NFC.
    package static let passwordLengths = 8...128

    private static let service = "doggofinder"

    /// Returns the field as a new password. The password may contain any characters, but must have a permitted length
    /// and must not be easy to guess: not one of the most common passwords, the e-mail address, its part before the
    /// `@`, or the service's name with or without digits.
    ///
    /// - Parameter email: the address of the account that the password is for.
    package func password(for email: String?) throws(ServiceError) -> String {
        let lengths = Self.passwordLengths
        guard case .string(let text) = value,
            lengths.contains(text.precomposedStringWithCanonicalMapping.unicodeScalars.count)
        else {
            throw invalid("expected \(lengths.lowerBound) to \(lengths.upperBound) characters")
        }
        guard !CommonPasswords.contains(text) else { throw ServiceError.commonPassword(field: name) }
        let lowered = text.lowercased()
        let own = email.map { [$0.lowercased(), String($0.lowercased().prefix { $0 != "@" })] } ?? []
        guard !own.contains(lowered), lowered.filter(\.isLetter) != Self.service else {
            throw invalid("is the e-mail, or the name of the service: expected one that is harder to guess")
        }
        return text
    }
}

extension ServiceError {
    /// The error of a new password that is common, or known from a data breach.
    static func commonPassword(field: String) -> ServiceError {
        .invalid(field, "is one that many people use: expected one that is harder to guess")
    }
}
