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
        let errors = GeocoderErrors { json, error in json.field("message", error.message) }
        let group = router.group("/photon").add(middleware: errors)
        group.get("api", use: search)
        group.get("reverse", use: reverse)
    }

    @Sendable private func search(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = GeocoderQuery(request)
        guard let text = query["q"] else { throw ServiceError.invalid("q", "expected a place's name") }
        let limit = try query.number("limit", default: 15, within: Self.limits)
        let tags = query.all("osm_tag").map(TagFilter.init)
        let places = try geocoder.search(
            text,
            within: SearchFilter(
                countries: query.countries("countrycode"),
                box: try query["bbox"].map(BoundingBox.init(parsing:)),
                levels: try query.layers()
            ),
            near: try query.point(),
            language: query.language("lang", request),
            limit: tags.isEmpty ? limit : Self.limits.upperBound
        )
        return response(tags.isEmpty ? places : places.filter { tags.allow($0.kind) }, limit)
    }

    @Sendable private func reverse(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = GeocoderQuery(request)
        let radius = try query.number("radius")
        guard radius.map({ (0...Self.maxRadius).contains($0) }) != false else {
            throw ServiceError.invalid("radius", "expected kilometres, at most \(Int(Self.maxRadius))")
        }
        let limit = try query.number("limit", default: 1, within: Self.limits)
        let tags = query.all("osm_tag").map(TagFilter.init)
        let places = try geocoder.places(
            near: try query.requiredPoint(),
            within: radius.map { $0 * 1_000 } ?? .infinity,
            of: try query.layers(),
            atMost: limit,
            language: query.language("lang", request)
        )
        return response(places.filter { tags.allow($0.kind) }, limit)
    }

    private func response(_ places: [GeocodedPlace], _ limit: Int) -> Response {
        var json = JSONWriter(capacity: 1024 + places.count * 512)
        json.photon(Array(places.prefix(limit)))
        var response = Response(json)
        response.vary(by: "Accept-Language")
        return response
    }
}

/// The layers of Photon. The gazetteer contains no streets and houses.
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
    /// Returns the levels to search for, or nil for all of them.
    fileprivate func layers() throws(ServiceError) -> Set<Place.Level>? {
        let names = list("layer")
        guard !names.isEmpty else { return nil }
        var levels: Set<Place.Level> = []
        for name in names {
            guard let layer = PhotonLayer(rawValue: name) else {
                throw Self.unknown("layer", PhotonLayer.allCases.map(\.rawValue))
            }
            if let level = layer.level { levels.insert(level) }
        }
        return levels
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

    func names(_ kind: GeocodedPlace.Kind) -> Bool {
        (key.isEmpty || key == "place") && (value.isEmpty || value == kind.rawValue)
    }
}

extension [TagFilter] {
    /// Returns whether the kind matches no exclusion, and at least one of the other filters if there are any.
    fileprivate func allow(_ kind: GeocodedPlace.Kind) -> Bool {
        let wishes = filter { !$0.isExclusion }
        return !contains { $0.isExclusion && $0.names(kind) }
            && (wishes.isEmpty || wishes.contains { $0.names(kind) })
    }
}
