package import Domain
package import Foundation
import SQL
import SpatiaLite

/// The photos and their owners. Other code reads and writes the files; this store decides when they may be written and
/// must be deleted.
package struct PhotoStore: Sendable {
    let database: any Database
    private let quota: Quota

    package init(_ database: any Database, quota: Quota = .none) {
        self.database = database
        self.quota = quota
    }

    /// The listing or account to which a photo belongs.
    package enum Owner: Sendable {
        /// A listing by its key, and the position of the photo among its photos.
        case listing(Int64, number: Int)
        /// An account by its key, for its profile picture.
        case account(Int64)

        fileprivate var values: [any SQLBindable] {
            switch self {
            case .listing(let key, let number): [key, number, SQLValue.null]
            case .account(let key): [SQLValue.null, SQLValue.null, key]
            }
        }

        fileprivate var condition: (sql: String, values: [any SQLBindable]) {
            switch self {
            case .listing(let key, let number):
                ("listing_id = ? AND number = ?", [key, number])
            case .account(let key): ("account_id = ?", [key])
            }
        }
    }

    /// Announces files that will be written. If no photo uses them within an hour, they are deleted.
    package func reserve(_ id: UUID) async throws {
        try await database.write { db in
            try db.execute(
                "INSERT INTO photo_leftover (uuid, removable_at) VALUES (?, ?)",
                [id, Timestamp.now.adding(seconds: 3600)]
            )
        }
    }

    /// Withdraws an announcement, so that the files may be deleted now.
    package func release(_ id: UUID) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE photo_leftover SET removable_at = ? WHERE uuid = ?",
                [Timestamp.now, id]
            )
        }
    }

    package var faults: StorageFaults { database.faults }

    /// A breed that a model has recognised with confidence, for a listing without a breed.
    package struct Breed: Sendable {
        package let key: String
        package let name: String
        package let breeds: ListingBreeds

        package init(key: String, name: String, breeds: ListingBreeds) {
            (self.key, self.name, self.breeds) = (key, name, breeds)
        }
    }

    /// Receives the id of the existing photo, if any, and throws if it must not be replaced or removed.
    package typealias Check = @Sendable (UUID?) throws -> Void

    /// Stores a photo and replaces an existing one. Returns whether there was one. The files must be on the disk
    /// already.
    ///
    /// - Parameter breed: becomes the breed of the listing if its owner has not stated one.
    package func put(
        _ entry: StoredPhoto,
        _ owner: Owner,
        _ classification: RecordedClassification? = nil,
        breed: Breed? = nil,
        _ check: @escaping Check = { _ in }
    ) async throws -> Bool {
        try await database.write { db in try put(entry, owner, classification, breed: breed, check, db) }
    }

    /// The same within a transaction.
    func put(
        _ entry: StoredPhoto,
        _ owner: Owner,
        _ classification: RecordedClassification?,
        breed: Breed?,
        _ check: Check,
        _ db: SQLConnection
    ) throws -> Bool {
        try check(try Self.find(owner, db)?.id)
        let replaced = try Self.remove(owner, db)
        do {
            try db.execute(
                "INSERT INTO photo (uuid, width, height, listing_id, number, account_id) VALUES (?, ?, ?, ?, ?, ?)",
                [entry.id, entry.width, entry.height]
                    + owner.values
            )
        } catch  where SQLFailure(error)?.constraint == .foreignKey {
            throw ServiceError(.notFound, "it was removed meanwhile")
        }
        if !replaced, case .listing(let key, _) = owner { try quota.checkPhotos(ofListing: key, db) }
        if let classification { try ClassificationStore.insert(classification, ofPhoto: entry.id, db) }
        if let breed, case .listing(let key, _) = owner {
            try db.execute(
                """
                UPDATE listing
                SET breed = ?, breed_key = ?, breed_predicted = TRUE, breed_keys = ?, mixed = ?, breed_facets = ?,
                    breed_tables = ?, version = version + 1, updated_at = ?
                WHERE id = ? AND species = 'dog' AND (breed IS NULL OR breed_predicted)
                """,
                [breed.name, breed.key] + breed.breeds.values + [Timestamp.now, key]
            )
        }
        return replaced
    }

    /// Adds a photo to a listing within a transaction, at a place among its photos, or at the first one that is free.
    ///
    /// - Throws: `quotaExceeded` if there is no room.
    func add(
        _ entry: StoredPhoto,
        toListing listing: Int64,
        number: Int,
        _ classification: RecordedClassification?,
        breed: Breed?,
        _ db: SQLConnection
    ) throws {
        let used: [Int64] = try db.values("SELECT number FROM photo WHERE listing_id = ?", [listing])
        let free = ([number] + Array(1...ListingPhoto.maxCount)).first { !used.contains(Int64($0)) }
        guard let free, free <= ListingPhoto.maxCount else {
            throw ServiceError(.quotaExceeded, "expected at most \(ListingPhoto.maxCount) photos")
        }
        _ = try put(entry, .listing(listing, number: free), classification, breed: breed, { _ in }, db)
    }

    /// Returns whether there was a photo.
    package func remove(_ owner: Owner, _ check: @escaping Check = { _ in }) async throws -> Bool {
        try await database.write { db in
            guard let entry = try Self.find(owner, db) else { return false }
            try check(entry.id)
            return try Self.remove(owner, db)
        }
    }

    package func find(_ owner: Owner) throws -> StoredPhoto? {
        try database.readNow { db in try Self.find(owner, db) }
    }

    private static func find(_ owner: Owner, _ db: SQLConnection) throws -> StoredPhoto? {
        let (condition, values) = owner.condition
        return try db.row("SELECT uuid, width, height FROM photo WHERE \(condition)", values) { row in
            try StoredPhoto(id: row[0], width: row[1], height: row[2])
        }
    }

    /// Calls `remove` with the ids of photos whose files are no longer used, and then forgets the ids whose files were
    /// removed.
    ///
    /// - Parameter remove: returns the photos whose files are removed, and why others are not.
    package func sweep(
        _ remove: ([UUID]) async -> (removed: [UUID], failure: (any Error)?)
    ) async throws {
        let ids = try await database.read { db in
            try db.values("SELECT uuid FROM photo_leftover WHERE removable_at <= ? LIMIT 1000", [Timestamp.now])
                as [UUID]
        }
        guard !ids.isEmpty else { return }
        let (removed, failure) = await remove(ids)
        if !removed.isEmpty {
            try await database.write { db in
                for id in removed {
                    try db.execute("DELETE FROM photo_leftover WHERE uuid = ?", [id])
                }
            }
        }
        if let failure { throw failure }
        if ids.count == 1000 { try await sweep(remove) }
    }

    /// Returns the ids of all photos, for checks and copies of the files.
    package func ids() throws -> [UUID] {
        try database.readNow { db in
            try db.values("SELECT uuid FROM photo ORDER BY id")
        }
    }

    /// Returns those of the ids that belong neither to a photo nor to a pending deletion.
    package func unknown(among ids: Set<UUID>) throws -> Set<UUID> {
        try ids.subtracting(
            known(among: ids, "SELECT uuid FROM photo UNION ALL SELECT uuid FROM photo_leftover")
        )
    }

    /// Returns those of the ids that belong to a photo.
    package func known(among ids: Set<UUID>) throws -> Set<UUID> { try known(among: ids, "SELECT uuid FROM photo") }

    private func known(among ids: Set<UUID>, _ table: String) throws -> Set<UUID> {
        let list = try ids.map(\.lowercased).json
        return try database.readNow { db in
            try Set(
                db.values("SELECT uuid FROM (\(table)) AS known WHERE uuid IN (SELECT value FROM json_each(?))", [list])
            )
        }
    }

    /// Returns whether there is a photo.
    package func isEmpty() throws -> Bool { try database.readNow { db in try !db.exists("SELECT 1 FROM photo") } }

    /// Returns the ids of all photos in a copy of the database, such as a backup.
    package static func ids(inCopy copy: URL) throws -> [UUID] {
        try StandaloneDatabase(copy, isReadOnly: true).run { db in try db.values("SELECT uuid FROM photo ORDER BY id") }
    }

    private static func remove(_ owner: Owner, _ db: SQLConnection) throws -> Bool {
        let (condition, values) = owner.condition
        return try db.execute("DELETE FROM photo WHERE \(condition)", values) > 0
    }
}
