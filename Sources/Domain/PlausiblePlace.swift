import Foundation

extension PlaceFinder {
    /// Throws `invalid` if a name is that of a town far from a point, with the town of the point as a candidate. Other names,
    /// such as that of a region or of a street, are not compared.
    ///
    /// - Parameter place: the place of the point, if it has one.
    func expectTown(_ name: String, near point: Coordinate, _ place: Place?, language: Language) throws {
        // Most names are those of the point's town, and need no search.
        guard place?.isNamed(name) != true, case .town(let town) = try town(named: name, language: language),
            point.roughMetres(to: town.coordinate) > PlausibleDistance.town(town), !town.isSameComune(as: place)
        else { return }
        if town.comuneCode != nil {
            let around = try point.around(metres: [3_000, 6_000, PlausibleDistance.comune]).contains { near in
                try town.isSameComune(as: self.place(at: near, language: language))
            }
            guard !around else { return }
        }
        let kilometres = Int((point.roughMetres(to: town.coordinate) / 1_000).rounded())
        let expectation: ErrorMessage = "expected the town of the point, or the other point"
        throw ServiceError(
            .invalid,
            place.map {
                "\(town.fullName) is \(kilometres) km from the point, which is in \($0.fullName): \(expectation)"
            } ?? "\(town.fullName) is \(kilometres) km from the point: \(expectation)",
            field: "place",
            candidates: place.map { [$0] } ?? []
        )
    }
}

/// In metres.
private enum PlausibleDistance {
    /// The greatest distance of a point from the comune that is named.
    static let comune = 10_000.0

    /// The distance from the centre of a town at which a point can be in the town. Of towns outside of Italy, neither the
    /// borders nor all other towns of the same name are known.
    static func town(_ town: Place) -> Double { town.comuneCode == nil ? 200_000 : comune }
}

extension Place {
    fileprivate func isSameComune(as other: Place?) -> Bool {
        guard let other else { return false }
        if let comuneCode { return comuneCode == other.comuneCode }
        return comune != nil && comune == other.comune && countryCode == other.countryCode
    }
}

extension Coordinate {
    /// The distance on a sphere.
    fileprivate func roughMetres(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let (height, width) = (sin((other.lat - lat) * radians / 2), sin((other.lon - lon) * radians / 2))
        let part = height * height + cos(lat * radians) * cos(other.lat * radians) * width * width
        return 12_742_000 * asin(min(1, part.squareRoot()))
    }

    /// Returns sixteen points on each circle around this one.
    fileprivate func around(metres radii: [Double]) -> [Coordinate] {
        radii.flatMap { radius in
            (0..<16).compactMap { step in
                let angle = Double(step) * .pi / 8
                let north = radius * cos(angle) / 111_195
                let east = radius * sin(angle) / (111_195 * max(0.01, cos(lat * .pi / 180)))
                return Coordinate(lon: lon + east, lat: lat + north)
            }
        }
    }
}
