import Domain
import Foundation
import Hummingbird
import Storage

extension ListingStore {
    /// What `read` takes from the listing that a path names, where the viewer may see it.
    func get<Value>(
        _ parameters: Parameters,
        seenBy viewer: Account?,
        _ read: (ListingRow) throws -> Value
    ) throws -> Value {
        guard let id = parameters.get("id").flatMap(UUID.init(uuidString:)),
            // Owner and admins see what is hidden from others.
            let value = try findListing(
                id: id,
                { row in try !row.flag(.hidden) || row.isFullyVisible(to: viewer) ? read(row) : nil }
            ) ?? nil
        else { throw ServiceError(.notFound, "no such listing") }
        return value
    }

    /// The listing that a path names, where it is the caller's own.
    func getOwn(_ context: SignedInContext) throws -> Listing {
        try getOwn(context.parameters, context.account)
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
    /// Whether the viewer sees all of it.
    func isFullyVisible(to viewer: Account?) -> Bool { viewer?.seesAll(of: owner) ?? false }
}

extension Listing {
    /// Whether the viewer sees all of it.
    func isFullyVisible(to viewer: Account?) -> Bool { viewer?.seesAll(of: owner) ?? false }
}

extension Account {
    fileprivate func seesAll(of owner: Int64) -> Bool { key == owner || role == .admin }
}
