package import Domain
package import Foundation
import SQL

/// Imports of photos whose files are named by the references of listings.
extension ListingImportStore {
    /// A listing to which a photo belongs, with the photos that it has.
    package struct Subject: Sendable {
        /// The `Listing.key`.
        package let key: Int64
        package let id: UUID
        package let photos: [StoredPhoto]
    }

    /// A photo whose files are on the disk already.
    package struct Photo: Sendable {
        package let entry: StoredPhoto
        package let subject: Subject
        /// Its place among the photos of the listing, if that is free.
        package let number: Int
        package let classification: RecordedClassification?
        package let breed: PhotoStore.Breed?

        package init(
            _ entry: StoredPhoto,
            of subject: Subject,
            number: Int,
            _ classification: RecordedClassification?,
            breed: PhotoStore.Breed?
        ) {
            (self.entry, self.subject, self.number) = (entry, subject, number)
            (self.classification, self.breed) = (classification, breed)
        }
    }

    /// Returns the listing of the owner of an import with the first of these references that there is.
    package func findSubject(_ references: [String], of listingImport: ListingImport) throws -> Subject? {
        try database.readNow { db in
            for reference in references {
                let found = try db.row(
                    "SELECT id, uuid FROM listing WHERE account_id = ? AND reference = ?",
                    [listingImport.owner, reference]
                ) { row in
                    (key: try row["id"] as Int64, id: try row["uuid"] as UUID)
                }
                guard let found else { continue }
                let photos = try db.rows(
                    "SELECT uuid, width, height FROM photo WHERE listing_id = ? ORDER BY number",
                    [found.key]
                ) { row in
                    try StoredPhoto(id: row["uuid"], width: row["width"], height: row["height"])
                }
                return Subject(key: found.key, id: found.id, photos: photos)
            }
            return nil
        }
    }

    /// Writes what became of a file, with its photo, and the position.
    ///
    /// - Returns: false if the import was cancelled.
    /// - Throws: `quotaExceeded` if there is no room for the photo; then nothing is written.
    package func write(
        _ row: ImportedRow,
        _ photo: Photo? = nil,
        of listingImport: ListingImport,
        at now: Timestamp = .now
    ) async throws -> Bool {
        let writer = ImportBatch(listingImport: listingImport, quota: quota, now: now)
        let photos = PhotoStore(database, quota: quota)
        return try await database.write { db in
            try writer.run(db) { _ in
                if let photo {
                    try photos.add(
                        photo.entry,
                        toListing: photo.subject.key,
                        number: photo.number,
                        photo.classification,
                        breed: photo.breed,
                        db
                    )
                }
                try writer.report(row, db)
                try db.execute(
                    "UPDATE listing_import SET row_position = ?, turn = turn + 1 WHERE id = ?",
                    [row.number, listingImport.key]
                )
            }
        }
    }
}
