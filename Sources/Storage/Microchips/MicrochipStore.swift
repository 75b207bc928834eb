package import Domain
import SQL

/// Finds listings by the number of the microchip, which is never public.
package struct MicrochipStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Whether an open listing that is not hidden has the microchip. One statement reads entries of the index
    /// `listing_microchip` and nothing else, whether there is such a listing or not, and returns one row.
    package func isListed(_ microchip: Microchip) throws -> Bool {
        try database.readNow { db in try db.value(Self.isListed, [microchip.number]) ?? false }
    }

    static let isListed = """
        SELECT EXISTS (
            SELECT 1 FROM listing
            WHERE microchip = ? AND hidden = 0 AND status IN ('lost', 'found', 'sighted'))
        """

    /// Returns the open listings with the microchip that are not hidden, newest first.
    static func openListings(with microchip: Microchip, _ db: SQLConnection) throws -> [Listing] {
        try Listing.fetch(
            db,
            """
            listing.microchip = ? AND listing.hidden = 0 AND listing.status IN ('lost', 'found', 'sighted')
            ORDER BY listing.id DESC LIMIT 20
            """, [microchip.number])
    }

    /// Returns the listings of an account with the microchip, newest first, also closed ones.
    package func findListings(with microchip: Microchip, of owner: Account) throws -> [Listing] {
        try database.readNow { db in
            try Listing.fetch(
                db, "listing.microchip = ? AND listing.account_id = ? ORDER BY listing.id DESC LIMIT \(Self.maxOwn)",
                [microchip.number, owner.key])
        }
    }

    /// An animal that comes again and again has several listings.
    private static let maxOwn = 10

    /// Returns all listings with the microchip, newest first, including closed and hidden ones: for admins.
    package func findListings(with microchip: Microchip, limit: Int = 100) throws -> [Listing] {
        try database.readNow { db in
            try Listing.fetch(db, "listing.microchip = ? ORDER BY listing.id DESC LIMIT ?", [microchip.number, limit])
        }
    }
}
