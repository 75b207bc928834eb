package import Domain
import SQL

/// The fields of a listing that a map shows.
package struct MapListing: Equatable, Sendable {
    /// The listing's UUID.
    package let id: String
    package let point: Coordinate
    package let status: String
    package let species: String
    package let name: String?
    package let breed: String?
    /// The keys of its breeds as a JSON array, because tiles have no lists.
    package let breedKeys: String?
    package let isMixed: Bool?
    /// The path of the thumbnail of the first photo.
    package let thumbnail: String?
    package let lastSeenAt: String
    /// Whether the point is only the centre of the named place.
    package let isApproximate: Bool
}

extension MapListing {
    /// Selects the rows for a JSON array of keys, in the order of the array.
    static let byKeys = """
        SELECT uuid, status, species, name, breed, json_extract(photos, '$[0].thumbnail'), last_seen_at, approximate,
            breed_keys, mixed
        FROM json_each(?) AS wanted CROSS JOIN listing WHERE listing.id = CAST(wanted.value AS BIGINT)
        """

    init(_ row: StatementRow, at point: Coordinate) {
        id = row.string(0) ?? ""
        self.point = point
        status = row.string(1) ?? ""
        species = row.string(2) ?? ""
        name = row.string(3)
        breed = row.string(4)
        breedKeys = row.string(8)
        isMixed = row.isNull(9) ? nil : row.integer(9) != 0
        thumbnail = row.string(5)
        lastSeenAt = row.string(6) ?? ""
        isApproximate = row.integer(7) != 0
    }
}
