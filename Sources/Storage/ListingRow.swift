import Domain
import Foundation
import GRDB
import SpatiaLite

extension Listing {
    static let columns = """
        listing.id, listing.uuid, listing.account_id, listing.version, listing.hidden, listing.status, listing.species,
        listing.breed_key, listing.created_at, listing.updated_at, listing.last_seen_at, listing.geom,
        listing.approximate, listing.name, listing.breed, listing.sex, listing.size, listing.colour, listing.age,
        listing.microchip, listing.place, listing.locality, listing.province, listing.province_code, listing.region,
        listing.country, listing.country_code, listing.postal_code, listing.contact_name, listing.contact_name_public,
        listing.contact_phone, listing.contact_phone_public, listing.contact_email, listing.contact_email_public,
        listing.reference, listing.marks, listing.description
        """

    /// A row of `columns`; by position, since looking names up costs more than reading.
    init(_ row: Row) throws {
        guard let id = UUID(uuidString: row[1]) else {
            throw DatabaseError(message: "listing \(row[0] as Int64): uuid")
        }
        self.init(
            key: row[0],
            id: id,
            owner: row[2],
            version: row[3],
            hidden: row[4],
            content: ListingContent(row),
            location: try ListingLocation(row),
            createdAt: Timestamp(stored: row[8]),
            updatedAt: Timestamp(stored: row[9])
        )
    }
}

extension Row {
    func point() throws -> Coordinate {
        guard let point = try withUnsafeData(atIndex: 11, { $0?.withUnsafeBytes(Coordinate.init(spatiaLiteBlob:)) })
        else { throw DatabaseError(message: "listing \(self[0] as Int64): geometry is not a point") }
        return point
    }
}

extension ListingContent {
    fileprivate init(_ row: Row) {
        self.init()
        status = Listing.Status(rawValue: row[5])
        species = Species(rawValue: row[6]) ?? .other
        breedKey = row[7]
        lastSeenAt = Timestamp(stored: row[10])
        name = row[13]
        breed = row[14]
        sex = (row[15] as String?).flatMap(Listing.Sex.init)
        size = (row[16] as String?).flatMap(Listing.Size.init)
        colour = row[17]
        age = row[18]
        microchip = row[19]
        contactName = Contact(value: row[28], isPublic: row[29])
        contactPhone = Contact(value: row[30], isPublic: row[31])
        contactEmail = Contact(value: row[32], isPublic: row[33])
        reference = row[34]
        marks = row[35]
        description = row[36]
    }
}

extension ListingLocation {
    fileprivate init(_ row: Row) throws {
        self.init(coordinate: try row.point(), approximate: row[12])
        place = row[20]
        locality = row[21]
        province = row[22]
        provinceCode = row[23]
        region = row[24]
        country = row[25]
        countryCode = row[26]
        postalCode = row[27]
    }
}
