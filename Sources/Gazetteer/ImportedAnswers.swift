import Domain
import Foundation

/// How an answer of the tables and what was imported become one.
extension Gazetteer {
    /// Metres beyond which a settlement says nothing about a point, and beyond which a postal code is of another place.
    private static let settlementReach = 60_000.0
    private static let postalReach = 20_000.0
    private static let settlementCandidates = 8

    /// The answer for a point that imported areas hold, the finest first: exactly theirs, with what the tables add to it.
    ///
    /// - Parameter guesses: what the tables think, the likeliest first.
    func exact(_ areas: [ImportedPlace], _ coordinate: Coordinate, guesses: [Place], _ language: Language) -> Place {
        let finest = areas[0]
        var place = guesses.first { finest.agrees(with: $0) } ?? Place(coordinate: finest.place.coordinate)
        let isKnown = place.country != nil
        for area in areas.reversed() { place.overlay(area.place) }
        if !isKnown {
            place.distance = Geodesic.metres(from: coordinate, to: place.coordinate)
            place.country = guesses.first.flatMap { $0.countryCode == place.countryCode ? $0.country : nil }
        }
        if let code = place.countryCode, let country = places.country(code: code) {
            places.describeCountry(country, language, of: &place)
        } else if place.countryCode == nil {
            (place.country, place.countryCode) = (guesses.first?.country, guesses.first?.countryCode)
        }
        if finest.level <= .comune { place.confidence = 1 } else if !isKnown { place.confidence = 0 }
        return place
    }

    /// Puts an imported settlement in the place of the one of the tables where it is likelier, and adds a postal code.
    func refine(_ place: inout Place, at coordinate: Coordinate, from source: any PlaceSource) throws {
        if place.countryCode == "IT" {
            try refineLocality(&place, at: coordinate, from: source)
        } else if place.confidence != 1 {
            try refineTown(&place, at: coordinate, from: source)
        }
        guard place.postalCode == nil, place.comune != nil else { return }
        place.postalCode = try postalCode(of: place, at: coordinate, from: source)
    }

    /// In Italy the comune stands; a settlement of it that is nearer than those of the tables is the locality.
    private func refineLocality(_ place: inout Place, at coordinate: Coordinate, from source: any PlaceSource) throws {
        guard let comune = place.comune, let distance = place.distance else { return }
        let near = try source.settlements(near: coordinate, within: distance, atMost: Self.settlementCandidates)
        for settlement in near where [nil, "IT"].contains(settlement.place.countryCode) {
            let point = settlement.place.coordinate
            let areas = try source.areas(at: point)
            let its = areas.first { $0.level == .comune }?.place.comune ?? tables(point, .italian, 0).place.comune
            guard its == comune else { continue }
            place.locality = settlement.name.folded == comune.folded ? nil : settlement.name
            place.coordinate = point
            place.distance = settlement.place.distance
            place.population = settlement.place.population
            return
        }
    }

    /// Abroad the town of the least weighted distance answers, as among the bundled ones.
    private func refineTown(_ place: inout Place, at coordinate: Coordinate, from source: any PlaceSource) throws {
        let near = try source.settlements(
            near: coordinate,
            within: Self.settlementReach,
            atMost: Self.settlementCandidates
        )
        .filter { $0.place.countryCode == nil || place.countryCode == nil || $0.place.countryCode == place.countryCode }
        let scored = near.map { (place: $0, score: Self.score($0.place)) }.sorted { $0.score < $1.score }
        let bundled = place.comune == nil ? .infinity : Self.score(place)
        guard let best = scored.first, best.score < bundled else { return }
        let second = min(bundled, scored.dropFirst().first?.score ?? .infinity)
        place.comune = best.place.name
        place.locality = nil
        place.coordinate = best.place.place.coordinate
        place.distance = best.place.place.distance
        place.population = best.place.place.population
        place.confidence = confidence.probability(margin: second - best.score)
        if place.countryCode == nil, let country = best.place.place.countryCode.flatMap(places.country(code:)) {
            places.describeCountry(country, .english, of: &place)
        }
    }

    private static func score(_ place: Place) -> Double {
        townScore(metres: place.distance ?? .infinity, population: place.population ?? 0)
    }

    /// Of a list's entries of that name nearby: where they differ, the nearest.
    private func postalCode(of place: Place, at coordinate: Coordinate, from source: any PlaceSource) throws -> String?
    {
        for name in [place.locality, place.comune].compactMap({ $0?.folded }) {
            let near = try source.places(called: name, atMost: 100)
                .filter { $0.level == .postalCode && $0.place.countryCode == place.countryCode }
                .map { (code: $0.place.postalCode, metres: Geodesic.metres(from: coordinate, to: $0.place.coordinate)) }
                .filter { $0.metres < Self.postalReach }
            guard let nearest = near.min(by: { $0.metres < $1.metres }) else { continue }
            // A city has one point for all its codes: then none of them is sure.
            let isSure = near.allSatisfy { $0.code == nearest.code || $0.metres > nearest.metres }
            if isSure { return nearest.code }
        }
        return nil
    }
}

extension ImportedPlace {
    /// Whether a place of the tables may lie in this area, by what both tell.
    func agrees(with other: Place) -> Bool {
        if let code = place.countryCode, let its = other.countryCode, code != its { return false }
        switch level {
        case .country: return place.countryCode == other.countryCode
        case .region: return Self.same(place.region, other.region)
        case .province: return isSameProvince(other)
        case .comune, .locality:
            if let code = place.comuneCode, let its = other.comuneCode { return code == its }
            guard place.comune != nil else { return isSameProvince(other) }
            return Self.same(place.comune, other.comune)
                && (place.provinceCode == nil || other.provinceCode == nil || isSameProvince(other))
        case .settlement, .postalCode: return true
        }
    }

    private func isSameProvince(_ other: Place) -> Bool {
        if let code = place.provinceCode, let its = other.provinceCode { return code == its }
        return Self.same(place.province, other.province)
    }

    private static func same(_ first: String?, _ second: String?) -> Bool {
        first != nil && first?.folded == second?.folded
    }
}

extension Place {
    /// Takes the names and codes that an area tells.
    fileprivate mutating func overlay(_ area: Place) {
        locality = area.locality ?? locality
        comune = area.comune ?? comune
        comuneCode = area.comuneCode ?? comuneCode
        province = area.province ?? province
        provinceCode = area.provinceCode ?? provinceCode
        region = area.region ?? region
        countryCode = area.countryCode ?? countryCode
        postalCode = area.postalCode ?? postalCode
    }
}
