package import Domain

/// Which places a search by name is for.
package struct SearchFilter: Sendable {
    /// ISO 3166-1 alpha-2, upper case; empty for any.
    package var countries: Set<String>
    /// Nil for anywhere.
    package var box: BoundingBox?
    /// Nil for any.
    package var levels: Set<Place.Level>?
    /// Whether the first piece of the text names the place, and what follows only says where: a town of Italy is not Italy.
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

    /// The same of a record, without making a place of it.
    func allows(_ place: Int, of table: PlaceTable) -> Bool {
        if let levels, !levels.contains(table.kind(place).level) { return false }
        if !countries.isEmpty, !countries.contains(table.countryCode(table.country(place))) { return false }
        return box == nil || table.vector(place).coordinate.map { box?.contains($0) != false } == true
    }
}

extension PlaceTable.Kind {
    /// What its records are as places.
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
