import CQL2
import Domain
import Formats
import Storage

struct PointOfInterestCollection: FeatureCollection {
    let pois: PointOfInterestStore
    let countries: Countries

    static let id = "pois"
    static let title = "Vets, pet shops, shelters and other help"
    static let description = "Points of interest from OpenStreetMap and other files that were imported."
    static let queryables = PointOfInterestStore.queryables
    static let properties = [
        FeatureProperty("category", "What it is", values: PointOfInterest.Category.allCases.map(\.rawValue)),
        FeatureProperty("name", "Name"),
        FeatureProperty("address", "Address on one line"),
        FeatureProperty("street", "Street"),
        FeatureProperty("house_number", "House number"),
        FeatureProperty("postal_code", "Postal code"),
        FeatureProperty("city", "Town"),
        FeatureProperty("phone", "Telephone"),
        FeatureProperty("phone_e164", "Telephone with country code"),
        FeatureProperty("website", "Web page"),
        FeatureProperty("opening_hours", "Opening hours, as OpenStreetMap writes them"),
        FeatureProperty("osm_type", "Kind of OpenStreetMap element", values: ["node", "way", "relation"]),
        FeatureProperty("osm_id", "Number of the OpenStreetMap element", .integer),
        FeatureProperty("map_url", "The place on a map", .address),
        FeatureProperty("street_url", "The street in photos", .address),
        FeatureProperty("route_url", "The way there", .address),
        FeatureProperty("geo_uri", "The place for other programs", .address),
        FeatureProperty("osm_url", "The OpenStreetMap element", .address),
    ]

    func extent() throws -> FeatureExtent? { try pois.extent().map { FeatureExtent(box: $0, since: nil) } }

    func write(_ query: ItemQuery, to json: inout JSONWriter) throws -> (count: Int, next: Int64?) {
        var count = 0
        let next = try pois.findItems(query) { entry in
            json.feature(entry, country: countries.country)
            count += 1
        }
        return (count, next)
    }

    func count(_ query: ItemQuery) throws -> Int? { try pois.countItems(query) }

    func write(
        item id: String,
        to json: inout JSONWriter,
        links: (inout JSONWriter) -> Void
    ) async throws -> Bool {
        guard let key = Int64(id), let entry = try await pois.findPointOfInterest(key: key) else { return false }
        json.feature(entry, country: countries.country, members: links)
        return true
    }
}
