import CQL2
import Domain
import Formats
import Foundation
import HTTP
import Hummingbird
import OpenAPI
import Storage

/// The public listings.
struct ListingCollection: FeatureCollection {
    let search: ListingSearch
    let queries: ListingQueryReader
    let baseURL: BaseURL

    static let id = "listings"
    static let title = "Lost, found and sighted animals"
    static let description = "What stands on the board now. Times are those of the last sighting."
    static let queryables = ListingSearch.queryables
    static let properties =
        ListingField.columns.filter { $0.access != .owner }.map(FeatureProperty.init) + [
            FeatureProperty("code", "Short code"),
            FeatureProperty("contact_phone_e164", "Telephone with country code, if public"),
            FeatureProperty("breed_key", "Key of the breed in /v1/breeds"),
            FeatureProperty("breed_keys", "Keys of the breeds that its words name", .texts),
            FeatureProperty("mixed", "Whether it is a cross", .boolean),
            FeatureProperty("breed_source", "The source of the breed", values: ["owner", "photo"]),
            FeatureProperty(
                "last_seen_precision", "'day' where only the day of last_seen_at is known", values: ["day"]),
            FeatureProperty("locality", "Hamlet or quarter"),
            FeatureProperty("province", "Province"),
            FeatureProperty("province_code", "Sign of the province"),
            FeatureProperty("region", "Region"),
            FeatureProperty("country", "Country"),
            FeatureProperty("country_code", "Country, ISO 3166-1 alpha-2"),
            FeatureProperty("postal_code", "Postal code"),
            FeatureProperty("approximate", "Whether the point only stands for the place", .boolean),
            FeatureProperty(.locationPrecision),
            FeatureProperty("origin", "Its page at the service where it began, if that is another one"),
            FeatureProperty("created_at", "When it was posted", .time),
            FeatureProperty("updated_at", "When it was last changed", .time),
            FeatureProperty("photos", "Photos", .photos),
        ]

    static let textParameters: [Parameter] = [.q, .reading, .lang]

    func words(_ request: Request) throws -> ListingQuery? {
        let parameters = request.queryReader()
        return try queries.readWords(parameters, language: request.language(parameters))
    }

    func extent() throws -> FeatureExtent? {
        try search.extent().map { FeatureExtent(box: $0.box, since: $0.since) }
    }

    func write(_ query: ItemQuery, to json: inout JSONWriter) throws -> (count: Int, next: Int64?) {
        var count = 0
        let next = try search.findItems(query) { feature in
            json.feature(begun: feature, base: baseURL.text)
            count += 1
        }
        return (count, next)
    }

    func count(_ query: ItemQuery) throws -> Int? { try search.countItems(query) }

    func write(item id: String, to json: inout JSONWriter, links: (inout JSONWriter) -> Void) throws -> Bool {
        guard let uuid = UUID(uuidString: id) else { return false }
        let found: Void? = try search.findItem(uuid: uuid.lowercased) { row in
            try json.feature(row, base: baseURL.text, full: false, members: links)
        }
        return found != nil
    }
}

extension FeatureProperty {
    fileprivate init(_ field: ListingField) {
        let values: [String] =
            switch field.kind {
            // The collection contains open listings only, and tells the precision only of cells.
            case _ where field == .status: Listing.Status.open.map(\.rawValue)
            case _ where field == .locationPrecision: []
            case .choice(let values): values
            default: []
            }
        self.init(field.name, field.definition.title, field.kind == .time ? .time : .text, values: values)
    }
}
