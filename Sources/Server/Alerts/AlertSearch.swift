import Domain
import HTTP
import Storage

/// The search of an alert: parameters of the search of listings, as they are stored, and what they mean.
struct AlertSearch: Sendable {
    let values: [String: String]
    let query: ListingQuery
    /// Contains the listings, besides what the query says.
    let polygon: Polygon?

    /// The parameters of the search of listings that an alert can have. It can have `polygon`, too.
    static let fields: [ListingQuery.Filter] = [
        .status, .species, .breed, .crosses, .place, .q, .reading, .lon, .lat, .radius, .bbox, .lang,
    ]

    /// The parameter for the id of an organisation whose animals alone are found.
    static let organisation = "organisation"

    static let names = fields.map(\.rawValue) + ["polygon", organisation]

    /// How far in degrees a town may extend from its centre: Rome, the widest of Italy, is 0.4 degrees wide.
    private static let townDegrees = 0.5
    /// How far from the borders in the outlines the listings of a region or province may be.
    private static let borderDegrees = 0.2

    /// Reads the values of a JSON object.
    init(
        _ value: JSONValue,
        _ queries: ListingQueryReader,
        _ organisations: OrganisationStore,
        language: Language
    ) throws {
        guard case .object(let fields) = value else {
            throw ServiceError.invalid("search", "expected an object with parameters of the search of listings")
        }
        for name in fields.keys.sorted() where !Self.names.contains(name) {
            throw ServiceError.invalid(name, "expected one of \(Self.names.joined(separator: ", "))")
        }
        var values: [String: String] = [:]
        for (name, value) in fields { values[name] = try Self.text(value, of: name) }
        // The name of a place is understood in the language in which it was written.
        if values["place"] != nil, values["lang"] == nil { values["lang"] = language.rawValue }
        try self.init(values, queries, organisations)
    }

    /// Reads stored values, or those of a page.
    init(_ values: [String: String], _ queries: ListingQueryReader, _ organisations: OrganisationStore) throws {
        let reader = QueryReader(values.filter { !["polygon", Self.organisation].contains($0.key) })
        let polygon = try values["polygon"].map { text throws(ServiceError) in try Polygon(parsing: text) }
        let language = try reader.choice("lang", Language.self) ?? .english
        var query = try queries.read(reader, language: language, codes: .none)
        guard query.statuses.allSatisfy(\.isOpen) else {
            throw ServiceError.invalid("status", "expected lost, found or sighted")
        }
        if let polygon, query.box == nil { query.box = polygon.box }
        // A town can be in the words: "cane nero Eboli".
        if let name = values["place"] ?? query.reading?.place, query.box == nil, query.circle?.radius == nil {
            query.box = try Self.box(around: name, queries.finder, language)
        }
        query.owner = try values[Self.organisation].map { try Self.owner($0, organisations) }
        guard query.owner != nil || query.box != nil || query.circle?.radius != nil else {
            throw ServiceError.invalid(
                "search",
                "expected an area (lon, lat and radius, bbox, polygon, place, or a town in q) or an organisation"
            )
        }
        (self.values, self.query, self.polygon) = (values, query, polygon)
    }

    /// Returns the `Organisation.key` of an organisation.
    private static func owner(_ id: String, _ organisations: OrganisationStore) throws -> Int64 {
        guard let found = try organisations.find(id: try Field(organisation, .string(id)).uuid()) else {
            throw ServiceError(.notFound, "no such organisation", field: organisation)
        }
        return found.key
    }

    private static func box(
        around name: String,
        _ finder: any PlaceFinder,
        _ language: Language
    ) throws -> BoundingBox {
        guard let place = try finder.place(named: name, language: language) else {
            throw ServiceError.invalid("place", "expected a town, province, region or country that is known")
        }
        return finder.extent(of: place)?.expanded(by: borderDegrees)
            ?? BoundingBox(around: place.coordinate, reach: townDegrees)
    }

    private static func text(_ value: JSONValue, of name: String) throws -> String {
        switch value {
        case .string(let text): return text
        case .number(let number): return String(number)
        case .array(let items): return try items.map { try text($0, of: name) }.joined(separator: ",")
        case .null, .bool, .object: throw ServiceError.invalid(name, "expected a text, a number or a list of them")
        }
    }
}
