package import Domain
package import Foundation
import GRDB

/// The board.
package struct ListingStore: Sendable {
    private let database: DatabaseFile

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    /// What is written: the owner's words and the place they mean.
    package struct Draft: Sendable {
        package var id: UUID
        package var content: ListingContent
        package var location: ListingLocation
        /// Nil is now; imports keep the time of their source.
        package var createdAt: Timestamp?

        package init(id: UUID = UUID(), content: ListingContent, location: ListingLocation, createdAt: Timestamp? = nil)
        {
            self.id = id
            self.content = content
            self.location = location
            self.createdAt = createdAt
        }
    }

    package func create(_ draft: Draft, owner: Account) async throws -> Listing {
        try await database.write { db in
            try Self.insert(draft, owner: owner.key, db)
            return try Self.getListing(id: draft.id, db)
        }
    }

    /// Writes all drafts or none. One the owner has already, by id or by reference, is updated.
    package func put(_ drafts: [Draft], owner: Account) async throws -> (created: Int, updated: Int) {
        try await database.write { db in
            var created = 0
            for draft in drafts {
                if let known = try Self.findKnown(draft, owner: owner.key, db) {
                    try Self.update(known, draft.content, draft.location, db)
                } else {
                    try Self.insert(draft, owner: owner.key, db)
                    created += 1
                }
            }
            return (created, drafts.count - created)
        }
    }

    package func findListing(id: UUID) async throws -> Listing? {
        try await database.read { db in try Self.fetch(db, where: "listing.uuid = ?", [id.lowercased]).first }
    }

    /// Nil where there is none or it is hidden from whoever asks.
    package func findListing(id: UUID, seenBy viewer: Account?) async throws -> Listing? {
        guard let listing = try await findListing(id: id),
            !listing.hidden || listing.owner == viewer?.key || viewer?.role == .admin
        else { return nil }
        return listing
    }

    package func findListings(_ query: ListingQuery) async throws -> ListingPage {
        try await database.read { db in try ListingSearch(query: query).run(db) }
    }

    /// Throws `preconditionFailed` where it was edited since `version`; nil skips that check.
    package func update(
        _ listing: Listing,
        content: ListingContent,
        location: ListingLocation,
        version: Int?
    ) async throws -> Listing {
        try await database.write { db in
            let current = try Self.getListing(id: listing.id, db)
            guard current.version == version ?? listing.version else {
                throw ServiceError(.preconditionFailed, "the listing was changed meanwhile: read it again")
            }
            try Self.update(current, content, location, db)
            return try Self.getListing(id: listing.id, db)
        }
    }

    package func remove(_ listing: Listing, version: Int?) async throws {
        try await database.write { db in
            let current = try Self.getListing(id: listing.id, db)
            guard current.version == version ?? current.version else {
                throw ServiceError(.preconditionFailed, "the listing was changed meanwhile: read it again")
            }
            try db.execute(sql: "DELETE FROM listing WHERE id = ?", arguments: [current.key])
        }
    }

    package func setHidden(_ listing: Listing, _ hidden: Bool) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE listing SET hidden = ?, version = version + 1 WHERE id = ? AND hidden <> ?",
                arguments: [hidden, listing.key, hidden]
            )
        }
    }

    private static func getListing(id: UUID, _ db: Database) throws -> Listing {
        guard let listing = try fetch(db, where: "listing.uuid = ?", [id.lowercased]).first else {
            throw ServiceError(.notFound, "no such listing")
        }
        return listing
    }

    private static func findKnown(_ draft: Draft, owner: Int64, _ db: Database) throws -> Listing? {
        if let known = try fetch(db, where: "listing.uuid = ?", [draft.id.lowercased]).first {
            guard known.owner == owner else {
                throw ServiceError(.conflict, "id: \(draft.id.lowercased) belongs to another account", field: "id")
            }
            return known
        }
        guard let reference = draft.content.reference else { return nil }
        return try fetch(db, where: "listing.account_id = ? AND listing.reference = ?", [owner, reference]).first
    }

    private static func fetch(
        _ db: Database,
        where condition: String,
        _ arguments: StatementArguments
    ) throws -> [Listing] {
        let statement = try db.cachedStatement(sql: "SELECT \(Listing.columns) FROM listing WHERE \(condition)")
        return try Row.fetchAll(statement, arguments: arguments).map(Listing.init)
    }

    private static func insert(_ draft: Draft, owner: Int64, _ db: Database) throws {
        let created = draft.createdAt ?? .now
        let identity: [String: (any DatabaseValueConvertible)?] = [
            "uuid": draft.id.lowercased, "account_id": owner, "created_at": created.text, "updated_at": created.text,
        ]
        let arguments = values(draft.content, draft.location, seen: created).merging(identity) { $1 }
        try execute(
            """
            INSERT INTO listing (
                uuid, account_id, status, species, breed_key, created_at, updated_at, last_seen_at, geom, approximate,
                name, breed, sex, size, colour, age, microchip, place, locality, province, province_code, region,
                country, country_code, postal_code, contact_name, contact_name_public, contact_phone,
                contact_phone_public, contact_email, contact_email_public, reference, marks, description)
            VALUES (
                :uuid, :account_id, :status, :species, :breed_key, :created_at, :updated_at, :last_seen_at,
                MakePoint(:lon, :lat, 4326), :approximate, :name, :breed, :sex, :size, :colour, :age, :microchip,
                :place, :locality, :province, :province_code, :region, :country, :country_code, :postal_code,
                :contact_name, :contact_name_public, :contact_phone, :contact_phone_public, :contact_email,
                :contact_email_public, :reference, :marks, :description)
            """,
            arguments,
            db
        )
        try insertPlaces(draft.location, listing: db.lastInsertedRowID, db)
    }

    private static func update(
        _ listing: Listing,
        _ content: ListingContent,
        _ location: ListingLocation,
        _ db: Database
    ) throws {
        let identity: [String: (any DatabaseValueConvertible)?] = ["id": listing.key, "updated_at": Timestamp.now.text]
        let arguments = values(content, location, seen: listing.createdAt).merging(identity) { $1 }
        try execute(
            """
            UPDATE listing
            SET version = version + 1, status = :status, species = :species, breed_key = :breed_key,
                updated_at = :updated_at, last_seen_at = :last_seen_at, geom = MakePoint(:lon, :lat, 4326),
                approximate = :approximate, name = :name, breed = :breed, sex = :sex, size = :size, colour = :colour,
                age = :age, microchip = :microchip, place = :place, locality = :locality, province = :province,
                province_code = :province_code, region = :region, country = :country, country_code = :country_code,
                postal_code = :postal_code, contact_name = :contact_name, contact_name_public = :contact_name_public,
                contact_phone = :contact_phone, contact_phone_public = :contact_phone_public,
                contact_email = :contact_email, contact_email_public = :contact_email_public, reference = :reference,
                marks = :marks, description = :description
            WHERE id = :id
            """,
            arguments,
            db
        )
        try db.execute(sql: "DELETE FROM listing_place WHERE listing_id = ?", arguments: [listing.key])
        try insertPlaces(location, listing: listing.key, db)
    }

    private static func execute(
        _ sql: String,
        _ arguments: [String: (any DatabaseValueConvertible)?],
        _ db: Database
    ) throws {
        do {
            try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw ServiceError(.conflict, "reference: another listing of yours has this one", field: "reference")
        }
    }

    private static func insertPlaces(_ location: ListingLocation, listing: Int64, _ db: Database) throws {
        let statement = try db.cachedStatement(sql: "INSERT INTO listing_place (name, listing_id) VALUES (?, ?)")
        for name in location.searchNames { try statement.execute(arguments: [name, listing]) }
    }

    private static func values(
        _ content: ListingContent,
        _ location: ListingLocation,
        seen: Timestamp
    ) -> [String: (any DatabaseValueConvertible)?] {
        [
            "status": content.status?.rawValue, "species": content.species.rawValue, "breed_key": content.breedKey,
            "last_seen_at": (content.lastSeenAt ?? seen).text, "lon": location.coordinate.lon,
            "lat": location.coordinate.lat, "approximate": location.approximate, "name": content.name,
            "breed": content.breed, "sex": content.sex?.rawValue, "size": content.size?.rawValue,
            "colour": content.colour, "age": content.age, "microchip": content.microchip, "place": location.place,
            "locality": location.locality, "province": location.province, "province_code": location.provinceCode,
            "region": location.region, "country": location.country, "country_code": location.countryCode,
            "postal_code": location.postalCode, "contact_name": content.contactName.value,
            "contact_name_public": content.contactName.isPublic, "contact_phone": content.contactPhone.value,
            "contact_phone_public": content.contactPhone.isPublic, "contact_email": content.contactEmail.value,
            "contact_email_public": content.contactEmail.isPublic, "reference": content.reference,
            "marks": content.marks, "description": content.description,
        ]
    }
}
