public import Domain

extension Gazetteer {
    /// Returns the area of a level that contains or equals a place, or nil if the place has no name at that level. The
    /// coordinate and the population are those of the area in the tables, if it has a record there.
    package func area(_ level: Place.Level, of place: Place) -> Place? {
        guard place.name(of: level) != nil else { return nil }
        guard place.level < level else { return place.level == level ? place : nil }
        var area = place
        area.locality = nil
        if level > .comune { (area.comune, area.comuneCode, area.postalCode) = (nil, nil, nil) }
        if level > .province { (area.province, area.provinceCode) = (nil, nil) }
        if level > .region { area.region = nil }
        let record = record(level, of: place)
        area.population = record.map(places.population).flatMap { $0 > 0 ? $0 : nil }
        area.coordinate = record.flatMap { places.vector($0).coordinate } ?? place.coordinate
        (area.distance, area.confidence) = (nil, nil)
        return area
    }

    /// Returns the bounding box of the outlines of a province of Italy, a region or a country, or nil if no outline
    /// shows it. The box of an area across the antimeridian reaches around the Earth.
    public func extent(of place: Place) -> BoundingBox? {
        guard place.level > .comune, let country = place.countryCode.flatMap(places.country(code:)),
            places.outlineCountry(country) == country
        else { return nil }
        let province = place.level == .province ? place.provinceCode.flatMap(area(ofProvince:)) : nil
        return outlines.box(around: { outline in
            guard outlines.country(outline) == country else { return false }
            switch place.level {
            case .country: return true
            case .region: return region(ofOutline: outline) == place.region
            default: return province.map { Int(outlines.area(outline)) == $0 } ?? false
            }
        })
    }

    /// Returns the bounding box of a country without land far away, such as Réunion of France and Alaska of the USA; nil if no outline shows
    /// it.
    ///
    /// - Parameter code: ISO 3166-1 alpha-2.
    public func mainland(of code: String) -> BoundingBox? {
        guard let country = places.country(code: code),
            let record = places.range(.country).first(where: { places.country($0) == country }),
            let centre = places.vector(record).coordinate
        else { return nil }
        return outlines.box(near: centre, gap: Self.maxGapDegrees) { outlines.country($0) == country }
    }

    /// Corsica is 1 degree from the rest of France, and the Canary Islands are 7 degrees from the rest of Spain.
    private static let maxGapDegrees = 3.0

    private func region(ofOutline outline: Int) -> String {
        let area = outlines.area(outline)
        return area == Outlines.none
            ? places.string(at: outlines.nameOffset(outline)) : places.region(ofArea: Int(area))
    }

    /// Returns the area's record in the tables, if there is one.
    private func record(_ level: Place.Level, of place: Place) -> Int? {
        switch level {
        case .locality: return nil
        case .comune: return place.comuneCode.flatMap(places.comune(code:))
        case .province:
            return place.provinceCode.flatMap { code in record(.province) { places.code(ofArea: $0) == code } }
        case .region:
            let country = place.countryCode.flatMap(places.country(code:))
            return record(place.countryCode == "IT" ? .region : .admin) { area in
                places.country(ofArea: area) == country && places.region(ofArea: area) == place.region
            }
        case .country:
            let country = place.countryCode.flatMap(places.country(code:))
            return record(.country) { places.country(ofArea: $0) == country }
        }
    }

    private func record(_ kind: PlaceTable.Kind, where isMeant: (_ area: Int) -> Bool) -> Int? {
        places.range(kind).first { isMeant(places.area($0)) }
    }

    private func area(ofProvince code: String) -> Int? {
        places.range(.province).lazy.map(places.area).first { places.code(ofArea: $0) == code }
    }
}
