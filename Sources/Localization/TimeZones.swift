package import Domain
package import Foundation

/// The time zones of the world with a representative town each, from `time-zones.tsv`.
///
/// The table contains the rows of `zone.tab` of the IANA time zone database 2025b, which is in the public domain, with
/// the coordinates in decimal degrees.
package struct TimeZones: Sendable {
    private struct Row {
        let point: Coordinate
        let zone: TimeZone
    }

    private let countries: [String: [Row]]

    init(tsv: String) {
        var countries: [String: [Row]] = [:]
        for line in tsv.split(separator: "\n").dropFirst() {
            let cells = line.split(separator: "\t").map(String.init)
            guard cells.count == 4, let lat = Double(cells[1]), let lon = Double(cells[2]),
                let point = Coordinate(lon: lon, lat: lat), let zone = TimeZone(identifier: cells[3])
            else { continue }
            countries[cells[0], default: []].append(Row(point: point, zone: zone))
        }
        self.countries = countries
    }

    /// Returns the time zone with an IANA name that a client has sent; nil if there is none. Foundation reads a file of this
    /// name.
    package static func zone(named name: String) -> TimeZone? {
        known.contains(name) ? TimeZone(identifier: name) : nil
    }

    private static let known = Set(TimeZone.knownTimeZoneIdentifiers + ["UTC"])

    /// Returns the time zone of a place: of the representative town of the country that is nearest. In countries with
    /// several zones this is an approximation, because the limits of the zones are not in the table.
    ///
    /// - Parameter country: The ISO 3166 code of the country. Without it, or if it is unknown, the nearest town of the
    ///   world decides.
    package func zone(at point: Coordinate, country: String?) -> TimeZone {
        let rows = country.flatMap { countries[$0] } ?? countries.values.flatMap(\.self)
        guard rows.count != 1 else { return rows[0].zone }
        return rows.min { $0.point.angle(to: point) < $1.point.angle(to: point) }?.zone ?? .current
    }
}

extension TimeZones {
    /// Returns the time zone of a listing's place.
    package func zone(at location: ListingLocation) -> TimeZone {
        zone(at: location.coordinate, country: location.countryCode)
    }
}

extension Coordinate {
    /// The haversine of the angle between two points on a sphere, which grows with their distance.
    fileprivate func angle(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let (height, width) = (sin((lat - other.lat) * radians / 2), sin((lon - other.lon) * radians / 2))
        return height * height + cos(lat * radians) * cos(other.lat * radians) * width * width
    }
}
