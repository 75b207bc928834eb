/// How texts name the animal of a listing: by its name or, without one, by its species and breed.
package struct AnimalName: Equatable, Sendable {
    package var name: String?
    package let species: Species
    /// The breed that the owner wrote; nil if the owner wrote none, even if a photo shows one.
    package let breed: String?
    /// The key of the breed in the breed list.
    package let breedKey: String?

    package init(_ name: String?, _ species: Species = .dog, breed: String? = nil, breedKey: String? = nil) {
        (self.name, self.species, self.breed, self.breedKey) = (name, species, breed, breedKey)
    }

    package init(_ content: ListingContent) {
        let isPredicted = content.breedIsPredicted
        self.init(
            content.name,
            content.species,
            breed: isPredicted ? nil : content.breed,
            breedKey: isPredicted ? nil : content.breedKey
        )
    }
}
