package import Domain
package import Foundation
import SQL

/// Stores listings.
package struct ListingStore: Sendable {
    let database: any Database
    let quota: Quota

    package init(_ database: any Database, quota: Quota = .none) {
        self.database = database
        self.quota = quota
    }

    /// A listing to be written: its content and the location that was determined for it.
    package struct Draft: Sendable {
        package var id: UUID
        package var content: ListingContent
        package var location: ListingLocation
        /// Nil for the present time; imports keep the time of their source.
        package var createdAt: Timestamp?
        /// Nil for a listing that begins here.
        package var origin: ListingOrigin?

        package init(
            id: UUID = UUID(),
            content: ListingContent,
            location: ListingLocation,
            createdAt: Timestamp? = nil,
            origin: ListingOrigin? = nil
        ) {
            self.id = id
            self.content = content
            self.location = location
            self.createdAt = createdAt
            self.origin = origin
        }
    }

    /// Creates a listing and returns the value that `read` extracts from its row.
    ///
    /// - Parameter member: who posts for an organisation.
    package func create<Value>(
        _ draft: Draft,
        owner: Account,
        by member: Account? = nil,
        _ read: (ListingRow) throws -> Value
    ) async throws -> Value {
        let entry = Entry(draft)
        try await database.write(.newListings) { db in
            try insertNew(entry, draft.content, owner, db)
            try OrganisationActionLog.recordPost(draft.id, draft.content, of: owner, by: member, db)
        }
        // Reads on another connection, so that other writes do not have to wait.
        return try database.readNow { db in try Self.get(draft.id, db, read) }
    }

    package func create(_ draft: Draft, owner: Account) async throws -> Listing {
        try await create(draft, owner: owner, Listing.init)
    }

    /// Creates a listing, unless a listing with the ID of the draft exists, because the same post arrived before. Throws
    /// `usedIdempotencyKey` if that listing belongs to another account.
    ///
    /// - Parameters:
    ///   - member: who posts for an organisation.
    ///   - read: receives the row of the listing, and whether it existed before.
    package func createOnce<Value>(
        _ draft: Draft,
        owner: Account,
        by member: Account? = nil,
        _ read: (ListingRow, _ isRepeated: Bool) throws -> Value
    ) async throws -> Value {
        let entry = Entry(draft)
        let isRepeated = try await database.write(.newListings) { db in
            let known = try Self.find(db, "listing.uuid = ?", [entry.uuid], \.owner)
            guard known == nil || known == owner.key else { throw ServiceError.usedIdempotencyKey }
            if known == nil {
                try insertNew(entry, draft.content, owner, db)
                try OrganisationActionLog.recordPost(draft.id, draft.content, of: owner, by: member, db)
            }
            return known != nil
        }
        return try database.readNow { db in try Self.get(draft.id, db) { try read($0, isRepeated) } }
    }

    /// Inserts a listing without triggers.
    func insertNew(_ entry: Entry, _ content: ListingContent, _ owner: Account, _ db: SQLConnection) throws {
        try ListingDerivation.throwIfBanned(owner.key, db)
        let key = try Self.insert(entry, owner: owner.key, db)
        try ListingDerivation.add(key, db)
        guard content.isOpen else { return }
        try quota.checkListings(of: owner.key, db)
        try MatchAlert.create(for: key, of: owner.key, db)
    }

    /// Writes all drafts or none. A draft updates the owner's existing listing with the same id or reference, if there
    /// is one.
    package func put(
        _ drafts: [Draft],
        owner: Account,
        by actor: Audit.Actor = .commandLine
    ) async throws -> (created: Int, updated: Int) {
        try await database.write { db in
            var created = 0
            for draft in drafts {
                let entry = Entry(draft)
                if let known = try Self.findKnown(entry, owner: owner.key, db) {
                    let record = ListingRecord(draft.content, draft.location, seen: known.createdAt)
                    try record.update(id: known.key, at: .now, db)
                } else {
                    try Self.insert(entry, owner: owner.key, db)
                    created += 1
                }
            }
            let note = "\(created) created, \(drafts.count - created) updated"
            try AuditLog.record(.listingsImport, owner.id.lowercased, note: note, by: actor, db)
            return (created, drafts.count - created)
        }
    }

    package func findListing(id: UUID) async throws -> Listing? {
        try findListing(id: id, Listing.init)
    }

    /// Returns the value that `read` extracts from the listing's row; nil if there is no such listing.
    package func findListing<Value>(id: UUID, _ read: (ListingRow) throws -> Value) throws -> Value? {
        try database.readNow { db in try Self.find(db, "listing.uuid = ?", [id], read) }
    }

    /// The same for the listing that has a code.
    package func findListing<Value>(code: ListingCode, _ read: (ListingRow) throws -> Value) throws -> Value? {
        try database.readNow { db in try Self.find(db, "listing.code = ?", [code.text], read) }
    }

    /// Returns the status before the last change of the status; nil if it never changed.
    package func findFormerStatus(of listing: Listing) throws -> Listing.Status? {
        try database.readNow { db in
            try db.value(
                "SELECT former FROM listing_history WHERE listing_id = ? AND status IS NOT NULL ORDER BY id DESC LIMIT 1",
                [listing.key]
            )
        }
    }

    /// A change of another account's listing, for the audit log.
    package struct Edit: Sendable {
        package let actor: Audit.Actor
        package let fields: [String]

        package init(by actor: Audit.Actor, fields: [String]) {
            self.actor = actor
            self.fields = fields
        }
    }

    /// Throws `preconditionFailed` if the listing's version differs from `version`; nil stands for the version of
    /// `listing`.
    ///
    /// - Parameters:
    ///   - edit: describes a change by another person; nil for the owner.
    ///   - member: who changes a listing of an organisation, for its managers.
    package func update<Value: Sendable>(
        _ listing: Listing,
        content: ListingContent,
        location: ListingLocation,
        version: Int?,
        edit: Edit? = nil,
        by member: Account? = nil,
        _ read: @escaping @Sendable (ListingRow) throws -> Value
    ) async throws -> Value {
        let record = ListingRecord(content, location, seen: listing.createdAt)
        let now = Timestamp.now
        return try await database.write { db in
            let current = try Self.get(listing.id, db, Listing.init)
            guard current.version == version ?? listing.version else {
                throw ServiceError(.preconditionFailed, "the listing was changed meanwhile: read it again")
            }
            try record.update(id: current.key, at: now, db)
            if content.isOpen, !current.content.isOpen {
                try quota.checkListings(of: current.owner, db)
            }
            if let edit {
                let note = edit.fields.joined(separator: ", ")
                try AuditLog.record(.listingEdit, listing.id.lowercased, note: note, by: edit.actor, db)
            }
            if content.status != current.content.status {
                try OrganisationActionLog.record(.setStatus, current, by: member, detail: content.status?.rawValue, db)
            } else {
                try OrganisationActionLog.record(.editListing, current, by: member, db)
            }
            return try Self.get(listing.id, db, read)
        }
    }

    package func update(
        _ listing: Listing,
        content: ListingContent,
        location: ListingLocation,
        version: Int?,
        by member: Account? = nil
    ) async throws -> Listing {
        try await update(listing, content: content, location: location, version: version, by: member, Listing.init)
    }

    /// - Parameters:
    ///   - actor: the person who removes another account's listing; nil for the owner.
    ///   - member: who removes a listing of an organisation.
    package func remove(
        _ listing: Listing,
        version: Int?,
        by actor: Audit.Actor? = nil,
        member: Account? = nil
    ) async throws {
        try await database.write { db in
            let current = try Self.get(listing.id, db, Listing.init)
            guard current.version == version ?? current.version else {
                throw ServiceError(.preconditionFailed, "the listing was changed meanwhile: read it again")
            }
            try db.execute("DELETE FROM listing WHERE id = ?", [current.key])
            try OrganisationActionLog.record(.removeListing, current, by: member, db)
            if let actor { try AuditLog.record(.listingRemove, listing.id.lowercased, by: actor, db) }
        }
    }

    /// Records that the listing is still valid, and reopens it with its former status if it has expired.
    package func renew<Value: Sendable>(
        _ listing: Listing,
        by member: Account? = nil,
        _ read: @escaping @Sendable (ListingRow) throws -> Value
    ) async throws -> Value {
        try await database.write { db in
            let current = try Self.get(listing.id, db, Listing.init)
            try db.execute(
                """
                UPDATE listing
                SET status = coalesce(
                        (SELECT expired_from FROM listing_renewal WHERE listing_id = listing.id), status),
                    version = version + 1, updated_at = ?
                WHERE id = ?
                """,
                [Timestamp.now.text, current.key]
            )
            if current.expiredFrom != nil {
                try quota.checkListings(of: current.owner, db)
            } else {
                try ListingHistory.recordRenewal(of: current.key, db)
            }
            try OrganisationActionLog.record(.renewListing, current, by: member, db)
            return try Self.get(listing.id, db, read)
        }
    }

    static func get<Value>(
        _ id: UUID,
        _ db: SQLConnection,
        _ read: (ListingRow) throws -> Value
    ) throws -> Value {
        guard let value = try find(db, "listing.uuid = ?", [id], read) else {
            throw ServiceError(.notFound, "no such listing")
        }
        return value
    }

    private static func findKnown(_ entry: Entry, owner: Int64, _ db: SQLConnection) throws -> Listing? {
        if let known = try find(db, "listing.uuid = ?", [entry.uuid], Listing.init) {
            guard known.owner == owner else {
                throw ServiceError(.conflict, "id: \(entry.uuid) belongs to another account", field: "id")
            }
            return known
        }
        guard let reference = entry.reference else { return nil }
        return try find(
            db,
            "listing.account_id = ? AND listing.reference = ?",
            [owner, reference],
            Listing.init
        )
    }

    static func find<Value>(
        _ db: SQLConnection,
        _ condition: String,
        _ values: [any SQLBindable],
        _ read: (ListingRow) throws -> Value
    ) throws -> Value? {
        try db.row("\(ListingRow.select) WHERE \(condition)", values) { row in try read(ListingRow(row)) }
    }

    /// Returns a key that sorts by time: milliseconds since 1970 times 2^15, plus a counter within the millisecond.
    static func nextKey(_ time: Int64, _ db: SQLConnection) throws -> Int64 {
        let room: Int64 = 1 << 15
        var start = time * room
        while true {
            let last: Int64? = try db.value(
                "SELECT max(id) FROM listing WHERE id >= ? AND id < ?",
                [start, start + room]
            )
            guard let last else { return start }
            if last < start + room - 1 { return last + 1 }
            // If the counter is exhausted, the key overflows into the next millisecond.
            start += room
        }
    }

    /// A draft and the row that it produces.
    struct Entry: Sendable {
        let uuid: String
        let reference: String?
        let record: ListingRecord
        let createdAt: Timestamp
        /// In milliseconds since 1970.
        let time: Int64

        init(_ draft: Draft) {
            uuid = draft.id.lowercased
            reference = draft.content[.reference]
            createdAt = draft.createdAt ?? .now
            time = createdAt.milliseconds
            record = ListingRecord(draft.content, draft.location, seen: createdAt)
        }
    }

    /// Returns the key of the new row.
    @discardableResult
    private static func insert(_ entry: Entry, owner: Int64, _ db: SQLConnection) throws -> Int64 {
        let key = try nextKey(entry.time, db)
        let code = try ListingCodes.draw(db)
        try entry.record.insert(id: key, uuid: entry.uuid, code: code, owner: owner, createdAt: entry.createdAt, db)
        return key
    }
}

extension WriteBatch {
    /// New listings, whose triggers are replaced by statements for all of them.
    package static let newListings = WriteBatch(
        name: "listings",
        finish: ListingDerivation.run,
        prepare: ListingDerivation.prepare
    )
}
