import Domain
import SQL

/// Limits on the number of listings and photos of one account, checked in the transaction that writes them. Admins have
/// no limits, because they import listings.
package struct Quota: Sendable {
    /// A factor for all limits; 0 disables them.
    private let factor: Double

    package static let none = Quota(factor: 0)
    package static let standard = Quota(factor: 1)

    package init(factor: Double) { self.factor = factor }

    private static func openListings(_ role: Account.Role) -> Double {
        switch role {
        case .guest: 5
        case .user, .organisation: 100
        case .admin: .infinity
        }
    }

    /// The limit counts the photos of all listings, open and closed. A photo takes up to half a megabyte on the disk.
    private static func photos(_ role: Account.Role) -> Double { openListings(role) * 6 }

    /// Throws if the account has more open listings than its limit. Call it after the insertion.
    func checkListings(of account: Int64, _ db: SQLConnection) throws {
        try check(account, Self.openListings, Self.open, db) { most, role in
            "expected at most \(most) open listings of one \(role.rawValue)"
        }
    }

    private static let open = "listing WHERE account_id = ? AND status IN ('lost', 'found', 'sighted')"

    /// The number of listings that the account may still open; nil without a limit.
    func room(of account: Int64, _ db: SQLConnection) throws -> Int? {
        guard let (most, _) = try most(Self.openListings, of: account, db) else { return nil }
        return max(0, most - (try db.count(Self.open, [account])))
    }

    /// Throws if the owner of the listing has more photos of listings than the limit. Call it after the insertion.
    func checkPhotos(ofListing listing: Int64, _ db: SQLConnection) throws {
        guard factor > 0 else { return }
        let owner: Int64? = try db.value("SELECT account_id FROM listing WHERE id = ?", [listing])
        guard let owner else { return }
        let photos = "listing JOIN photo ON photo.listing_id = listing.id WHERE listing.account_id = ?"
        try check(owner, Self.photos, photos, db) { most, role in
            "expected at most \(most) photos of one \(role.rawValue)"
        }
    }

    private func check(
        _ account: Int64,
        _ limit: (Account.Role) -> Double,
        _ rows: String,
        _ db: SQLConnection,
        _ message: (Int, Account.Role) -> ErrorMessage
    ) throws {
        guard let (most, role) = try most(limit, of: account, db), try db.count(rows, [account]) > most else { return }
        throw ServiceError(.quotaExceeded, message(most, role))
    }

    /// Returns nil without a limit.
    private func most(
        _ limit: (Account.Role) -> Double,
        of account: Int64,
        _ db: SQLConnection
    ) throws -> (Int, Account.Role)? {
        guard factor > 0, let role: Account.Role = try db.value("SELECT role FROM account WHERE id = ?", [account]),
            limit(role).isFinite
        else { return nil }
        let isVerified = try role == .organisation && Self.isVerified(account, db)
        return (Int(max(1, limit(role) * factor) * (isVerified ? Self.ofVerified : 1)), role)
    }

    /// How many times as much a verified organisation may store: the largest shelters have some thousand animals.
    private static let ofVerified = 50.0

    private static func isVerified(_ account: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM organisation WHERE account_id = ? AND verified_at IS NOT NULL", [account])
    }
}

extension ListingContent {
    package var isOpen: Bool { status?.isOpen ?? false }
}
