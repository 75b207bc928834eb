import Domain
import Foundation
import HTTP
import Hummingbird
import Storage

extension ListingStore {
    /// Returns the result of `read` for the listing in the path. Throws `notFound` if there is none, or if the viewer
    /// may not see it.
    func get<Value>(
        _ parameters: Parameters,
        seenBy viewer: Account?,
        _ read: (ListingRow) throws -> Value
    ) throws -> Value {
        guard let id = parameters.get("id").flatMap(UUID.init(uuidString:)),
            let value = try find(id, seenBy: viewer, read)
        else { throw ServiceError(.notFound, "no such listing") }
        return value
    }

    /// Returns the result of `read` for a listing; nil if there is none, or if the viewer may not see it.
    func find<Value>(_ id: UUID, seenBy viewer: Account?, _ read: (ListingRow) throws -> Value) throws -> Value? {
        try findListing(id: id) { row in try row.isVisible(to: viewer) ? read(row) : nil } ?? nil
    }

    /// Returns the id of the listing that has a code, as addresses have it; nil if there is none, or if the viewer may not
    /// see it.
    func id(of code: ListingCode, seenBy viewer: Account?) throws -> String? {
        try findListing(code: code) { row in row.isVisible(to: viewer) ? row.string(.uuid) : nil } ?? nil
    }

    /// Returns the listing in the path, and the account for which the caller changes it: the owner. Throws `forbidden`
    /// if the caller neither owns it nor is a member of the organisation that does.
    ///
    /// - Parameter asManager: whether the members must be managers.
    func getOwn(
        _ parameters: Parameters,
        _ account: Account,
        asManager: Bool = false
    ) throws -> (listing: Listing, owner: Account) {
        let listing = try get(parameters, seenBy: account, Listing.init)
        guard account.acts(for: listing.owner) else {
            throw ServiceError(.forbidden, "only its owner may change a listing")
        }
        guard !asManager || account.manages(listing.owner) else {
            throw ServiceError(.forbidden, "only managers may delete the listings of an organisation")
        }
        return (listing, try actor(account, at: listing))
    }

    func getOwn(_ context: SignedInContext) throws -> (listing: Listing, owner: Account) {
        try getOwn(context.parameters, context.account)
    }

    /// Returns the listing in the path, and the account for which the caller reads it and decides about it.
    func getListing(_ context: SignedInContext) throws -> (listing: Listing, actor: Account) {
        let listing = try get(context.parameters, seenBy: context.account, Listing.init)
        return (listing, try actor(context.account, at: listing))
    }

    /// Returns the listing in the path, and the account for which the viewer reads it; nil for a stranger.
    func getListing(_ context: ServiceContext) throws -> (listing: Listing, viewer: Account?) {
        let viewer = context.caller?.account
        let listing = try get(context.parameters, seenBy: viewer, Listing.init)
        return (listing, try viewer.map { try actor($0, at: listing) })
    }
}

extension ListingRow {
    /// Whether the viewer may see the listing. The owner and admins see hidden ones, too.
    fileprivate func isVisible(to viewer: Account?) -> Bool { !flag(.hidden) || isFullyVisible(to: viewer) }

    /// Whether the viewer may see the private fields: the viewer is the owner, a member of the organisation that is,
    /// or an admin.
    func isFullyVisible(to viewer: Account?) -> Bool { viewer?.seesAll(of: owner) ?? false }
}

extension Listing {
    /// Whether the viewer may see the private fields: the viewer is the owner, a member of the organisation that is,
    /// or an admin.
    func isFullyVisible(to viewer: Account?) -> Bool { viewer?.seesAll(of: owner) ?? false }
}

extension Account {
    fileprivate func seesAll(of owner: Int64) -> Bool { acts(for: owner) || role == .admin }
}
