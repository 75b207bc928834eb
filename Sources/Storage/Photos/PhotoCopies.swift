import Domain
package import Foundation
import Matching
import SQL

/// Finds listings with a copy of the same photo: one that was posted twice, taken from another listing, or found somewhere.
package struct PhotoCopies: Sendable {
    private let database: any Database

    package init(_ database: any Database) {
        self.database = database
    }

    /// A photo of an account that is a copy of another photo of the same account.
    package struct OwnCopy: Equatable, Sendable {
        /// The place of the photo among those of the listing in question.
        package let number: Int
        /// The listing of the other photo, which can be the same one.
        package let listing: UUID
        /// The place of the other photo among those of its listing.
        package let otherNumber: Int
    }

    /// The newest photos of an account that are compared. A shelter has thousands.
    private static let maxCompared = 300
    /// The photos that are compared for each quarter of a hash. Plain pictures have the same ones.
    private static let maxRead = 1000

    /// Returns the photos of a listing that are copies of photos of the account's open listings, or of earlier ones of the
    /// same listing. Each is returned once, with another listing if there is one.
    package func findOwn(ofListing key: Int64) throws -> [OwnCopy] {
        try database.readNow { db in
            let own = try Self.photos(of: "listing.id = ?1", [key], db)
            guard !own.isEmpty else { return [] }
            let others = try Self.photos(of: Self.ofSameAccount, [key, Self.maxCompared], db)
            return own.compactMap { photo in
                let earlier = own.filter { $0.number < photo.number }
                let copy = (others + earlier).first { $0.fingerprint.isCopy(of: photo.fingerprint) }
                return copy.map { OwnCopy(number: photo.number, listing: $0.id, otherNumber: $0.number) }
            }
        }
    }

    private static let ofSameAccount = """
        listing.account_id = (SELECT account_id FROM listing WHERE id = ?1) AND listing.id <> ?1
            AND listing.status IN ('lost', 'found', 'sighted')
        ORDER BY listing.id DESC, number LIMIT ?2
        """

    /// Returns the listings of other accounts that have a copy of the photo, the oldest first, in whatever status they are:
    /// photos are taken from ended and hidden listings too.
    static func findOthers(of photo: UUID, limit: Int, _ db: SQLConnection) throws -> [UUID] {
        guard let own = try Self.photo(photo, db) else { return [] }
        var found: [Int64: UUID] = [:]
        for hash in [own.fingerprint.hash, own.fingerprint.hash.mirrored] {
            for (quarter, values) in zip(quarters, hash.neighbours) {
                for other in try photos(where: quarter, among: values, notOf: own.account, db)
                where other.fingerprint.isCopy(of: own.fingerprint) {
                    found[other.key] = other.id
                }
            }
        }
        return found.sorted { $0.key < $1.key }.prefix(limit).map(\.value)
    }

    /// The expressions of the indexes of `classification`.
    private static let quarters = [
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

    private static func photo(_ id: UUID, _ db: SQLConnection) throws -> Photo? {
        try db.row(
            """
            SELECT \(Photo.columns) FROM photo CROSS JOIN classification CROSS JOIN listing
            WHERE photo.uuid = ? AND \(hasFingerprint) AND listing.id = photo.listing_id
            """,
            [id]
        ) { row in try Photo(row) }
    }

    /// Returns the photos of listings of other accounts of which a quarter of the hash is one of some values.
    private static func photos(
        where quarter: String,
        among values: [Int],
        notOf account: Int64,
        _ db: SQLConnection
    ) throws -> [Photo] {
        let list = "[\(values.map(String.init).joined(separator: ","))]"
        return try db.rows(
            """
            SELECT \(Photo.columns) FROM classification CROSS JOIN photo CROSS JOIN listing
            WHERE \(quarter) IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) AND photo_id IS NOT NULL
                AND \(hasFingerprint) AND listing.id = photo.listing_id AND listing.account_id <> ? LIMIT ?
            """,
            [list, account, maxRead]
        ) { row in try Photo(row) }
    }
}
