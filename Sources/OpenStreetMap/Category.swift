import Domain

extension PointOfInterest.Category {
    static let keys: Set = ["amenity", "shop", "leisure"]

    // The first matching rule determines the category: a vet that also sells food is a vet.
    private static let rules: [(key: String, values: Set<String>, category: Self)] = [
        ("amenity", ["veterinary"], .veterinary),
        ("shop", ["pet"], .petShop),
        ("amenity", ["animal_shelter"], .animalShelter),
        ("amenity", ["animal_boarding"], .animalBoarding),
        ("shop", ["pet_grooming", "dog_grooming", "pet_groomer", "dog_groomer"], .grooming),
        ("leisure", ["dog_park"], .dogPark),
    ]

    /// Returns nil if the tags match no category or mark the place as disused or abandoned.
    init?(_ tags: Tags) {
        guard tags["disused"] != "yes", tags["abandoned"] != "yes" else { return nil }
        let rule = Self.rules.first { key, values, _ in
            tags[key]?.split(separator: ";").contains { values.contains($0.trimmed) } ?? false
        }
        guard let rule else { return nil }
        self = rule.category
    }
}
