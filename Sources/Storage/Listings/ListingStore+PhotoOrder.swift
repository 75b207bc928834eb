package import Domain
import Foundation
import SQL

extension ListingStore {
    /// Puts the photos of a listing in another order, and changes nothing if they have that order already. The listing
    /// keeps its photo numbers: the first photo of the order gets the lowest one.
    ///
    /// - Parameters:
    ///   - version: the version that the listing must have; nil for any.
    ///   - order: receives the present numbers and returns all of them in the new order.
    /// - Throws: `ServiceError` if the order does not have each present number once.
    package func orderPhotos<Value: Sendable>(
        of listing: Listing,
        version: Int?,
        _ order: @escaping @Sendable ([Int]) -> [Int],
        _ read: @escaping @Sendable (ListingRow) throws -> Value
    ) async throws -> Value {
        try await database.write { db in
            let current = try Self.get(listing.id, db, Listing.init)
            guard current.version == version ?? current.version else {
                throw ServiceError(.preconditionFailed, "the listing was changed meanwhile: read it again")
            }
            let photos = try OrderedPhoto.find(of: current.key, db)
            let numbers = photos.map(\.number)
            let wanted = order(numbers)
            guard wanted.sorted() == numbers else {
                // Another order is right for the photos of another moment.
                throw ServiceError(.conflict, Self.expectedNumbers(numbers), field: "numbers")
            }
            if wanted != numbers {
                let moved = wanted.compactMap { number in photos.first { $0.number == number } }
                try OrderedPhoto.put(moved, inPlaceOf: photos, db)
                try db.execute(
                    """
                    UPDATE listing
                    SET photos = (SELECT photos FROM listing_photos WHERE listing_id = ?), version = version + 1,
                        updated_at = ?
                    WHERE id = ?
                    """,
                    [current.key, Timestamp.now, current.key]
                )
            }
            return try Self.get(listing.id, db, read)
        }
    }

    private static func expectedNumbers(_ numbers: [Int]) -> ErrorMessage {
        guard !numbers.isEmpty else { return "expected an empty list: the listing has no photos" }
        return
            "expected the numbers of the listing's photos, each once: \(numbers.map(String.init).joined(separator: ", "))"
    }
}

/// A row of `photo` while the photos of a listing are put in another order.
private struct OrderedPhoto {
    let key: Int64
    let number: Int
    let id: UUID
    let width, height: Int
    let createdAt: String
    /// The key of its classification.
    let classification: Int64?

    /// Returns the photos of a listing in their order.
    static func find(of listing: Int64, _ db: SQLConnection) throws -> [OrderedPhoto] {
        try db.rows(
            """
            SELECT photo.id AS key, photo.number AS number, photo.uuid AS uuid, photo.width AS width,
                photo.height AS height, photo.created_at AS created_at, classification.id AS classification
            FROM photo LEFT JOIN classification ON classification.photo_id = photo.id
            WHERE photo.listing_id = ? ORDER BY photo.number
            """,
            [listing]
        ) { row in
            try OrderedPhoto(
                key: row["key"], number: row["number"], id: row["uuid"], width: row["width"], height: row["height"],
                createdAt: row["created_at"], classification: row["classification"]
            )
        }
    }

    /// The rows keep their numbers and exchange what they describe. Ids, numbers and classifications are unique at each
    /// moment, and all numbers may be taken, so the rows first give up their ids and classifications.
    static func put(_ moved: [OrderedPhoto], inPlaceOf photos: [OrderedPhoto], _ db: SQLConnection) throws {
        for photo in photos {
            try db.execute("UPDATE photo SET uuid = '-' || uuid WHERE id = ?", [photo.key])
            try db.execute("UPDATE classification SET photo_id = NULL WHERE photo_id = ?", [photo.key])
        }
        for (photo, place) in zip(moved, photos) {
            try db.execute(
                "UPDATE photo SET uuid = ?, width = ?, height = ?, created_at = ? WHERE id = ?",
                [photo.id, photo.width, photo.height, photo.createdAt, place.key]
            )
            if let classification = photo.classification {
                try db.execute("UPDATE classification SET photo_id = ? WHERE id = ?", [place.key, classification])
            }
        }
    }
}
