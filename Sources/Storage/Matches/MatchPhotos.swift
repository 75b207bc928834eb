import Matching
import SQL

/// The table of the traits of photos of open listings. Triggers remove a row when its listing closes or its subject is forgotten.
enum MatchPhotos {
    /// - Parameter listing: the `Listing.key`.
    static func write(_ photos: PhotoTraits, _ listing: Int64, _ db: SQLConnection) throws {
        guard photos.count > 0 else { return }
        try db.execute("INSERT INTO match_photo (listing_id, traits) VALUES (?, ?)", [listing, photos.encoded])
    }

    /// Returns the traits of photos by the keys of their listings. It makes traits that are missing or damaged from the vectors.
    static func read(_ keys: [Int64], _ reader: MatchReader, _ db: SQLConnection) throws -> [Int64: PhotoTraits] {
        guard !keys.isEmpty else { return [:] }
        var found: [Int64: PhotoTraits] = [:]
        try db.forEachRow(
            """
            SELECT listing_id, traits FROM json_each(?) AS wanted CROSS JOIN match_photo
            WHERE listing_id = CAST(wanted.value AS BIGINT)
            """,
            ["[" + keys.map(String.init).joined(separator: ",") + "]"]
        ) { row in found[row.integer(0)] = PhotoTraits(encoded: row.blob(1)) }
        for key in keys where found[key] == nil {
            found[key] = reader.traits(of: try MatchStore.vectors(of: key, db))
        }
        return found
    }
}
