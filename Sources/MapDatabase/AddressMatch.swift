package import Domain

/// A street, a house or a landmark of an extract.
package struct AddressMatch: Sendable {
    package var address: StreetAddress
    package let town: String?
    package var position: Coordinate
    /// The number of words of its name that a text does not have, with the words of the text that no place has.
    package var missingWords = 0
    /// The number of words of a text that no place has.
    package var unknownWords = 0
    /// In metres from the point near which it was looked for.
    package var distance = 0.0

    /// The order in which matches are told, the best first.
    package var order: (Int, Int, Double) {
        let number =
            switch address.precision {
            case .house: 0
            case .nearestHouse: 1
            case .street, .landmark: 2
            }
        return (missingWords, number, distance)
    }

    mutating func set(
        house: String,
        postalCode: String?,
        at position: Coordinate,
        _ precision: StreetAddress.Precision
    ) {
        (address.houseNumber, address.precision) = (house, precision)
        address.postalCode = postalCode ?? address.postalCode
        self.position = position
    }
}
