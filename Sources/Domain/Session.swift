package import Foundation

/// The sign-in of one device.
package struct Session: Equatable, Sendable {
    package let id: UUID
    package let tokenHash: Data
    /// The browser and system with which the session began, for example `Firefox, Android`.
    package let client: String?
    package let createdAt: Timestamp
    /// Accurate to within ten minutes.
    package let lastUsedAt: Timestamp
    /// The time at which the session expires if it is not used again.
    package let expiresAt: Timestamp

    package init(
        id: UUID,
        tokenHash: Data,
        client: String?,
        createdAt: Timestamp,
        lastUsedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        (self.id, self.tokenHash, self.client) = (id, tokenHash, client)
        (self.createdAt, self.lastUsedAt, self.expiresAt) = (createdAt, lastUsedAt, expiresAt)
    }

    /// The maximum number of sessions per account. If there are more, the least recently used one is ended.
    package static let maxPerAccount = 100
}

/// The maximum durations of a session.
package struct SessionLifetime: Sendable {
    /// The maximum time without use, in seconds.
    package let idle: Double
    /// The maximum time from the sign-in, in seconds, independent of use.
    package let whole: Double
}

extension Account.Role {
    package var sessionLifetime: SessionLifetime {
        let hour = 3600.0
        let day = 24 * hour
        return switch self {
        // The session is the only access to a guest's listings. It lasts as long as browsers keep a cookie, and is
        // extended by use.
        case .guest: SessionLifetime(idle: 365 * day, whole: 1825 * day)
        // Longer than the search for a dog usually takes; users can sign in again with their password.
        // Organisations have no sessions.
        case .user, .organisation: SessionLifetime(idle: 30 * day, whole: 180 * day)
        // NIST SP 800-63B-4, authentication assurance level 2.
        case .admin: SessionLifetime(idle: hour, whole: 24 * hour)
        }
    }
}
