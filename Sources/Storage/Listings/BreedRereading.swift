package import Domain
import SQL

/// Reads the breeds of the listings that an earlier version of the program stored, which did not read them or read them with
/// other tables. Other readers see each listing as it was until it has been read.
package actor BreedRereading {
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

    private struct Unread: Sendable {
        let key: Int64
        let text, breedKey: String?
        let species: Species
    }

    /// Looks at the next listings. Returns how many there were, 0 at the end; the next call begins anew then.
    ///
    /// - Parameter size: the maximum number of listings.
    package func advance(by size: Int = batchSize) async throws -> (seen: Int, read: Int) {
        let (start, tables) = (last, Int64(breeds.reader.fingerprint))
        let keys = try database.readNow { db in
            try db.rows(
                "SELECT id, coalesce(breed_tables, -1) FROM listing WHERE id > ? ORDER BY id LIMIT ?",
                [start, size]
            ) { row in (key: row.integer(0), tables: row.integer(1)) }
        }
        let unread = keys.filter { $0.tables != tables }.map(\.key)
        if !unread.isEmpty { try await read(unread) }
        last = keys.last?.key ?? .min
        return (keys.count, unread.count)
    }

    private func read(_ keys: [Int64]) async throws {
        let breeds = breeds
        try await database.write { db in
            for key in keys {
                let found = try db.row("SELECT breed, breed_key, species FROM listing WHERE id = ?", [key]) { row in
                    Unread(key: key, text: row.string(0), breedKey: row.string(1), species: try row[2])
                }
                guard let found else { continue }
                let known = breeds.listingBreeds(found.text, key: found.breedKey, species: found.species)
                // The words may change meanwhile in a transaction of another node.
                try db.execute(
                    """
                    UPDATE listing SET breed_keys = ?, mixed = ?, breed_facets = ?, breed_tables = ?
                    WHERE id = ? AND species = ? AND coalesce(breed, '') = ? AND coalesce(breed_key, '') = ?
                    """,
                    known.values.map { $0 as any SQLBindable }
                        + [key, found.species.rawValue, found.text ?? "", found.breedKey ?? ""]
                )
            }
        }
    }
}
