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
            // The owner and admins can see hidden listings.
            let value = try findListing(
                id: id,
                { row in try !row.flag(.hidden) || row.isFullyVisible(to: viewer) ? read(row) : nil }
            ) ?? nil
        else { throw ServiceError(.notFound, "no such listing") }
        return value
    }

    /// Returns the listing in the path. Throws `forbidden` if the caller does not own it.
    func getOwn(_ context: SignedInContext) throws -> Listing {
        try getOwn(context.parameters, context.account)
    }

    /// Returns the listing in the path. Throws `forbidden` if the caller neither owns it nor is a member of the
    /// organisation that does.
    ///
    /// - Parameter asManager: whether the members must be managers.
    func getEditable(_ parameters: Parameters, _ account: Account, asManager: Bool = false) throws -> Listing {
        let listing = try get(parameters, seenBy: account, Listing.init)
        guard account.acts(for: listing.owner) else {
            throw ServiceError(.forbidden, "only its owner may change a listing")
        }
        guard !asManager || account.manages(listing.owner) else {
            throw ServiceError(.forbidden, "only managers may delete the listings of an organisation")
        }
        return listing
    }

    func getOwn(_ parameters: Parameters, _ account: Account) throws -> Listing {
        let listing = try get(parameters, seenBy: account, Listing.init)
        guard listing.owner == account.key else {
            throw ServiceError(.forbidden, "only its owner may change a listing")
        }
        return listing
    }
}

extension ListingRow {
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
