package import Domain
import SQL

/// Listings by the references that their owners give them.
extension ListingStore {
    package enum Put: Sendable {
        case created
        case changed
        /// The listing had this content already.
        case unchanged
    }

    /// Returns the value that `read` extracts from the row of the owner's listing with a reference; nil if there is none.
    package func findListing<Value>(
        reference: String,
        of owner: Account,
        _ read: (ListingRow) throws -> Value
    ) throws -> Value? {
        try database.readNow { db in try Self.find(reference, owner, db, read) }
    }

    /// Creates a listing, or gives the owner's listing with the same reference the content of the draft. A listing with this
    /// content is renewed and keeps its version.
    ///
    /// - Parameters:
    ///   - reference: that of the draft.
    ///   - member: who acts for the owner.
    ///   - check: receives the present listing, or nil, and throws if it must not be replaced.
    package func put<Value: Sendable>(
        _ draft: Draft,
        reference: String,
        owner: Account,
        by member: Account? = nil,
        at now: Timestamp = .now,
        _ check: @escaping @Sendable (Listing?) throws -> Void,
        _ read: @escaping @Sendable (ListingRow) throws -> Value
    ) async throws -> (Put, Value) {
        let isKnown = try findListing(reference: reference, of: owner) { _ in true } ?? false
        if !isKnown, try await create(draft, reference, owner, by: member, check) {
            return (.created, try database.readNow { db in try Self.get(draft.id, db, read) })
        }
        // A change needs the triggers, which the connection for new listings does not have.
        return try await database.write { db in
            guard let stored = try Self.find(reference, owner, db, Listing.init) else {
                throw ServiceError(.conflict, "the listing was deleted meanwhile: send it again")
            }
            try check(stored)
            let isChanged = try change(stored, draft, at: now, db)
            if isChanged { try OrganisationActionLog.record(.editListing, stored, by: member, db) }
            return (isChanged ? .changed : .unchanged, try Self.get(stored.id, db, read))
        }
    }

    /// Returns false if the owner has a listing with the reference, for example because of another request at this moment.
    private func create(
        _ draft: Draft,
        _ reference: String,
        _ owner: Account,
        by member: Account?,
        _ check: @escaping @Sendable (Listing?) throws -> Void
    ) async throws -> Bool {
        let entry = Entry(draft)
        return try await database.write(.newListings) { db in
            guard try Self.find(reference, owner, db, { _ in true }) == nil else { return false }
            try check(nil)
            try insertNew(entry, draft.content, owner, db)
            try OrganisationActionLog.recordPost(draft.id, draft.content, of: owner, by: member, db)
            return true
        }
    }

    /// Returns false if the listing has the content of the draft already.
    private func change(_ stored: Listing, _ draft: Draft, at now: Timestamp, _ db: SQLConnection) throws -> Bool {
        let content = draft.content.keepingPredictedBreed(of: stored.content)
        let record = ListingRecord(content, draft.location, seen: stored.createdAt)
        let former = ListingRecord(stored.content, stored.location, seen: stored.createdAt)
        guard record.values != former.values else {
            try ListingRecord.renew(id: stored.key, at: now, db)
            return false
        }
        try record.update(id: stored.key, at: now, db)
        if content.isOpen, !stored.content.isOpen { try quota.checkListings(of: stored.owner, db) }
        return true
    }

    /// Closes the owner's listing with a reference, unless it is closed. Throws `notFound` if there is none.
    package func close(
        reference: String,
        of owner: Account,
        by member: Account? = nil,
        at now: Timestamp = .now,
        _ check: @escaping @Sendable (Listing?) throws -> Void
    ) async throws {
        try await database.write { db in
            guard let stored = try Self.find(reference, owner, db, Listing.init) else {
                throw ServiceError(.notFound, "no such listing")
            }
            try check(stored)
            guard stored.content.isOpen else { return }
            var content = stored.content
            content.status = .closed
            try ListingRecord(content, stored.location, seen: stored.createdAt).update(id: stored.key, at: now, db)
            try OrganisationActionLog.record(.setStatus, stored, by: member, detail: Listing.Status.closed.rawValue, db)
        }
    }

    private static func find<Value>(
        _ reference: String,
        _ owner: Account,
        _ db: SQLConnection,
        _ read: (ListingRow) throws -> Value
    ) throws -> Value? {
        try find(db, "listing.account_id = ? AND listing.reference = ?", [owner.key, reference], read)
    }
}

extension ListingContent {
    /// Returns the content with the breed that a photo of the listing shows, if it states none: the photos stay as well.
    fileprivate func keepingPredictedBreed(of former: ListingContent) -> ListingContent {
        guard breed == nil, former.breedIsPredicted, species == former.species else { return self }
        var content = self
        (content.breed, content.breedKey, content.breedIsPredicted) = (former.breed, former.breedKey, true)
        content.breeds = former.breeds
        return content
    }
}
