extension PlaceFinder {
    /// Throws `invalid` for a point where no animal can be: on the open sea, at 0, 0 or at a pole. Throws it also for a
    /// point outside of the site's area if exchanging longitude and latitude gives one on land inside, unless a person has
    /// confirmed the point.
    ///
    /// The candidates of the error are the exchanged point, if that is in the site's area, and the point itself, if it can be
    /// confirmed.
    package func expectPlausible(_ point: Coordinate, isConfirmed: Bool, language: Language) throws {
        try point.expectPossible()
        guard try !isOpenSea(at: point) else {
            let exchanged = try exchanged(point, language)
            let problem: ErrorMessage = "the point lies in the sea, more than 20 km from land"
            throw ServiceError(
                .invalid,
                exchanged.map { "lon: \(problem); \(Self.question($0))" } ?? "lon: \(problem)",
                field: "lon",
                // The exchanged point of a person who was mistaken on the map lies anywhere on the Earth.
                candidates: region == nil ? [] : exchanged.map { [$0] } ?? []
            )
        }
        guard !isConfirmed, let region, !region.contains(point), let exchanged = try exchanged(point, language) else {
            return
        }
        throw ServiceError(
            .invalid,
            """
            lon: the point lies outside of the site's area; \(Self.question(exchanged)): expected longitude and latitude \
            in their fields, or \(PointConfirmation.fieldName) if the point is right
            """,
            field: "lon",
            candidates: [exchanged, try place(at: point, language: language).moved(to: point)]
        )
    }

    /// Returns the place of the point with its longitude and latitude exchanged if it is on land and in the site's area. Of
    /// a site without one, it must be in or near a town.
    private func exchanged(_ point: Coordinate, _ language: Language) throws -> Place? {
        guard let other = Coordinate(lon: point.lat, lat: point.lon), try !isOpenSea(at: other) else { return nil }
        let place = try place(at: other, language: language)
        guard region?.contains(other) ?? (place?.comune != nil) else { return nil }
        return place.moved(to: other)
    }

    private static func question(_ exchanged: Place) -> ErrorMessage {
        let point = "lon \(exchanged.coordinate.lon), lat \(exchanged.coordinate.lat)"
        return exchanged.fullName.isEmpty
            ? "longitude and latitude may be exchanged: did you mean \(point)?"
            : "longitude and latitude may be exchanged: did you mean \(point) in \(exchanged.fullName)?"
    }
}

extension Place? {
    /// The same place at another point; a place without names if there is none.
    fileprivate func moved(to point: Coordinate) -> Place {
        var place = self ?? Place(coordinate: point)
        place.coordinate = point
        return place
    }
}

/// The statement of a client that a point is right although it seems wrong.
package enum PointConfirmation {
    /// A field beside `lon` and `lat`, which is not stored.
    package static let fieldName = "point_confirmed"
}

extension [String: JSONValue] {
    /// Removes the confirmation of a point from the fields, and returns it.
    package mutating func takePointConfirmation() throws(ServiceError) -> Bool {
        switch removeValue(forKey: PointConfirmation.fieldName) {
        // Forms have texts only.
        case nil, .null, .bool(false), "false": false
        case .bool(true), "true": true
        default: throw .invalid(PointConfirmation.fieldName, "expected true or false")
        }
    }
}
