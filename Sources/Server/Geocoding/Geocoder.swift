import Concurrency
import Domain
import Formats
import Gazetteer
import HTTP
import Hummingbird

/// Answers the queries of geocoding APIs from the gazetteer and the extracts of OpenStreetMap, off the event loops.
struct Geocoder: Sendable {
    let gazetteer: Gazetteer
    let search: PlaceSearch
    let slowReads: SlowReadExecutor

    var hasAddresses: Bool { !search.addresses.isEmpty }

    /// Returns the place of the given level at a point, or of the next coarser level that is known there. Returns nil
    /// for points that are not on land.
    ///
    /// - Parameter level: nil for the house or street at the point, if there is one.
    func place(at point: Coordinate, level: Place.Level?, language: Language) async throws -> GeocodedPlace? {
        try await slowReads.run(RequestMeter.current) {
            guard let place = try places(at: point, atMost: 1, language).first else { return nil }
            if level == nil {
                let found = try search.withAddress(place, at: point)
                if found.address != nil { return describe(found) }
            }
            let least = level ?? .locality
            let levels = Place.Level.allCases.lazy.filter { $0 >= least }
            return levels.compactMap { gazetteer.area($0, of: place) }.first.map(describe)
        }
    }

    /// Returns the places that a point may belong to, the most likely one first.
    ///
    /// - Parameters:
    ///   - radius: the maximum distance in metres between the point and the centre of the place.
    ///   - levels: the levels to return; a place of another level is replaced by the area of one of these levels that
    ///     contains it. Nil returns places of all levels.
    func places(
        near point: Coordinate,
        within radius: Double,
        of levels: Set<Place.Level>?,
        atMost limit: Int,
        language: Language
    ) throws -> [GeocodedPlace] {
        var seen: Set<Place> = []
        return try places(at: point, atMost: limit, language).filter { ($0.distance ?? 0) <= radius }
            .compactMap { place in
                guard let levels else { return place }
                return levels.sorted().lazy.compactMap { gazetteer.area($0, of: place) }.first
            }
            .filter { seen.insert($0).inserted }.map(describe)
    }

    func places(
        called text: String,
        within filter: SearchFilter,
        hasAddresses: Bool,
        near: Coordinate?,
        language: Language,
        limit: Int
    ) async throws -> [GeocodedPlace] {
        try await slowReads.run(RequestMeter.current) {
            try search.places(
                called: text,
                within: filter,
                hasAddresses: hasAddresses,
                near: near,
                language: language,
                limit: limit
            ).map(describe)
        }
    }

    private func places(at point: Coordinate, atMost limit: Int, _ language: Language) throws -> [Place] {
        let answer = try gazetteer.reverse(point, language: language, alternatives: limit - 1)
        guard answer.isOnLand, answer.place.countryCode != nil else { return [] }
        var place = answer.place
        // Far from any settlement the gazetteer returns the nearest one, to which the point does not belong.
        if place.comune == nil {
            place.locality = nil
            place.distance = nil
        }
        return [place] + answer.alternatives
    }

    private func describe(_ place: Place) -> GeocodedPlace {
        GeocodedPlace(
            place,
            comune: place.level == .locality ? gazetteer.area(.comune, of: place) : nil,
            extent: place.address == nil ? gazetteer.extent(of: place) : nil
        )
    }
}

/// Reads the query of a request as geocoders do: unknown parameters are ignored, the first of repeated parameters
/// counts, and empty parameters are treated as missing.
struct GeocoderQuery {
    private let values: [String: [String]]

    init(_ request: Request) {
        values = Dictionary(grouping: request.queryFields, by: \.name).mapValues { fields in
            fields.map { String($0.value.trimmed) }.filter { !$0.isEmpty }
        }
    }

    subscript(name: String) -> String? { all(name).first }

    /// Returns all values of a repeated parameter.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Returns the values of a parameter that may be repeated and may contain comma-separated lists.
    func list(_ name: String) -> [String] {
        all(name).flatMap { $0.split(separator: ",") }.map { String($0.trimmed) }.filter { !$0.isEmpty }
    }

    func isSet(_ name: String, default usual: Bool = false) -> Bool {
        self[name].map { !["0", "false"].contains($0.lowercased()) } ?? usual
    }

    func number(_ name: String) throws(ServiceError) -> Double? {
        guard let text = self[name] else { return nil }
        guard let number = text.decimalNumber else { throw .invalid(name, "expected a number") }
        return number
    }

    /// Returns the number, clamped to `range`.
    func number(_ name: String, default usual: Int, within range: ClosedRange<Int>) throws(ServiceError) -> Int {
        guard let number = try number(name) else { return usual }
        return Int(min(max(number, Double(range.lowerBound)), Double(range.upperBound)))
    }

    /// Returns the point at `lat` and `lon`, or nil if neither parameter is present.
    func point() throws(ServiceError) -> Coordinate? {
        let (lat, lon) = (try number("lat"), try number("lon"))
        if lat == nil, lon == nil { return nil }
        guard let lat, let lon else { throw .invalid(lat == nil ? "lat" : "lon", "lat and lon go together") }
        guard let point = Coordinate(lon: lon, lat: lat) else {
            throw .invalid("lat and lon", "expected degrees between -90 and 90, and between -180 and 180")
        }
        return point
    }

    func requiredPoint() throws(ServiceError) -> Coordinate {
        guard let point = try point() else { throw .invalid("lat and lon", "expected degrees") }
        return point
    }

    func choice<Choice>(_ name: String, _ type: Choice.Type) throws(ServiceError) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let text = self[name] else { return nil }
        guard let choice = Choice(rawValue: text) else { throw Self.unknown(name, Choice.allCases.map(\.rawValue)) }
        return choice
    }

    static func unknown(_ name: String, _ choices: [String]) -> ServiceError {
        .invalid(name, "expected one of \(choices.joined(separator: ", "))")
    }

    /// Returns the country codes in the list. Values that cannot be country codes are ignored.
    func countries(_ name: String) -> Set<String> {
        Set(list(name).map { $0.uppercased() }.filter { $0.utf8.count == 2 })
    }

    func language(_ name: String, _ request: Request) -> Language {
        self[name].flatMap(Language.init(preferredIn:)) ?? request.preferredLanguage
    }
}

/// Writes errors in the format of the emulated geocoder.
struct GeocoderErrors: RouterMiddleware {
    /// The parameter of queries with the language.
    let languageParameter: String
    /// Writes the message of an error.
    let write: @Sendable (inout JSONWriter, String) -> Void

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServiceError where error.code == .invalid {
            let language = GeocoderQuery(request).language(languageParameter, request)
            var json = JSONWriter()
            json.object { write(&$0, error.message.text(in: language)) }
            var response = Response(json, status: .badRequest)
            response.headers[.contentLanguage] = language.code
            response.vary(by: "Accept-Language")
            return response
        }
    }
}
