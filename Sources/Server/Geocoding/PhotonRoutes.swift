import Domain
import Formats
import Gazetteer
import HTTP
import Hummingbird

/// The subset of the Photon API that its clients need.
struct PhotonRoutes {
    let geocoder: Geocoder

    static let limits = 1...50
    /// The maximum radius in kilometres.
    static let maxRadius = 5_000.0

    func add(to router: Router<ServiceContext>) {
        let errors = GeocoderErrors(languageParameter: "lang") { json, message in json.field("message", message) }
        let group = router.group("/photon").add(middleware: errors)
        group.get("api", use: search)
        group.get("reverse", use: reverse)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = GeocoderQuery(request)
        guard let text = query["q"] else { throw ServiceError.invalid("q", "expected a place's name") }
        let limit = try query.number("limit", default: 15, within: Self.limits)
        let tags = query.all("osm_tag").map(TagFilter.init)
        let (levels, hasAddresses) = try query.layers()
        let places = try await geocoder.places(
            called: text,
            within: SearchFilter(
                countries: query.countries("countrycode"),
                box: try query["bbox"].map(BoundingBox.init(parsing:)),
                levels: levels
            ),
            hasAddresses: hasAddresses,
            near: try query.point(),
            language: query.language("lang", request),
            limit: tags.isEmpty ? limit : Self.limits.upperBound
        )
        return response(tags.isEmpty ? places : places.filter { tags.allow($0) }, limit)
    }

    @Sendable private func reverse(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = GeocoderQuery(request)
        let radius = try query.number("radius")
        guard radius.map({ (0...Self.maxRadius).contains($0) }) != false else {
            throw ServiceError.invalid("radius", "expected kilometres, at most \(Int(Self.maxRadius))")
        }
        let limit = try query.number("limit", default: 1, within: Self.limits)
        let tags = query.all("osm_tag").map(TagFilter.init)
        let (levels, hasAddresses) = try query.layers()
        let (point, language) = (try query.requiredPoint(), query.language("lang", request))
        var places = try geocoder.places(
            near: point,
            within: radius.map { $0 * 1_000 } ?? .infinity,
            of: levels,
            atMost: limit,
            language: language
        )
        if hasAddresses, let address = try await geocoder.place(at: point, level: nil, language: language),
            address.place.address != nil
        {
            places.insert(address, at: 0)
        }
        return response(places.filter { tags.allow($0) }, limit)
    }

    private func response(_ places: [GeocodedPlace], _ limit: Int) -> Response {
        var json = JSONWriter(capacity: 1024 + places.count * 512)
        json.photon(Array(places.prefix(limit)))
        var response = Response(json)
        response.vary(by: "Accept-Language")
        return response
    }
}

/// The layers of Photon.
enum PhotonLayer: String, CaseIterable {
    case house
    case street
    case locality
    case district
    case city
    case county
    case state
    case country
    case other

    var level: Place.Level? {
        switch self {
        case .house, .street, .locality, .other: nil
        case .district: .locality
        case .city: .comune
        case .county: .province
        case .state: .region
        case .country: .country
        }
    }
}

extension GeocoderQuery {
    /// Returns the levels to search for, or nil for all of them, and whether streets, houses and landmarks are wanted.
    fileprivate func layers() throws(ServiceError) -> (levels: Set<Place.Level>?, hasAddresses: Bool) {
        let names = list("layer")
        guard !names.isEmpty else { return (nil, true) }
        var levels: Set<Place.Level> = []
        var hasAddresses = false
        for name in names {
            guard let layer = PhotonLayer(rawValue: name) else {
                throw Self.unknown("layer", PhotonLayer.allCases.map(\.rawValue))
            }
            if let level = layer.level { levels.insert(level) }
            if [.house, .street, .other].contains(layer) { hasAddresses = true }
        }
        return (levels, hasAddresses)
    }
}

/// An OpenStreetMap tag that results must have, or must not have. The syntax is `key`, `:value` or `key:value`. `!`
/// before the key or the value excludes the results that match; `key:!value` returns those that have the key with
/// another value.
private struct TagFilter {
    let key: Substring
    let value: Substring
    let isExclusion: Bool

    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let (first, second) = (parts[0], parts.count > 1 ? parts[1] : "")
        isExclusion = first.hasPrefix("!") || second.hasPrefix("!")
        key = first.hasPrefix("!") ? first.dropFirst() : first
        value = second.hasPrefix("!") ? second.dropFirst() : second
    }

    func names(_ place: GeocodedPlace) -> Bool {
        (key.isEmpty || key == place.tag.key) && (value.isEmpty || value == place.tag.value)
    }
}

extension [TagFilter] {
    /// Returns whether the place matches no exclusion, and at least one of the other filters if there are any.
    fileprivate func allow(_ place: GeocodedPlace) -> Bool {
        let wishes = filter { !$0.isExclusion }
        return !contains { $0.isExclusion && $0.names(place) }
            && (wishes.isEmpty || wishes.contains { $0.names(place) })
    }
}
