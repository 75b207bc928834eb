import CQL2
import Domain
import HTTP
import Hummingbird
import SQL
import Storage

extension ItemQuery {
    /// A larger `limit` is reduced to the maximum, and is not an error.
    static let page = PageSize(defaultLimit: 100, maxLimit: 10_000)
    /// The only coordinate reference system: longitude and latitude on WGS 84.
    static let crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

    /// The maximum length of a filter in characters. After percent-encoding it still fits into a URL.
    static let maxFilterLength = 4096

    /// The parameters that clients may send although they have only one meaning, with their values.
    static let constants = [
        "f": ["json", "geojson"], "bbox-crs": [crs84], "filter-crs": [crs84],
    ]

    init(
        _ request: Request,
        of collection: any FeatureCollection.Type,
        on engine: SQLEngine
    ) throws(ServiceError) {
        self.init()
        let parameters = collection.parameters
        let query = request.queryReader()
        box = try query.anyBox()
        if let (from, to) = try query.interval() { (since, until) = (from, to) }
        limit = try min(query.count() ?? Self.page.defaultLimit, Self.page.maxLimit)
        after = try query.keyCursor()
        for (property, queryable) in parameters {
            if let value = try query.value(property, queryable) { equals[property.name] = value }
        }
        filter = try query.filter()?.condition(over: collection.queryables, on: engine)
        try query.checkConstants()
    }
}

/// The languages of filters. `cql-text` is the name of `cql2-text` in drafts of CQL2; GDAL 3.6 sends it.
enum FilterLanguage: String, CaseIterable {
    case text = "cql2-text"
    case json = "cql2-json"
    case draft = "cql-text"
}

extension QueryReader {
    /// Reads a box of four numbers, or of six, whose heights are ignored. Clients send the area of their window:
    /// latitudes beyond a pole are clamped, longitudes beyond the antimeridian are wrapped.
    fileprivate func anyBox() throws(ServiceError) -> BoundingBox? {
        guard let text = try list("bbox") else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap {
            $0.trimmed.decimalNumber
        }
        let sides = numbers.count == 6 ? [numbers[0], numbers[1], numbers[3], numbers[4]] : numbers
        guard sides.count == 4, numbers.count == text.count(where: { $0 == "," }) + 1, numbers.allSatisfy(\.isFinite),
            let box = BoundingBox(window: sides)
        else { throw .invalid("bbox", "\(BoundingBox.expectation), or six numbers with heights") }
        return box
    }

    /// Returns the interval from `since` up to but not including `until`; nil if the query has none.
    fileprivate func interval() throws(ServiceError) -> (since: Timestamp?, until: Timestamp?)? {
        // An unencoded plus sign before a time zone offset is decoded as a space.
        guard let text = try text("datetime")?.replacing(" ", with: "+") else { return nil }
        let ends = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(ends.count) else { throw Self.invalidInterval }
        let since = try Self.moment(ends[0], isEnd: false)
        let until = try Self.moment(ends[ends.count - 1], isEnd: true)
        guard ends.count == 2 || since != nil, since.flatMap({ since in until.map { since < $0 } }) ?? true
        else { throw Self.invalidInterval }
        return (since, until)
    }

    private static var invalidInterval: ServiceError {
        .invalid(
            "datetime",
            "expected a time like 2026-05-01T12:30:00Z, or an interval like 2026-05-01T00:00:00Z/.. whose end is not before its start"
        )
    }

    /// Returns nil for an open end. The end of an interval is included; if it is a date, the whole day is.
    private static func moment(_ text: Substring, isEnd: Bool) throws(ServiceError) -> Timestamp? {
        guard !text.isEmpty, text != ".." else { return nil }
        guard let time = Timestamp(parsing: String(text)) else { throw invalidInterval }
        guard isEnd else { return time }
        return time.adding(seconds: text.count == 10 ? 86_400 : 0.001)
    }

    fileprivate func count() throws(ServiceError) -> Int? {
        guard let text = try value("limit") else { return nil }
        guard let number = text.wholeNumber, number > 0 else {
            throw .invalid("limit", "expected a number of at least 1")
        }
        return number
    }

    fileprivate func value(_ property: FeatureProperty, _ queryable: Queryable) throws(ServiceError) -> SQLValue? {
        guard has(property.name) else { return nil }
        let text = try text(property.name) ?? ""
        guard property.values.isEmpty || property.values.contains(text) else {
            throw .invalid(property.name, "expected one of \(property.values.joined(separator: ", "))")
        }
        switch property.kind {
        case .integer:
            guard let number = text.wholeNumber, FeatureProperty.integers.contains(number) else {
                throw .invalid(property.name, "expected a whole number below 2^53")
            }
            return .integer(Int64(number))
        case .boolean:
            guard let flag = Bool(text) else { throw .invalid(property.name, "expected true or false") }
            return .integer(flag ? 1 : 0)
        case .time:
            guard let time = try timestamp(property.name) else { throw .invalid(property.name, Timestamp.expectation) }
            return .text(time.text)
        case .text, .texts, .address, .photos: return .text(text)
        }
    }

    fileprivate func filter() throws(ServiceError) -> CQL2Filter? {
        let language = try choice("filter-lang", FilterLanguage.self) ?? .text
        guard let text = try text("filter", atMost: ItemQuery.maxFilterLength, lines: true) else { return nil }
        return try language == .json ? CQL2Filter(json: text) : CQL2Filter(text: text)
    }

    /// Throws if a parameter with only one meaning has another value.
    func checkConstants() throws(ServiceError) {
        for (name, values) in ItemQuery.constants {
            guard has(name), try !values.contains(text(name) ?? "") else { continue }
            throw .invalid(name, "expected \(values.alternatives)")
        }
    }
}

extension BoundingBox {
    /// Creates the box of a map window, given as west, south, east and north. A window may be wider than the Earth.
    fileprivate init?(window sides: [Double]) {
        let (west, east) = (sides[0], sides[2])
        let isAllRound = east - west >= 360
        self.init(
            west: isAllRound ? -180 : west.wrapped,
            south: min(max(sides[1], -90), 90),
            east: isAllRound ? 180 : east.wrapped,
            north: min(max(sides[3], -90), 90)
        )
    }

    private init?(west: Double, south: Double, east: Double, north: Double) {
        guard let southWest = Coordinate(lon: west, lat: south), let northEast = Coordinate(lon: east, lat: north)
        else { return nil }
        self.init(southWest: southWest, northEast: northEast)
    }
}

extension Double {
    /// The longitude, wrapped to the range from -180 to 180.
    fileprivate var wrapped: Double {
        (-180...180).contains(self) ? self : remainder(dividingBy: 360)
    }
}
