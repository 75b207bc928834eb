import Domain
package import Foundation
import Matching
import SQL

/// Finds listings with a copy of the same photo: one that was posted twice, taken from another listing, or found somewhere.
package struct PhotoCopies: Sendable {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// A photo of an account that is a copy of another photo of the same account.
    package struct OwnCopy: Equatable, Sendable {
        /// The place of the photo among those of the listing in question.
        package let number: Int
        /// The listing of the other photo, which can be the same one.
        package let listing: UUID
        /// The place of the other photo among those of its listing.
        package let otherNumber: Int
    }

    /// The newest listings of an account that are compared. A shelter has thousands.
    private static let maxListings = 300
    /// The entries that are read of each index. In a million photos, a quarter of a hash is shared by 1,000, or by up to 17,000.
    private static let maxRead = 20_000
    /// The photos with a similar hash whose vectors are compared. Plain pictures have the same hash.
    private static let maxCompared = 500

    /// Returns the photos of a listing that are copies of photos of the account's open listings, or of earlier ones of the
    /// same listing. Each is returned once, with another listing if there is one.
    package func findOwn(ofListing key: Int64) async throws -> [OwnCopy] {
        try await database.read { db in
            let own = try Self.photos(of: "listing.id = ?1", [key], db)
            guard !own.isEmpty else { return [] }
            let others = try Self.photos(of: Self.ofSameAccount, [key, Self.maxListings], db)
            return own.compactMap { photo in
                let earlier = own.filter { $0.number < photo.number }
                let copy = (others + earlier).first { $0.fingerprint.isCopy(of: photo.fingerprint) }
                return copy.map { OwnCopy(number: photo.number, listing: $0.id, otherNumber: $0.number) }
            }
        }
    }

    private static let ofSameAccount = """
        listing.id IN (
            SELECT own.id FROM listing AS own
            WHERE own.account_id = (SELECT account_id FROM listing WHERE id = ?1) AND own.id <> ?1
            ORDER BY own.id DESC LIMIT ?2)
            AND listing.status IN ('lost', 'found', 'sighted')
        ORDER BY listing.id DESC, number
        """

    /// Returns the listings of other accounts that have a copy of the photo, the oldest first, in whatever status they are:
    /// photos are taken from ended and hidden listings too.
    static func findOthers(of photo: UUID, limit: Int, _ db: SQLConnection) throws -> [UUID] {
        guard let own = try Self.photo("photo.uuid = ?", photo, db) else { return [] }
        var found: [Int64: UUID] = [:]
        for key in try similar(to: own.fingerprint.hash, db).sorted().prefix(maxCompared) {
            guard let other = try Self.photo("photo.id = ?", key, db), other.account != own.account else { continue }
            if other.fingerprint.isCopy(of: own.fingerprint) { found[other.key] = other.id }
        }
        return found.sorted { $0.key < $1.key }.prefix(limit).map(\.value)
    }

    /// Returns the photos with nearly the same hash, by their keys.
    private static func similar(to hash: PictureHash, _ db: SQLConnection) throws -> Set<Int64> {
        var found: Set<Int64> = []
        for side in [hash, hash.mirrored] {
            for (quarter, values) in zip(quarters, side.neighbours) {
                let entries = try db.rows(Self.entries(of: quarter, count: values.count), values + [maxRead]) { row in
                    (hash: try row[0] as PictureHash, key: try row[1] as Int64)
                }
                for entry in entries where entry.hash.distance(to: hash) <= PhotoFingerprint.maxDistance {
                    found.insert(entry.key)
                }
            }
        }
        return found
    }

    /// A statement that reads an index only. Values are bound, because SQLite does not search an index on an expression for
    /// those of a subquery.
    static func entries(of quarter: String, count: Int) -> String {
        let values = Array(repeating: "?", count: count).joined(separator: ", ")
        return """
            SELECT hash, photo_id FROM classification WHERE \(quarter) IN (\(values)) AND photo_id IS NOT NULL LIMIT ?
            """
    }

    /// The expressions of the indexes of `classification`.
    static let quarters = [
        "hash & 65535", "(hash >> 16) & 65535", "(hash >> 32) & 65535", "(hash >> 48) & 65535",
    ]
}

// MARK: - Reading

extension PhotoCopies {
    private struct Photo {
        /// The listing and its account.
        let key, account: Int64
        let id: UUID
        let number: Int
        let fingerprint: PhotoFingerprint

        static let columns = """
            listing.id, listing.account_id, listing.uuid, number, hash, vector, model || ' ' || model_version
            """

        init(_ row: StatementRow) throws {
            (key, account, id, number) = try (row[0], row[1], row[2], row[3])
            let vector = row.blob(5).map { Int8(bitPattern: $0) }
            fingerprint = PhotoFingerprint(hash: try row[4], vector: vector, model: try row[6])
        }
    }

    private static let hasFingerprint = "classification.photo_id = photo.id AND hash IS NOT NULL AND vector IS NOT NULL"

    /// Returns the photos of listings that fulfil a condition.
    private static func photos(
        of condition: String,
        _ values: [any SQLBindable],
        _ db: SQLConnection
    ) throws -> [Photo] {
        try db.rows(
            """
            SELECT \(Photo.columns) FROM listing CROSS JOIN photo CROSS JOIN classification
            WHERE photo.listing_id = listing.id AND \(hasFingerprint) AND \(condition)
            """,
            values
        ) { row in try Photo(row) }
    }

    private static func photo(_ condition: String, _ value: any SQLBindable, _ db: SQLConnection) throws -> Photo? {
        try db.row(
            """
            SELECT \(Photo.columns) FROM photo CROSS JOIN classification CROSS JOIN listing
            WHERE \(condition) AND \(hasFingerprint) AND listing.id = photo.listing_id
            """,
            [value]
        ) { row in try Photo(row) }
    }
}
