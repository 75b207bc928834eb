package import Foundation

/// What one device has that is signed in.
package struct Session: Equatable, Sendable {
    package let id: UUID
    package let tokenHash: Data
    /// What it was begun with, like `Firefox, Android`.
    package let client: String?
    package let createdAt: Timestamp
    /// To within ten minutes.
    package let lastUsedAt: Timestamp
    /// Unless it is used again.
    package let expiresAt: Timestamp

    package init(
        id: UUID,
        tokenHash: Data,
        client: String?,
        createdAt: Timestamp,
        lastUsedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.tokenHash = tokenHash
        self.client = client
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }

    /// How many an account has at most: of more the one goes that was used longest ago.
    package static let maxPerAccount = 100
}

/// How long a session lasts.
package struct SessionLifetime: Sendable {
    /// Seconds without use.
    package let idle: Double
    /// Seconds from log-in on, however much it is used.
    package let whole: Double
}

extension Account.Role {
    package var sessionLifetime: SessionLifetime {
        let hour = 3600.0
        let day = 24 * hour
        return switch self {
        // It is the only key to the guest's listings: as long as browsers keep a cookie, and on while it is used.
        case .guest: SessionLifetime(idle: 365 * day, whole: 1825 * day)
        // Longer than a dog is looked for; who comes later has a password.
        case .user: SessionLifetime(idle: 30 * day, whole: 180 * day)
        // NIST SP 800-63B-4, authentication assurance level 2.
        case .admin: SessionLifetime(idle: hour, whole: 24 * hour)
        }
    }
}
