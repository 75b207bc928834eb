import Domain
import Foundation
import Localization

/// The time zone of the times in a listing's form.
struct FormTimeZone {
    let zones: TimeZones
    let finder: any PlaceFinder
    let language: Language

    /// Returns the time zone that a script of the form stated, else that of the entered place. Without scripts, the
    /// form shows and sends times of the place.
    ///
    /// - Parameter listing: The listing to edit; nil for a new listing.
    func zone(of typed: [String: String], editing listing: Listing? = nil) throws -> TimeZone {
        // Without a time to read, no town has to be found.
        guard typed[ListingField.lastSeenAt.name] != nil else { return .current }
        if let zone = typed["time_zone"].flatMap(TimeZones.zone(named:)) { return zone }
        if let listing { return zones.zone(at: listing.location) }
        if let lon = typed["lon"].flatMap(Double.init), let lat = typed["lat"].flatMap(Double.init),
            let point = Coordinate(lon: lon, lat: lat)
        {
            return zones.zone(at: point, country: try finder.place(at: point, language: language)?.countryCode)
        }
        guard let name = typed["place"],
            case .town(let town) = try finder.address(name, language: language).match
        else {
            return .current
        }
        return zones.zone(at: town.coordinate, country: town.countryCode)
    }
}
