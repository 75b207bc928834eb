package import Domain

/// The statements of a listing, before they are read for comparisons. The secret mark and contacts are not part of it.
package struct MatchDescription: Sendable {
    package var isLost: Bool
    package var species: Species
    package var coordinate: Coordinate
    /// The local calendar day when the animal was last seen, in days since 1970-01-01.
    package var day: Int
    package var breed: String?
    package var breedKey: String?
    /// The breeds that a model saw on the photos, with calibrated probabilities.
    package var photoBreeds: [(key: String, probability: Double)] = []
    /// The vectors of the photos, by the model of `PhotoPrototypes`.
    package var photoVectors: [[Int8]] = []
    package var colour: String?
    package var sex: Listing.Sex?
    package var size: Listing.Size?
    package var age: String?
    package var marks: String?
    package var collar: String?
    package var description: String?
    package var microchip: String?

    package init(isLost: Bool, species: Species, coordinate: Coordinate, day: Int) {
        (self.isLost, self.species, self.coordinate, self.day) = (isLost, species, coordinate, day)
    }
}
