/// An area with straight sides in longitude and latitude, such as a reader draws on a map. It does not cross the
/// antimeridian.
package struct Polygon: Equatable, Sendable {
    package static let counts = 3...100

    /// The corners in order. The last one is joined with the first one, which is not repeated.
    package let corners: [Coordinate]
    package let box: BoundingBox

    private static let form: ErrorMessage =
        "expected \(counts.lowerBound) to \(counts.upperBound) corners as lon,lat,lon,lat..."

    /// Reads the ring of a polygon, RFC 7946, section 3.1.6, as numbers with commas. The first corner may be repeated at
    /// the end.
    package init(parsing text: String) throws(ServiceError) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed.decimalNumber }
        guard numbers.count.isMultiple(of: 2), numbers.count <= 2 * (Self.counts.upperBound + 1) else {
            throw .invalid("polygon", Self.form)
        }
        var corners: [Coordinate] = []
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard let lon = numbers[index], let lat = numbers[index + 1], let corner = Coordinate(lon: lon, lat: lat)
            else {
                throw .invalid("polygon", Self.form)
            }
            corners.append(corner)
        }
        if corners.count > 1, corners.first == corners.last { corners.removeLast() }
        let (lons, lats) = (corners.map(\.lon).sorted(), corners.map(\.lat).sorted())
        guard Self.counts.contains(corners.count), let west = lons.first, let east = lons.last, let south = lats.first,
            let north = lats.last, west < east, south < north,
            let first = Coordinate(lon: west, lat: south), let last = Coordinate(lon: east, lat: north),
            let box = BoundingBox(southWest: first, northEast: last)
        else { throw .invalid("polygon", Self.form) }
        (self.corners, self.box) = (corners, box)
    }

    /// Counts the sides that a ray to the east crosses: an odd number of them is crossed from the inside.
    package func contains(_ point: Coordinate) -> Bool {
        guard box.contains(point) else { return false }
        var isInside = false
        for (one, other) in zip(corners, corners[1...] + corners[..<1])
        where (one.lat > point.lat) != (other.lat > point.lat) {
            let share = (point.lat - one.lat) / (other.lat - one.lat)
            if point.lon < one.lon + share * (other.lon - one.lon) { isInside.toggle() }
        }
        return isInside
    }
}
