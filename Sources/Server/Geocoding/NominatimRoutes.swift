import Domain
import Formats
import Gazetteer
import HTTP
import HTTPTypes
import Hummingbird

/// The subset of the Nominatim API that its clients need.
struct NominatimRoutes {
    let geocoder: Geocoder

    static let maxPlaces = 50
    private static let settlements: Set<Place.Level> = [.comune, .locality]
    /// The parameters of a structured search, from fine to coarse, with the levels that each of them names.
    private static let structured: [(name: String, levels: Set<Place.Level>)] = [
        ("street", []), ("city", settlements), ("postalcode", settlements), ("county", [.province]),
        ("state", [.region]), ("country", [.country]),
    ]

    func add(to router: Router<ServiceContext>) {
        let errors = GeocoderErrors(languageParameter: "accept-language") { json, message in
            json.object("error") { json in
                json.field("code", 400)
                json.field("message", message)
            }
        }
        let group = router.group("/nominatim").add(middleware: errors)
        group.get("reverse", use: reverse)
        group.get("search", use: search)
        group.get("status", use: status)
    }

    @Sendable private func reverse(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = GeocoderQuery(request)
        let format = try query.nominatimFormat() ?? .json
        let zoom = try query.number("zoom", default: 18, within: 0...18)
        let place = try await geocoder.place(
            at: try query.requiredPoint(),
            // Nominatim tells streets from zoom 16 on.
            level: zoom < 16 ? Place.Level(zoom: zoom) : nil,
            language: query.language("accept-language", request)
        )
        var json = JSONWriter()
        if let place, query.asksForAddresses {
            json.nominatim(place, format, query.details(hasAddress: true))
        } else {
            json.object { $0.field("error", "Unable to geocode") }
        }
        return answer(json)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = GeocoderQuery(request)
        let format = try query.nominatimFormat() ?? .jsonv2
        let limit = try query.number("limit", default: 10, within: 1...Self.maxPlaces)
        let unwanted = Set(query.list("exclude_place_ids").compactMap { Int($0) })
        let found = try await find(query, query.language("accept-language", request), atMost: limit + unwanted.count)
        let places = found.filter { !unwanted.contains($0.id) }.prefix(limit)
        var json = JSONWriter(capacity: 1024 + places.count * 512)
        json.nominatim(Array(places), format, query.details(hasAddress: false))
        return answer(json)
    }

    private func answer(_ json: borrowing JSONWriter) -> Response {
        var response = Response(json)
        response.vary(by: "Accept-Language")
        return response
    }

    private func find(_ query: GeocoderQuery, _ language: Language, atMost limit: Int) async throws -> [GeocodedPlace] {
        let (text, levels, hasStreet) = try wanted(query)
        let viewbox = try query.viewbox()
        let type = try query.choice("featureType", NominatimFeatureType.self)
        let filter = SearchFilter(
            countries: query.countries("countrycodes"),
            box: query.isSet("bounded") ? viewbox : nil,
            levels: type?.levels ?? levels,
            isFirstPiece: query["q"] == nil
        )
        guard let text, query.asksForAddresses else { return [] }
        if let point = Coordinate(typed: text) {
            return try await geocoder.place(at: point, level: nil, language: language).map { [$0] } ?? []
        }
        return try await geocoder.places(
            called: text,
            within: filter,
            hasAddresses: type == nil && hasStreet,
            near: viewbox?.middle,
            language: language,
            limit: limit
        )
    }

    /// Returns the text to search for, the levels of its results, and whether it may be a street.
    private func wanted(
        _ query: GeocoderQuery
    ) throws(ServiceError) -> (text: String?, levels: Set<Place.Level>?, hasStreet: Bool) {
        let parts = Self.structured.filter { query[$0.name] != nil }
        if let text = query["q"] {
            guard let other = parts.first else { return (text, nil, true) }
            throw .invalid("q", "expected without \(other.name)")
        }
        guard !parts.isEmpty else { throw .invalid("q", "expected a place's name") }
        let known = parts.filter { !$0.levels.isEmpty }
        let hasStreet = known.count < parts.count
        guard !known.isEmpty || geocoder.hasAddresses else { return (nil, nil, false) }
        // Without an extract, the town answers for the street.
        let asked = geocoder.hasAddresses ? parts : known
        return (asked.compactMap { query[$0.name] }.joined(separator: ", "), known.first?.levels ?? [], hasStreet)
    }

    @Sendable private func status(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard GeocoderQuery(request)["format"] == "json" else {
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "OK"))
            )
        }
        return .object { json in
            json.field("status", 0)
            json.field("message", "OK")
        }
    }
}

/// The values of the `featureType` parameter.
enum NominatimFeatureType: String, CaseIterable {
    case country
    case state
    case city
    case settlement

    var levels: Set<Place.Level> {
        switch self {
        case .country: [.country]
        case .state: [.region]
        case .city: [.comune]
        case .settlement: [.comune, .locality]
        }
    }
}

extension Place.Level {
    /// The level of the places that a map of this zoom level shows.
    fileprivate init(zoom: Int) {
        switch zoom {
        case ...4: self = .country
        case 5...7: self = .region
        case 8...9: self = .province
        case 10...12: self = .comune
        default: self = .locality
        }
    }
}

extension GeocoderQuery {
    fileprivate func nominatimFormat() throws(ServiceError) -> NominatimFormat? {
        guard self["json_callback"] == nil else { throw .invalid("json_callback", "is not offered") }
        return try choice("format", NominatimFormat.self)
    }

    /// Whether the query asks for places of addresses. The gazetteer contains no other layers, such as shops or rivers.
    fileprivate var asksForAddresses: Bool {
        let layers = list("layer")
        return layers.isEmpty || layers.contains("address")
    }

    fileprivate func details(hasAddress: Bool) -> NominatimDetails {
        NominatimDetails(
            hasAddress: isSet("addressdetails", default: hasAddress),
            hasNames: isSet("namedetails"),
            hasTags: isSet("extratags")
        )
    }

    /// Reads the box between any two opposite corners. Corners outside the world, as map clients send them, are
    /// clamped.
    fileprivate func viewbox() throws(ServiceError) -> BoundingBox? {
        guard let text = self["viewbox"] ?? self["viewboxlbrt"] else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.trimmed.decimalNumber ?? .nan
        }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite),
            let southWest = Coordinate(
                lon: max(-180, min(numbers[0], numbers[2])),
                lat: max(-90, min(numbers[1], numbers[3]))
            ),
            let northEast = Coordinate(
                lon: min(180, max(numbers[0], numbers[2])),
                lat: min(90, max(numbers[1], numbers[3]))
            ),
            let box = BoundingBox(southWest: southWest, northEast: northEast)
        else { throw .invalid("viewbox", "expected the longitude and latitude of two corners, x1,y1,x2,y2") }
        return box
    }
}

extension Coordinate {
    /// Parses a latitude and a longitude that a user typed in place of a name, such as `40.77, 14.79`.
    fileprivate init?(typed text: String) {
        let parts = text.split { $0 == "," || $0 == " " }.map { $0.decimalNumber }
        guard parts.count == 2, let lat = parts[0], let lon = parts[1] else { return nil }
        self.init(lon: lon, lat: lat)
    }
}
