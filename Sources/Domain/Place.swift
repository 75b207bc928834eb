/// A named place with the administrative areas that contain it, as far as they are known.
public struct Place: Hashable, Sendable {
    /// The settlement, hamlet or quarter; nil if the place is the seat of the comune itself.
    public var locality: String?
    /// The municipality; outside Italy, the town.
    public var comune: String?
    /// The cadastral code of an Italian comune, for example `H703`.
    public var comuneCode: String?
    /// Outside Italy the second administrative level, if it is known.
    public var province: String?
    /// The abbreviation of an Italian province, for example `SA`.
    public var provinceCode: String?
    /// The first administrative level.
    public var region: String?
    public var country: String?
    /// ISO 3166-1 alpha-2, upper case.
    public var countryCode: String?
    public var postalCode: String?
    /// The street, house or landmark, if the place is one.
    public var address: StreetAddress?
    public var population: Int?
    /// The position of the place itself, not of the requested point.
    public var coordinate: Coordinate
    /// The distance in metres on the ellipsoid between the requested point and the place.
    public var distance: Double?
    /// The probability that the comune is correct, 0...1.
    public var confidence: Double?

    public init(coordinate: Coordinate) {
        self.coordinate = coordinate
    }
}

extension Place {
    /// The level of a place, from the smallest to the largest.
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        case locality
        case comune
        case province
        case region
        case country

        public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
    }

    /// The smallest level for which the place has a name.
    public var level: Level { Level.allCases.first { name(of: $0) != nil } ?? .country }

    /// The name on the place's own level.
    public var name: String? { name(of: level) }

    /// Returns the name of the place or of the area on the given level that contains it.
    public func name(of level: Level) -> String? {
        switch level {
        case .locality: locality
        case .comune: comune
        case .province: province
        case .region: region
        case .country: country
        }
    }
}

extension Place {
    /// A name by which `PlaceFinder.town` finds this town: "Fisciano (SA)", "Penta, Fisciano (SA)" or "Paris, France".
    package var fullName: String {
        Self.fullName(locality, of: comune, provinceCode: provinceCode, region: region, country: country)
    }

    package static func fullName(
        _ locality: String?,
        of town: String?,
        provinceCode: String?,
        region: String?,
        country: String?
    ) -> String {
        let names = [locality, town].compactMap(\.self).joined(separator: ", ")
        if let provinceCode { return "\(names) (\(provinceCode))" }
        return [names, region, country].compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: ", ")
    }
}

/// The meaning of a text as the name of a town.
public enum TownMatch: Hashable, Sendable {
    case town(Place)
    /// Several towns have the name, or none has exactly this one. The candidates are the most likely ones, best first;
    /// there are none if no name is similar.
    case unclear(candidates: [Place])
}

/// Finds places by position and by name.
public protocol PlaceFinder: Sendable {
    /// Returns the place to which a point belongs; nil if there is none, for example on the open sea.
    func place(at coordinate: Coordinate, language: Language) throws -> Place?
    /// Returns the best place with this name; accepts "Fisciano", "Fisciano (SA)" and "Fisciano, Salerno".
    func place(named name: String, language: Language) throws -> Place?
    /// Returns a box around a country, region or province; nil if its borders are unknown.
    func extent(of place: Place) -> BoundingBox?
    /// Returns the town that a listing means by a name, without guessing.
    func town(named name: String, language: Language) throws -> TownMatch
    /// Returns the towns, provinces, regions and countries with exactly this name, without a guess; the likeliest first.
    func places(called name: String, language: Language) throws -> [Place]
    /// Returns the position of a street, house or landmark in a town. Returns nil if it is not known, or if there are several.
    func position(of whereabouts: String, in town: Place) throws -> Coordinate?
    /// Whether streets are known. Searching them takes milliseconds.
    var knowsStreets: Bool { get }
    /// Whether a point is in the sea, more than 20 km from land.
    func isOpenSea(at coordinate: Coordinate) throws -> Bool
    /// The area of the site; nil if it has none.
    var region: BoundingBox? { get }
}

extension PlaceFinder {
    public var region: BoundingBox? { nil }
    public var knowsStreets: Bool { false }

    public func position(of whereabouts: String, in town: Place) throws -> Coordinate? { nil }

    /// Returns whether the name, such as "Fisciano" or "Fisciano (SA)", is that of the town that contains a point, in
    /// any language.
    func isTown(_ name: String, at point: Coordinate) throws -> Bool {
        try Language.allCases.contains { language in try place(at: point, language: language)?.isNamed(name) == true }
    }
}

/// A finder that answers as another one does, apart from what it implements itself.
package protocol PlaceFinderWrapper: PlaceFinder {
    var finder: any PlaceFinder { get }
}

extension PlaceFinderWrapper {
    package func place(at coordinate: Coordinate, language: Language) throws -> Place? {
        try finder.place(at: coordinate, language: language)
    }

    package func place(named name: String, language: Language) throws -> Place? {
        try finder.place(named: name, language: language)
    }

    package func extent(of place: Place) -> BoundingBox? { finder.extent(of: place) }

    package func town(named name: String, language: Language) throws -> TownMatch {
        try finder.town(named: name, language: language)
    }

    package func places(called name: String, language: Language) throws -> [Place] {
        try finder.places(called: name, language: language)
    }

    package func position(of whereabouts: String, in town: Place) throws -> Coordinate? {
        try finder.position(of: whereabouts, in: town)
    }

    package var knowsStreets: Bool { finder.knowsStreets }

    package func isOpenSea(at coordinate: Coordinate) throws -> Bool { try finder.isOpenSea(at: coordinate) }

    package var region: BoundingBox? { finder.region }
}

extension Place {
    /// Returns whether a name, such as "Fisciano" or "Fisciano (SA)", is that of the place's comune or locality.
    func isNamed(_ name: String) -> Bool {
        let start = name.hasSuffix(")") ? name.lastIndex(of: "(") : nil
        let bare = name[..<(start ?? name.endIndex)].folded
        return [comune, locality].contains { $0?.folded == bare }
    }
}
