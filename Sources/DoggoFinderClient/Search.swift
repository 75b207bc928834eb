public import Foundation

/// A search for listings. Every condition narrows the results.
public struct Search: Sendable {
    /// Where is searched.
    public enum Area: Sendable {
        /// Everywhere, the nearest first.
        case near(Coordinate)
        /// In a circle with a radius in metres, the nearest first.
        case circle(Coordinate, radius: Double)
        /// In a box in degrees; one whose west is beyond its east crosses the antimeridian.
        case box(west: Double, south: Double, east: Double, north: Double)
    }

    public struct Order: Word {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Needs the point of an area.
        public static let nearest = Self(rawValue: "distance")
        public static let newest = Self(rawValue: "-created_at")
        public static let oldest = Self(rawValue: "created_at")

        public static let allCases: [Self] = [.nearest, .newest, .oldest]
    }

    /// The service's default is what is open: lost, found and sighted animals.
    public var statuses: [Status] = []
    public var species: Species?
    /// A key or name of the list of breeds; finds crosses, too.
    public var breed: String?
    /// False leaves crosses out.
    public var hasCrosses: Bool?
    /// A town, province, region or country.
    public var place: String?
    /// A text as people type it, such as `cane nero eboli`. The service reads breeds, colours and places in it.
    public var text: String?
    /// False takes all words of the text as plain words.
    public var isTextRead: Bool?
    public var area: Area?
    /// Seen last at this moment or later.
    public var since: Date?
    /// Seen last before this moment.
    public var until: Date?

    /// Every open listing.
    public init() {}

    public init(_ statuses: Status..., text: String? = nil, in area: Area? = nil) {
        self.statuses = statuses
        self.text = text
        self.area = area
    }

    /// The parameters of a request.
    var parameters: [URLQueryItem] {
        var items: [URLQueryItem] = []
        items.add("status", list: statuses)
        items.add("species", species)
        items.add("breed", breed)
        items.add("crosses", hasCrosses.map(Self.answer))
        items.add("place", place)
        items.add("q", text)
        items.add("reading", isTextRead.map(Self.answer))
        items.add("since", since?.formatted(.wire))
        items.add("until", until?.formatted(.wire))
        return items + (area?.parameters ?? [])
    }

    static func answer(_ value: Bool) -> String { value ? "yes" : "no" }
}

extension Search.Area {
    var parameters: [URLQueryItem] {
        switch self {
        case .near(let point): return point.parameters
        case .circle(let centre, let radius):
            return centre.parameters + [URLQueryItem(name: "radius", value: "\(radius)")]
        case .box(let west, let south, let east, let north):
            var items: [URLQueryItem] = []
            items.add("bbox", list: [west, south, east, north])
            return items
        }
    }
}

extension Coordinate {
    var parameters: [URLQueryItem] {
        [URLQueryItem(name: "lon", value: "\(lon)"), URLQueryItem(name: "lat", value: "\(lat)")]
    }
}
