package import Domain
package import Foundation
import SQL

/// A sighting that was stored.
package struct AddedSighting: StoredOnce {
    package let sighting: Sighting
    /// Nil if nobody is to be notified: the owner reported it or has blocked the author, other sightings of the listing
    /// wait for the owner, or the sighting is a repetition.
    package let notice: Notice?
    /// Whether the sighting was sent before.
    package let isRepeated: Bool
    package var photo: StoredPhoto? { sighting.photo }
}

extension SightingStore {
    /// Returns whether a sighting with this id was sent before. Throws the same errors as `add`.
    package func isRepeated(
        _ draft: SightingDraft,
        hasPhoto: Bool = false,
        id: UUID,
        of listing: Listing,
        by author: Account
    ) throws -> Bool {
        try database.readNow { db in
            if try Self.isKnown(id, draft, hasPhoto, listing, author, db) { return true }
            try Self.check(listing.key, by: author, db)
            return false
        }
    }

    /// Stores a sighting. Repeated calls with the same `id` store it only once.
    ///
    /// A sighting by the owner is confirmed at once. A sighting by an account that the owner has blocked is stored, but
    /// only its author sees it; the result does not reveal the block.
    /// - Throws: `conflict` if the listing is not an open listing of a lost animal, or if there are too many sightings;
    ///   `usedIdempotencyKey` if the id belongs to something else.
    ///
    /// - Parameters:
    ///   - photo: a photo whose files are on the disk already. A sighting that was sent before does not get it.
    ///   - push: makes the notification for the owner's browsers.
    package func add(
        _ draft: SightingDraft,
        photo: StoredPhoto? = nil,
        id: UUID,
        of listing: Listing,
        by author: Account,
        push: ChannelStore.Push? = nil
    ) async throws -> AddedSighting {
        try await database.write { db in
            if try Self.isKnown(id, draft, photo != nil, listing, author, db) {
                let sighting = try Self.get(id, at: listing, author.key, db)
                return AddedSighting(sighting: sighting, notice: nil, isRepeated: true)
            }
            let owner = try Self.check(listing.key, by: author, db)
            let isOwner = owner == author.key
            let isDelivered = try !AccountStore.blocks(owner, author.key, db)
            let key = try db.insert(
                """
                INSERT INTO sighting (uuid, listing_id, owner_id, account_id, lon, lat, approximate, place, seen_at, text,
                    contact_phone, state, is_delivered)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                """,
                [
                    id.lowercased, listing.key, owner, author.key, draft.point.lon, draft.point.lat,
                    draft.isApproximate, draft.place, draft.seenAt.text, draft.text, draft.contactPhone,
                    (isOwner ? Sighting.State.confirmed : .proposed).rawValue, isDelivered,
                ]
            )
            if let photo { try PhotoStore.attach(photo, to: .sighting(key), db) }
            let sighting = try Self.get(id, at: listing, author.key, db)
            let notice = try isOwner || !isDelivered ? nil : Self.notice(listing.key, hasPhoto: photo != nil, db)
            try ChannelStore.append(push, notice, db)
            return AddedSighting(sighting: sighting, notice: notice, isRepeated: false)
        }
    }

    /// Returns nil if the owner has other sightings of the listing to decide on.
    private static func notice(_ listing: Int64, hasPhoto: Bool, _ db: SQLConnection) throws -> Notice? {
        try db.row(
            """
            SELECT account.uuid AS owner, listing.uuid, code, \(AnimalName.columns)
            FROM listing JOIN account ON account.id = account_id
            WHERE listing.id = ?1 AND 1 = (
                SELECT count(*) FROM sighting
                WHERE listing_id = ?1 AND state = 'proposed' AND is_delivered = 1)
            """,
            [listing]
        ) { row in
            try Notice(
                .sighting,
                row["uuid"],
                code: row["code"],
                to: row["owner"],
                AnimalName(row),
                hasPhoto: hasPhoto
            )
        }
    }

    /// Returns the `Account.key` of the owner. Throws unless the listing is an open one of a lost animal.
    @discardableResult
    private static func checkOpen(_ listing: Int64, by author: Account, _ db: SQLConnection) throws -> Int64 {
        let found = try db.row("SELECT account_id, status, hidden, origin FROM listing WHERE id = ?", [listing]) {
            row in
            (
                owner: try row["account_id"] as Int64, status: try row["status"] as Listing.Status,
                isHidden: try row["hidden"] as Bool,
                origin: (try row["origin"] as String?).map(ListingOrigin.init)
            )
        }
        guard let found, !found.isHidden || found.owner == author.key else {
            throw ServiceError(.notFound, "no such listing")
        }
        if let origin = found.origin { throw ServiceError.copiedListing(origin) }
        guard found.status == .lost, !found.isHidden else { throw ServiceError.notLost }
        return found.owner
    }

    /// Throws if the listing or the author has too many sightings for another one. Returns the `Account.key` of the owner.
    @discardableResult
    private static func check(_ listing: Int64, by author: Account, _ db: SQLConnection) throws -> Int64 {
        let owner = try checkOpen(listing, by: author, db)
        try checkCount(of: listing, adding: 1, db)
        let undecided = try db.count(
            "sighting WHERE account_id = ? AND listing_id = ? AND state = 'proposed'", [author.key, listing])
        guard undecided < Sighting.maxUndecided else {
            throw ServiceError(
                .conflict,
                "expected at most \(Sighting.maxUndecided) sightings of one listing that its owner has not decided on"
            )
        }
        return owner
    }

    /// Returns whether the same author sent the same sighting before. Throws `usedIdempotencyKey` if the id belongs to
    /// another one.
    private static func isKnown(
        _ id: UUID,
        _ draft: SightingDraft,
        _ hasPhoto: Bool,
        _ listing: Listing,
        _ author: Account,
        _ db: SQLConnection
    ) throws -> Bool {
        let isSame = try db.row(
            """
            SELECT account_id, listing_id, text, contact_phone, attached_id,
                EXISTS (SELECT 1 FROM photo WHERE sighting_id = sighting.id) AS has_photo
            FROM sighting WHERE uuid = ?
            """,
            [id]
        ) { row in
            // The time and the place depend on the time of the request and on the gazetteer.
            try row["account_id"] as Int64 == author.key && row["listing_id"] as Int64 == listing.key
                && row["text"] as String? == draft.text && row["contact_phone"] as String? == draft.contactPhone
                && row["attached_id"] as Int64? == nil && row["has_photo"] as Bool == hasPhoto
        }
        guard let isSame else { return false }
        guard isSame else { throw ServiceError.usedIdempotencyKey }
        return true
    }

    // MARK: - Attaching a listing

    /// Returns up to five open listings of an account, newest first, that a listing could be attached to as a sighting.
    /// None for admins, who import too many listings to look through.
    package func findListings(of account: Account, toAttach listing: Listing) throws -> [Sighting.AttachedListing] {
        guard listing.content.status == .sighted, !listing.hidden, account.role != .admin else { return [] }
        return try database.readNow { db in
            try db.rows(
                """
                SELECT uuid, name, species FROM listing
                WHERE account_id = ?1 AND status = 'lost' AND species = ?2 AND NOT hidden AND NOT EXISTS (
                    SELECT 1 FROM sighting WHERE listing_id = listing.id AND attached_id = ?3)
                ORDER BY id DESC LIMIT 5
                """,
                [account.key, listing.content.species.rawValue, listing.key]
            ) { row in
                try Sighting.AttachedListing(id: row["uuid"], name: row["name"], species: row["species"])
            }
        }
    }

    /// Attaches an open listing of a sighted animal to the owner's listing as a confirmed sighting. Attaching it again
    /// confirms it again.
    ///
    /// - Parameter sighted: the `Listing.id` of the listing to attach.
    package func attach(_ sighted: UUID, to listing: Listing, by owner: Account) async throws -> Sighting {
        try await database.write { db in
            guard listing.owner == owner.key else {
                throw ServiceError(.forbidden, "only the owner of the listing attaches another one to it")
            }
            try Self.checkOpen(listing.key, by: owner, db)
            let found = try db.row(
                "SELECT id, status, species FROM listing WHERE uuid = ? AND NOT hidden",
                [sighted]
            ) { row in
                (
                    key: try row["id"] as Int64, status: try row["status"] as Listing.Status,
                    species: try row["species"] as Species
                )
            }
            guard let found, found.status == .sighted, found.species == listing.content.species else {
                throw ServiceError.invalid("listing", "expected the id of an open sighted listing of the same species")
            }
            let id = try Self.insert(attached: found.key, to: listing.key, owner, db)
            return try Self.get(id, at: listing, owner.key, db)
        }
    }

    /// The point is the public one of the attached listing, because the owner of the lost animal sees no other.
    private static func insert(
        attached: Int64,
        to listing: Int64,
        _ owner: Account,
        _ db: SQLConnection
    ) throws -> UUID {
        let known: UUID? = try db.value(
            "SELECT uuid FROM sighting WHERE listing_id = ? AND attached_id = ?",
            [listing, attached]
        )
        if let known {
            try db.execute("UPDATE sighting SET state = 'confirmed' WHERE uuid = ?", [known])
            return known
        }
        let id = UUID()
        try db.execute(
            """
            INSERT INTO sighting (uuid, listing_id, owner_id, account_id, attached_id, lon, lat, approximate, place, seen_at,
                state, is_delivered)
            SELECT ?, ?, ?, ?, id, ST_X(geom), ST_Y(geom), approximate,
                place || CASE WHEN province_code IS NULL THEN '' ELSE ' (' || province_code || ')' END, last_seen_at,
                'confirmed', TRUE
            FROM listing WHERE id = ?
            """,
            [id.lowercased, listing, owner.key, owner.key, attached]
        )
        try checkCount(of: listing, db)
        return id
    }
}

extension ServiceError {
    package static let notLost = ServiceError(
        .conflict,
        "expected an open listing of a lost animal: sightings are for those",
        field: "listing"
    )
}
