/// A place that can help: for example a vet, a pet shop or a shelter.
package struct PointOfInterest: Equatable, Sendable {
    package enum Category: String, CaseIterable, Sendable {
        case veterinary
        case petShop = "pet_shop"
        case animalShelter = "animal_shelter"
        case animalBoarding = "animal_boarding"
        case grooming
        case dogPark = "dog_park"
    }

    package enum ElementType: String, CaseIterable, Sendable {
        case node
        case way
        case relation
    }

    /// The OpenStreetMap element from which the point of interest was read.
    package struct Element: Hashable, Sendable {
        package let type: ElementType
        package let id: Int64

        package init(type: ElementType, id: Int64) {
            self.type = type
            self.id = id
        }
    }

    package var category: Category
    package var coordinate: Coordinate
    /// Nil if the point of interest was not read from OpenStreetMap.
    package var element: Element?
    package var name: String?
    package var street: String?
    package var houseNumber: String?
    package var postalCode: String?
    package var city: String?
    package var phone: String?
    package var website: String?
    /// In OpenStreetMap's `opening_hours` syntax.
    package var openingHours: String?

    package init(category: Category, coordinate: Coordinate) {
        self.category = category
        self.coordinate = coordinate
    }
}
