package import Domain
import Foundation
import SQL

extension ListingImporter {
    /// The contents of a row besides its listing.
    package struct Extras: Codable, Equatable, Sendable {
        /// The addresses of the photos; nil if the file says nothing of photos.
        var photos: [String]?
        /// The record of the animal, by the raw values of `AnimalRecord.Key`; a nil value clears a field.
        var notes: [String: String?] = [:]

        package init(photos: [String]? = nil, notes: [AnimalRecord.Key: String?] = [:]) {
            self.photos = photos
            for (key, note) in notes { self.notes[key.rawValue] = .some(note) }
        }

        var isEmpty: Bool { photos == nil && notes.isEmpty }
    }

    /// The rows whose extras share a transaction.
    private static let extrasAtOnce = 50

    /// Writes the extras of all rows, after the listings. It can be repeated after an interruption.
    func writeExtras() async throws {
        var last = 0
        while true {
            let batch = try rows.extras(after: last, limit: Self.extrasAtOnce)
            guard let end = batch.last?.number else { return }
            let owner = owner.key
            counts.photos += try await database.write { db in
                try batch.reduce(0) { try $0 + Self.write($1.extras, ofListing: $1.uuid, $1.reference, owner, db) }
            }
            last = end
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Returns the number of photos that are to be fetched.
    private static func write(
        _ extras: Extras,
        ofListing uuid: String,
        _ reference: String?,
        _ owner: Int64,
        _ db: SQLConnection
    ) throws -> Int {
        func find(_ column: String, _ value: String) throws -> (key: Int64, isOpen: Bool)? {
            try db.row("SELECT id, status FROM listing WHERE account_id = ? AND \(column) = ?", [owner, value]) { row in
                (try row["id"], try (row["status"] as Listing.Status).isOpen)
            }
        }
        guard let listing = try find("uuid", uuid) ?? reference.flatMap({ try find("reference", $0) }) else { return 0 }
        let notes = extras.notes.compactMap { name, note in AnimalRecord.Key(rawValue: name).map { ($0, note) } }
        try AnimalRecordStore.set(Dictionary(uniqueKeysWithValues: notes), of: listing.key, db)
        // The photos of animals that nobody looks for are not fetched.
        guard let urls = extras.photos, listing.isOpen else { return 0 }
        try RemotePhotoStore.set(urls, ofListing: listing.key, account: owner, import: nil, at: .now, db)
        return try db.value(
            "SELECT count(*) FROM remote_photo WHERE listing_id = ? AND state = 'waiting'", [listing.key]) ?? 0
    }
}
