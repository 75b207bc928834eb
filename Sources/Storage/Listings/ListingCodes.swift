import Domain
import SQL

/// The codes of new listings.
enum ListingCodes {
    /// Returns a code that no listing has. Call it in the transaction that inserts the listing.
    static func draw(_ db: SQLConnection) throws -> ListingCode { try draw(1, db)[0] }

    /// Returns different codes that no listing has. Call it in the transaction that inserts the listings.
    ///
    /// - Parameter draw: returns a code that a listing may have.
    static func draw(
        _ count: Int,
        _ db: SQLConnection,
        _ draw: () -> ListingCode = ListingCode.random
    ) throws -> [ListingCode] {
        var codes: Set<ListingCode> = []
        while codes.count < count {
            var drawn: Set<ListingCode> = []
            while drawn.count < count - codes.count { drawn.insert(draw()) }
            codes.formUnion(drawn.subtracting(try taken(drawn, db)))
        }
        return Array(codes)
    }

    private static func taken(_ codes: Set<ListingCode>, _ db: SQLConnection) throws -> [ListingCode] {
        let list = "[" + codes.map { "\"\($0.text)\"" }.joined(separator: ",") + "]"
        return try db.values("SELECT code FROM listing WHERE code IN (SELECT value FROM json_each(?))", [list])
    }
}
