/// Places that were imported beside the bundled ones. All of it throws where the database does.
public protocol PlaceSource: Sendable {
    /// The imported areas that hold a point, on their border too, one of each level, the latest import's: the finest first.
    func areas(at point: Coordinate) throws -> [ImportedPlace]
    /// Settlements by distance, which is filled in, up to so many metres.
    func settlements(near point: Coordinate, within metres: Double, atMost limit: Int) throws -> [ImportedPlace]
    /// The places of just this name (its `nameWords`, joined): of each import the most populous, at most so many.
    func places(called name: String, atMost limit: Int) throws -> [ImportedPlace]
    /// The entries of lists of postal codes of just this name, in a country, within so many metres of a point or little more.
    func postalCodes(
        called name: String,
        country: String?,
        near point: Coordinate,
        within metres: Double
    ) throws -> [ImportedPlace]
    /// The places in whose names, for each word, one of its spellings (folded) stands; the last may be unfinished. Of each
    /// import the most populous, at most so many.
    func places(bearing words: [[String]], isUnfinished: Bool, atMost limit: Int) throws -> [ImportedPlace]
    /// The places whose postal code begins so, blanks, hyphens and case aside; the shortest codes first.
    func places(withPostalCode code: String, atMost limit: Int) throws -> [ImportedPlace]
    /// All words of names that begin so and have so many letters, as UTF-8, in order.
    func words(
        beginning start: String,
        lengths: ClosedRange<Int>,
        _ visit: (UnsafeRawBufferPointer) -> Void
    ) throws
}

/// A place of an imported file: what the file tells of it, and nothing else.
public struct ImportedPlace: Hashable, Sendable {
    /// What it is, from fine to coarse.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        /// A point of a list of settlements, whose areas the bundled tables tell.
        case settlement
        /// The same of a list of postal codes.
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
    /// The names and codes of the areas it is part of, and of itself; `coordinate` is a point inside.
    public var place: Place

    /// - Parameter key: the name's `nameWords`, joined, where they are known already.
    public init(level: Level, name: String, key: String? = nil, place: Place) {
        self.level = level
        self.name = name
        self.key = key ?? name.nameWords.joined(separator: " ")
        self.place = place
    }
}
