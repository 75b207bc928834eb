package import Domain

/// Restricts a search by name.
package struct SearchFilter: Sendable {
    /// ISO 3166-1 alpha-2 codes in upper case; empty for all countries.
    package var countries: Set<String>
    /// The box that contains the places, or nil for no restriction.
    package var box: BoundingBox?
    /// The allowed levels, or nil for all.
    package var levels: Set<Place.Level>?
    /// Whether only the first piece of the text can name the place and the rest names areas, so that a town in Italy
    /// that is not found is not replaced by Italy.
    package var isFirstPiece: Bool

    package init(
        countries: Set<String> = [],
        box: BoundingBox? = nil,
        levels: Set<Place.Level>? = nil,
        isFirstPiece: Bool = false
    ) {
        self.countries = countries
        self.box = box
        self.levels = levels
        self.isFirstPiece = isFirstPiece
    }

    var isLimiting: Bool { !countries.isEmpty || box != nil || levels != nil }

    func allows(_ place: Place) -> Bool {
        levels?.contains(place.level) != false && (countries.isEmpty || countries.contains(place.countryCode ?? ""))
            && box?.contains(place.coordinate) != false
    }

    /// Returns whether the filter accepts a record, without converting it to a `Place`.
    func allows(_ place: Int, of table: PlaceTable) -> Bool {
        if let levels, !levels.contains(table.kind(place).level) { return false }
        if !countries.isEmpty, !countries.contains(table.countryCode(table.country(place))) { return false }
        return box == nil || table.vector(place).coordinate.map { box?.contains($0) != false } == true
    }
}

extension PlaceTable.Kind {
    /// The level of the kind's records as places.
    var level: Place.Level {
        switch self {
        case .town, .comune: .comune
        case .locality: .locality
        case .province: .province
        case .region, .admin: .region
        case .country: .country
        }
    }
}
