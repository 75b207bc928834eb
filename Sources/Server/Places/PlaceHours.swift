import Domain
import Localization
import OpeningHours

/// Whether points of interest are open.
struct PlaceHours {
    let countries: Countries
    private let zones: TimeZones
    private let hours: OpeningHours
    private let now: @Sendable () -> Timestamp

    init(_ countries: Countries, _ zones: TimeZones, now: @escaping @Sendable () -> Timestamp) {
        (self.countries, self.zones, self.now) = (countries, zones, now)
        hours = OpeningHours(country: countries.site)
    }

    /// Returns the present state of a place; nil if it is not known. The first call for a value takes up to milliseconds.
    func opening(of poi: PointOfInterest) -> OpeningState? {
        guard let value = poi.openingHours else { return nil }
        let country = countries.country(at: poi.coordinate)
        let zone = zones.zone(at: poi.coordinate, country: country)
        return hours.state(of: value, at: poi.coordinate, in: country, zone: zone, now())
    }
}
