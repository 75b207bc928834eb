import Domain
import SQL

/// Limits on the number of listings and photos of one account, checked in the transaction that writes them. Admins have
/// no limits, because they import listings.
package struct Quota: Sendable {
    /// A factor for all limits; 0 disables them.
    private let factor: Double

    package static let none = Quota(factor: 0)
    package static let standard = Quota(factor: 1)

    package init(factor: Double) {
        self.factor = factor
    }

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
        let count = "SELECT count(*) FROM listing WHERE account_id = ? AND status IN ('lost', 'found', 'sighted')"
        try check(account, Self.openListings, count, db) { most, role in
            "expected at most \(most) open listings of one \(role.rawValue)"
        }
    }

    /// The number of listings that the account may still open; nil without a limit.
    func room(of account: Int64, _ db: SQLConnection) throws -> Int? {
        guard factor > 0, let role = try role(of: account, db) else { return nil }
        let most = try most(Self.openListings, of: account, role, db)
        guard most.isFinite else { return nil }
        let open: Int? = try db.value(
            "SELECT count(*) FROM listing WHERE account_id = ? AND status IN ('lost', 'found', 'sighted')",
            [account]
        )
        return max(0, Int(most) - (open ?? 0))
    }

    /// Throws if the owner of the listing has more photos of listings than the limit. Call it after the insertion.
    func checkPhotos(ofListing listing: Int64, _ db: SQLConnection) throws {
        guard factor > 0 else { return }
        let owner: Int64? = try db.value("SELECT account_id FROM listing WHERE id = ?", [listing])
        guard let owner else { return }
        let count =
            "SELECT count(*) FROM listing JOIN photo ON photo.listing_id = listing.id WHERE listing.account_id = ?"
        try check(owner, Self.photos, count, db) { most, role in
            "expected at most \(most) photos of one \(role.rawValue)"
        }
    }

    private func check(
        _ account: Int64,
        _ limit: (Account.Role) -> Double,
        _ count: String,
        _ db: SQLConnection,
        _ message: (Int, Account.Role) -> ErrorMessage
    ) throws {
        guard factor > 0, let role = try role(of: account, db) else { return }
        let most = try most(limit, of: account, role, db)
        guard most.isFinite else { return }
        let count = try db.value(count, [account]) ?? 0
        guard Double(count) > most else { return }
        throw ServiceError(.quotaExceeded, message(Int(most), role))
    }

    private func most(
        _ limit: (Account.Role) -> Double,
        of account: Int64,
        _ role: Account.Role,
        _ db: SQLConnection
    ) throws -> Double {
        let most = max(1, limit(role) * factor)
        return try role == .organisation && Self.isVerified(account, db) ? most * Self.ofVerified : most
    }

    /// How many times as much a verified organisation may store: the largest shelters have some thousand animals.
    private static let ofVerified = 50.0

    private static func isVerified(_ account: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM organisation WHERE account_id = ? AND verified_at IS NOT NULL", [account])
    }

    private func role(of account: Int64, _ db: SQLConnection) throws -> Account.Role? {
        try db.value("SELECT role FROM account WHERE id = ?", [account])
    }
}

extension ListingContent {
    package var isOpen: Bool { status?.isOpen ?? false }
}
