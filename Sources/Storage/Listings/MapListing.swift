package import Domain
import SpatiaLite

/// As much of a listing as a map tells of it.
package struct MapListing: Equatable, Sendable {
    /// Its `uuid`.
    package let id: String
    package let point: Coordinate
    package let status: String
    package let species: String
    package let name: String?
    package let breed: String?
    /// Of the first photo: a path.
    package let thumbnail: String?
    package let lastSeenAt: String
    /// Whether the point is only that of the place.
    package let isApproximate: Bool
}

extension MapListing {
    /// The rows of a JSON array of keys, in its order.
    static let byKeys = """
        SELECT uuid, status, species, name, breed, photos ->> '$[0].thumbnail', last_seen_at, approximate
        FROM json_each(?) AS wanted CROSS JOIN listing ON listing.id = wanted.value
        """

    init(_ row: StatementRow, at point: Coordinate) {
        id = row.string(0) ?? ""
        self.point = point
        status = row.string(1) ?? ""
        species = row.string(2) ?? ""
        name = row.string(3)
        breed = row.string(4)
        thumbnail = row.string(5)
        lastSeenAt = row.string(6) ?? ""
        isApproximate = row.integer(7) != 0
    }
}
