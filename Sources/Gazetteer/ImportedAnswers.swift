import Domain
import Foundation

/// Combines reverse geocoding answers from the tables with imported data.
extension Gazetteer {
    /// The maximum distances in metres at which a settlement, or a postal code, applies to a point.
    private static let settlementReach = 60_000.0
    private static let postalReach = 20_000.0
    private static let settlementCandidates = 8
    /// An upper bound of the population term in a town's score, slightly above that of the most populous town.
    private static let heaviest = 2.2

    /// Returns the answer for a point inside imported areas (sorted from the smallest level up), completed with fields
    /// from the tables.
    func exact(
        _ areas: [ImportedPlace],
        _ coordinate: Coordinate,
        _ alternatives: Int,
        _ language: Language
    ) -> ReverseAnswer {
        let finest = areas[0]
        var answer =
            tables(coordinate, language, alternatives, agreeing: finest)
            ?? unknown(finest, coordinate, language)
        for area in areas.reversed() { answer.place.overlay(area.place) }
        if let country = answer.place.countryCode.flatMap(places.country(code:)) {
            places.describeCountry(country, language, of: &answer.place)
        }
        guard finest.place.comune != nil else { return answer }
        answer.place.confidence = finest.place.confidence ?? 1
        return ReverseAnswer(place: answer.place, alternatives: [], isOnLand: true)
    }

    /// Returns the answer for an imported area that the tables do not know by this name (they have Bavaria for Bayern).
    /// Finer and coarser levels are taken from the tables; for an unknown comune only the areas around it are.
    private func unknown(_ area: ImportedPlace, _ coordinate: Coordinate, _ language: Language) -> ReverseAnswer {
        var place = tables(coordinate, language, 0).place
        if area.contradicts(place) {
            (place.locality, place.comune, place.comuneCode, place.postalCode) = (nil, nil, nil, nil)
            (place.province, place.provinceCode, place.confidence) = (nil, nil, 0)
            if area.place.countryCode != place.countryCode { place.region = nil }
        }
        if area.place.comune != nil {
            (place.locality, place.comuneCode, place.postalCode, place.population) = (nil, nil, nil, nil)
            place.coordinate = area.place.coordinate
            place.distance = Geodesic.metres(from: coordinate, to: place.coordinate)
        }
        return ReverseAnswer(place: place, alternatives: [], isOnLand: true)
    }

    /// Replaces the settlement from the tables by an imported one that is more likely, and adds a postal code.
    func refine(
        _ place: inout Place,
        at coordinate: Coordinate,
        in areas: [ImportedPlace],
        from source: any PlaceSource,
        _ language: Language
    ) throws {
        if place.countryCode == "IT" {
            if !areas.contains(where: { $0.level == .locality }) {
                try refineLocality(&place, at: coordinate, from: source)
            }
        } else if areas.first.map({ $0.level > .comune }) ?? true {
            try refineTown(&place, at: coordinate, in: areas, from: source, language)
        }
        guard place.postalCode == nil, place.comune != nil else { return }
        place.postalCode = try postalCode(of: place, at: coordinate, from: source)
    }

    /// In Italy the comune is kept. An imported settlement in it that is nearer than those of the tables becomes the
    /// locality.
    private func refineLocality(_ place: inout Place, at coordinate: Coordinate, from source: any PlaceSource) throws {
        guard let comune = place.comune, let distance = place.distance else { return }
        let near = try source.settlements(near: coordinate, within: distance, atMost: Self.settlementCandidates)
        for settlement in near where [nil, "IT"].contains(settlement.place.countryCode) {
            let point = settlement.place.coordinate
            let around = tables(point, .italian, 0).place
            let its = try source.areas(at: point).first { $0.level == .comune }?.place.comune ?? around.comune
            guard its == comune else { continue }
            place.locality = settlement.name.folded == comune.folded ? nil : settlement.name
            place.stand(at: settlement.place)
            place.postalCode = around.postalCode
            return
        }
    }

    /// Abroad, the town with the lowest score (weighted distance) is the answer, as among the bundled towns.
    private func refineTown(
        _ place: inout Place,
        at coordinate: Coordinate,
        in areas: [ImportedPlace],
        from source: any PlaceSource,
        _ language: Language
    ) throws {
        let bundled = place.comune == nil ? .infinity : Self.score(place)
        let reach = min(Self.settlementReach, 1_000 * exp(bundled + Self.heaviest))
        var scored: [(place: ImportedPlace, score: Double)] = []
        for near in try source.settlements(near: coordinate, within: reach, atMost: Self.settlementCandidates) {
            let code = near.place.countryCode
            guard code == nil || place.countryCode == nil || code == place.countryCode else { continue }
            // A town on the other side of an imported boundary cannot be the answer.
            if let finest = areas.first {
                guard try source.areas(at: near.place.coordinate).contains(finest) else { continue }
            }
            scored.append((near, Self.score(near.place)))
        }
        scored.sort { $0.score < $1.score }
        guard let best = scored.first, best.score < bundled else { return }
        let second = min(bundled, scored.dropFirst().first?.score ?? .infinity)
        var town = tables(best.place.place.coordinate, language, 0).place
        town.locality = nil
        town.comune = best.place.name
        town.comuneCode = nil
        town.postalCode = nil
        town.stand(at: best.place.place)
        town.confidence = confidence.probability(margin: second - best.score)
        for area in areas.reversed() { town.overlay(area.place) }
        if place.countryCode != nil { (town.country, town.countryCode) = (place.country, place.countryCode) }
        place = town
    }

    private static func score(_ place: Place) -> Double {
        townScore(metres: place.distance ?? .infinity, population: place.population ?? 0)
    }

    /// Returns the postal code of the nearest entry with the place's name in an imported list.
    private func postalCode(of place: Place, at coordinate: Coordinate, from source: any PlaceSource) throws -> String?
    {
        for name in [place.locality, place.comune].compactMap({ $0 }) {
            let near = try source.postalCodes(
                called: name.nameWords.joined(separator: " "),
                country: place.countryCode,
                near: coordinate,
                within: Self.postalReach
            )
            .map { (code: $0.place.postalCode, metres: Geodesic.metres(from: coordinate, to: $0.place.coordinate)) }
            guard let nearest = near.min(by: { $0.metres < $1.metres }) else { continue }
            // A city may have one point for all its codes. In this case the code is unknown.
            let isSure = near.allSatisfy { $0.code == nearest.code || $0.metres > nearest.metres }
            if isSure { return nearest.code }
        }
        return nil
    }
}

extension ImportedPlace {
    /// Returns whether a country or province code differs. Names are not compared, because they vary by language.
    fileprivate func contradicts(_ other: Place) -> Bool {
        if let code = place.countryCode, let its = other.countryCode, code != its { return true }
        guard let code = place.provinceCode, let its = other.provinceCode else { return false }
        return code != its
    }

    /// Returns whether a place of the tables may lie in this area, which is so if no field that both have contradicts
    /// it.
    func agrees(with other: Place) -> Bool {
        if let code = place.countryCode, let its = other.countryCode, code != its { return false }
        // Different codes may come from different lists (ISTAT's and the land registry's), so only equal codes are
        // conclusive.
        if let code = place.comuneCode, code == other.comuneCode { return true }
        if let comune = place.comune, comune.folded != other.comune?.folded { return false }
        if let code = place.provinceCode, let its = other.provinceCode {
            if code != its { return false }
        } else if let province = place.province, province.folded != other.province?.folded {
            return false
        }
        // Names of regions vary by language and are compared only if there is no finer level.
        return level != .region || place.region?.folded == other.region?.folded
    }
}

extension Place {
    /// Copies the position, the distance and the population of a settlement.
    fileprivate mutating func stand(at settlement: Place) {
        coordinate = settlement.coordinate
        distance = settlement.distance
        population = settlement.population
    }

    /// Copies the names and codes that an area has.
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
