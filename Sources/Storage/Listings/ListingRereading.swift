package import Domain
import SQL

/// Derives from listings what an earlier version of the program has not derived: the breeds that their words name and the facets
/// of other words, also if it read them with other tables, and telephone numbers with country codes. Other readers see each
/// listing as it was until it has been read.
package actor ListingRereading {
    /// The number of listings that one step reads, in one transaction if they have to be read again.
    package static let batchSize = 100

    private let database: any Database
    private let breeds: Breeds
    /// The key of the last listing that was looked at.
    private var last = Int64.min

    package init(_ database: any Database, _ breeds: Breeds) {
        (self.database, self.breeds) = (database, breeds)
    }

    /// The number of all listings.
    package static func count(_ database: any Database) throws -> Int {
        try database.readNow { db in try db.value("SELECT count(*) FROM listing") ?? 0 }
    }

    fileprivate struct Telephone: Sendable {
        let key: Int64
        let number: String
        let country: String?
        let e164: String
    }

    /// Looks at the next listings. Returns how many there were, 0 at the end; the next call begins anew then.
    ///
    /// - Parameter size: the maximum number of listings.
    package func advance(by size: Int = batchSize) async throws -> (seen: Int, read: Int) {
        let (start, tables) = (last, Int64(breeds.reader.fingerprint))
        let rows = try database.readNow { db in
            try db.rows(
                """
                SELECT id, coalesce(breed_tables, -1), CASE WHEN contact_phone_e164 IS NULL THEN contact_phone END, country_code
                FROM listing WHERE id > ? ORDER BY id LIMIT ?
                """,
                [start, size]
            ) { row in
                let key = row.integer(0)
                return (key: key, tables: row.integer(1), telephone: Telephone(key, row.string(2), row.string(3)))
            }
        }
        let unread = rows.filter { $0.tables != tables }.map(\.key)
        let telephones = rows.compactMap(\.telephone)
        let all = Set(unread + telephones.map(\.key)).count
        if all > 0 { try await read(unread, telephones) }
        last = rows.last?.key ?? .min
        return (rows.count, all)
    }

    // The words may change meanwhile in a transaction of another node.

    private func read(_ keys: [Int64], _ telephones: [Telephone]) async throws {
        let breeds = breeds
        try await database.write { db in
            for key in keys { try Self.readWords(of: key, breeds, db) }
            for telephone in telephones {
                try db.execute(
                    """
                    UPDATE listing SET contact_phone_e164 = ?
                    WHERE id = ? AND contact_phone = ? AND coalesce(country_code, '') = ?
                    """,
                    [telephone.e164, telephone.key, telephone.number, telephone.country ?? ""]
                )
            }
        }
    }

    private static func readWords(of key: Int64, _ breeds: Breeds, _ db: SQLConnection) throws {
        let scan = try PreparedStatement(db, ListingRow.byKeys, [.text("[\(key)]")])
        guard try scan.next() else { return }
        let listing = try Listing(ListingRow(scan.row))
        var content = listing.content
        content.readBreeds(breeds)
        let values = (content.breeds?.values ?? []) + [.jsonList(ListingFacets.facets(content, listing.location))]
        try db.execute(
            """
            UPDATE listing SET breed_keys = ?, mixed = ?, breed_facets = ?, breed_tables = ?, facets = ?
            WHERE id = ? AND version = ?
            """,
            values.map { $0 as any SQLBindable } + [key, listing.version]
        )
    }
}

extension ListingRereading.Telephone {
    /// Nil if the number has no country code.
    fileprivate init?(_ key: Int64, _ number: String?, _ country: String?) {
        guard let number, let e164 = TelephoneNumber.e164(of: number, in: country) else { return nil }
        self.init(key: key, number: number, country: country, e164: e164)
    }
}
