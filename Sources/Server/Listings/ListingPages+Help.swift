import Concurrency
import Domain
import HTTP
import Pages
import Storage

extension ListingPages {
    /// The distance in metres within which vets and shelters are searched, and the greatest number that is shown.
    private static let (radius, maxNearest) = (30_000.0, 3)

    /// Returns the nearest that have a telephone number, and before them the nearest of these that never closes: it is worth a longer
    /// way.
    func nearest(_ category: PointOfInterest.Category, to point: Coordinate) async throws -> [HelpContact] {
        var query = PointOfInterestStore.Query()
        query.categories = [category]
        query.centre = point
        query.radius = Self.radius
        // Some have no telephone number.
        query.limit = 20
        let found = try await site.stores.pois.findPointsOfInterest(query).filter { $0.poi.phone != nil }
        var nearest = try await helpers(found)
        let always = nearest.firstIndex(where: \.isAlwaysOpen).map { [nearest.remove(at: $0)] } ?? []
        return Array((always + nearest).prefix(Self.maxNearest))
    }

    /// Reads opening hours off the event loop: a value takes up to milliseconds.
    func helpers(_ entries: [PointOfInterestStore.Entry]) async throws -> [HelpContact] {
        guard !entries.isEmpty else { return [] }
        return try await site.slowReads.run(RequestMeter.current) {
            entries.map { entry in
                HelpContact(
                    poi: entry.poi,
                    country: hours.countries.country(at: entry.poi.coordinate),
                    distance: entry.distance,
                    opening: hours.opening(of: entry.poi)
                )
            }
        }
    }
}
