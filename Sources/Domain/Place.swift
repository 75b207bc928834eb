/// A named place with the administrative areas it lies in, as far as they are known.
public struct Place: Hashable, Sendable {
    /// The settlement, hamlet or quarter, where it is not the seat of the comune itself.
    public var locality: String?
    /// The municipality; outside Italy the town.
    public var comune: String?
    /// The cadastral code of an Italian comune, like `H703`.
    public var comuneCode: String?
    /// Outside Italy the second administrative level, where it is known.
    public var province: String?
    /// The sign of an Italian province, like `SA`.
    public var provinceCode: String?
    /// The first administrative level.
    public var region: String?
    public var country: String?
    /// ISO 3166-1 alpha-2, upper case.
    public var countryCode: String?
    public var postalCode: String?
    public var population: Int?
    /// Where the place itself is, not the point asked about.
    public var coordinate: Coordinate
    /// Metres on the ellipsoid between the point asked about and the place.
    public var distance: Double?
    /// How likely the comune is the right one, 0...1.
    public var confidence: Double?

    public init(coordinate: Coordinate) {
        self.coordinate = coordinate
    }
}

extension Place {
    /// What a place is, from fine to coarse.
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        case locality
        case comune
        case province
        case region
        case country

        public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
    }

    /// What it is, as far as its names tell.
    public var level: Level { Level.allCases.first { name(of: $0) != nil } ?? .country }

    /// The name it goes by.
    public var name: String? { name(of: level) }

    /// The name of what it is, or of what it lies in.
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

/// Finds places by position and by name.
public protocol PlaceFinder: Sendable {
    /// The place a point belongs to; nil where there is none, as on the open sea.
    func place(at coordinate: Coordinate, language: Language) throws -> Place?
    /// The best place of that name; "Fisciano", "Fisciano (SA)" and "Fisciano, Salerno" are understood.
    func place(named name: String, language: Language) throws -> Place?
}

extension PlaceFinder {
    /// Whether that is the name of the town that a point lies in, in any language: "Fisciano" or "Fisciano (SA)".
    func isTown(_ name: String, at point: Coordinate) throws -> Bool {
        let bare = name.replacing(#/\s*\([^()]*\)$/#, with: "").folded
        return try Language.allCases.contains { language in
            guard let place = try place(at: point, language: language) else { return false }
            return [place.comune, place.locality].contains { $0?.folded == bare }
        }
    }
}
