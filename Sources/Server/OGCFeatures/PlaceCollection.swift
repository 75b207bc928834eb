import CQL2
import Domain
import Formats
import Storage

/// The places of the gazetteer, bundled and imported ones.
struct PlaceCollection: FeatureCollection {
    let catalogue: PlaceCatalogue

    static let id = "places"
    static let title = "Places by name"
    static let description = "Towns, hamlets and areas of the gazetteer, each as a point."
    static let queryables = PlaceCatalogue.queryables
    static let properties = [
        FeatureProperty("level", "What it is", values: ImportedPlace.Level.allCases.map(\.rawValue), isNullable: false),
        FeatureProperty("name", "Name", isNullable: false),
        FeatureProperty("locality", "Hamlet or quarter"),
        FeatureProperty("comune", "Municipality; outside Italy the town"),
        FeatureProperty("comune_code", "Cadastral code of an Italian comune"),
        FeatureProperty("province", "Province; outside Italy the second level"),
        FeatureProperty("province_code", "Sign of an Italian province"),
        FeatureProperty("region", "Region; outside Italy the first level"),
        FeatureProperty("country_code", "Country, ISO 3166-1 alpha-2"),
        FeatureProperty("postal_code", "Postal code"),
        FeatureProperty("population", "Inhabitants", .integer),
    ]

    func extent() throws -> FeatureExtent? {
        FeatureExtent(box: try BoundingBox(parsing: "-180,-90,180,90"), since: nil)
    }

    func write(_ query: ItemQuery, to json: inout JSONWriter) async throws -> (count: Int, next: Int64?) {
        let reading = try await catalogue.open()
        var count = 0
        let next = try reading.findItems(query) { entry in
            json.feature(entry)
            count += 1
        }
        return (count, next)
    }

    func count(_ query: ItemQuery) async throws -> Int? { try await catalogue.open().countItems(query) }

    func write(
        item id: String,
        to json: inout JSONWriter,
        links: (inout JSONWriter) -> Void
    ) async throws -> Bool {
        guard let key = Int64(id), let entry = try await catalogue.open().findItem(key: key) else { return false }
        json.feature(entry, members: links)
        return true
    }
}
