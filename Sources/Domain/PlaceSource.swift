/// Places that were imported in addition to the bundled ones. All methods throw database errors.
public protocol PlaceSource: Sendable {
    /// Returns the imported areas that contain a point, including their borders, smallest first. If several areas have
    /// the same level, returns the one that was imported last.
    func areas(at point: Coordinate) throws -> [ImportedPlace]
    /// Returns settlements within `metres`, nearest first, with their distances.
    func settlements(near point: Coordinate, within metres: Double, atMost limit: Int) throws -> [ImportedPlace]
    /// Returns the places with exactly this name (its joined `nameWords`): of each import the most populous ones, up to
    /// the limit.
    func places(called name: String, atMost limit: Int) throws -> [ImportedPlace]
    /// Returns entries of lists of postal codes with exactly this name, in a country, within about `metres` of a point.
    func postalCodes(
        called name: String,
        country: String?,
        near point: Coordinate,
        within metres: Double
    ) throws -> [ImportedPlace]
    /// Returns the places whose names contain, for each word, one of its given spellings (folded). The last word may be
    /// incomplete. Of each import, returns the most populous ones, up to the limit.
    func places(bearing words: [[String]], isUnfinished: Bool, atMost limit: Int) throws -> [ImportedPlace]
    /// Returns the places whose postal code has this prefix, ignoring spaces, hyphens and case; shortest codes first.
    func places(withPostalCode code: String, atMost limit: Int) throws -> [ImportedPlace]
    /// Passes all words of names with this prefix and a number of letters in the range to `visit`, as UTF-8, in order.
    func words(
        beginning start: String,
        lengths: ClosedRange<Int>,
        _ visit: (UnsafeRawBufferPointer) -> Void
    ) throws
}

/// A place from an imported file, with only the data of the file.
public struct ImportedPlace: Hashable, Sendable {
    /// The level of a place, from the smallest to the largest.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        /// A point from a list of settlements; the bundled tables supply its areas.
        case settlement
        /// A point from a list of postal codes; the bundled tables supply its areas.
        case postalCode = "postal_code"
        case locality
        case comune
        case province
        case region
        case country

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }
    }

    public var level: Level
    /// In the language of the file.
    public let name: String
    /// The words of the name as searches compare them, joined by spaces.
    public let key: String
    /// Further names, for searches.
    public var otherNames: [String] = []
    /// The names and codes of the place and of the areas that contain it; `coordinate` is a point inside. For an area in
    /// a comune, `confidence` is the probability that the point asked for is inside, as far as its outline tells.
    public var place: Place

    /// - Parameter key: the joined `nameWords` of the name, if they are known already.
    public init(level: Level, name: String, key: String? = nil, place: Place) {
        self.level = level
        self.name = name
        self.key = key ?? name.nameWords.joined(separator: " ")
        self.place = place
    }
}
