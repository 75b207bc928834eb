package import Domain
import SQL

extension ListingStore {
    /// Returns the account for which the viewer reads and decides at a listing: the organisation that owns it if the
    /// viewer is a member, else the viewer.
    package func actor(_ viewer: Account, at listing: Listing) throws -> Account {
        guard listing.owner != viewer.key, viewer.acts(for: listing.owner) else { return viewer }
        return try database.readNow { db in try AccountStore.getAccount(key: listing.owner, db) }
    }
}
