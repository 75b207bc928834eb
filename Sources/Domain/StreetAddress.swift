/// A street, a house or a landmark in a town.
public struct StreetAddress: Hashable, Sendable {
    /// How exactly the position is that of what was asked for.
    public enum Precision: String, CaseIterable, Sendable {
        case house
        /// The house of the street whose number is nearest to the one that was asked for, which is not known.
        case nearestHouse = "nearest_house"
        /// The middle of the street.
        case street
        case landmark
    }

    /// The tag of OpenStreetMap that says what it is, such as `highway` and `residential`.
    public let tagKey: String
    public let tagValue: String
    /// The name of the street or landmark.
    public let name: String
    /// The number of the house at the position.
    public var houseNumber: String?
    public var postalCode: String?
    public var precision: Precision

    public init(
        tagKey: String,
        tagValue: String,
        name: String,
        houseNumber: String? = nil,
        postalCode: String? = nil,
        precision: Precision
    ) {
        (self.tagKey, self.tagValue, self.name) = (tagKey, tagValue, name)
        (self.houseNumber, self.postalCode, self.precision) = (houseNumber, postalCode, precision)
    }

    /// For example "Via Roma 12".
    public var text: String { [name, houseNumber].compactMap(\.self).joined(separator: " ") }
}

/// Finds streets, houses and landmarks.
public protocol AddressFinder: Sendable {
    /// Whether there is no address.
    var isEmpty: Bool { get }
    /// Returns the position of a street, house or landmark in a town. Returns nil if it is not known, or if there are several.
    func position(of whereabouts: String, in town: Place) throws -> Coordinate?
}
