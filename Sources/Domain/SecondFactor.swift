package import Foundation

/// The second factor of an account: time-based codes of an authenticator app, and recovery codes that replace them.
package struct SecondFactor: Sendable {
    /// The secret of the codes, encrypted.
    package let sealedSecret: Data
    package let createdAt: Timestamp
    /// When the owner has shown the first code; nil before. An unconfirmed factor is not asked for.
    package let confirmedAt: Timestamp?
    /// The time step of the last accepted code.
    package let lastStep: Int64?
    package let recoveryCodesLeft: Int

    package init(
        sealedSecret: Data,
        createdAt: Timestamp,
        confirmedAt: Timestamp?,
        lastStep: Int64?,
        recoveryCodesLeft: Int
    ) {
        (self.sealedSecret, self.createdAt, self.confirmedAt) = (sealedSecret, createdAt, confirmedAt)
        (self.lastStep, self.recoveryCodesLeft) = (lastStep, recoveryCodesLeft)
    }

    /// A code that was found to be right. It is used up in the transaction that it permits.
    package enum Proof: Sendable {
        /// The time step of a code, and the encrypted secret that it was compared with.
        case step(Int64, sealedSecret: Data)
        /// The digest of a recovery code.
        case recoveryCode(Data)
    }

    /// The number of recovery codes that an account gets at once.
    package static let recoveryCodeCount = 10
    /// The seconds within which a new secret has to be confirmed.
    package static let maxEnrolmentSeconds = 900.0

    /// The roles that must have a second factor.
    package enum Requirement: String, CaseIterable, Sendable {
        case none
        case admins

        /// Whether the account may do nothing but set up its second factor.
        package func restricts(_ account: Account) -> Bool {
            self == .admins && account.role == .admin && !account.hasSecondFactor
        }
    }
}

extension ServiceError {
    /// The error of a request that needs a code of the second factor and has none.
    package static let missingCode = ServiceError(
        .unauthenticated,
        "code: this account has a second factor: expected the 6 digits of the authenticator app, or a recovery code",
        field: "code"
    )
}
