import Domain
import Foundation

/// How an answer of the tables and what was imported become one.
extension Gazetteer {
    /// Metres beyond which a settlement says nothing about a point, and beyond which a postal code is of another place.
    private static let settlementReach = 60_000.0
    private static let postalReach = 20_000.0
    private static let settlementCandidates = 8
    /// What the most populous town there is weighs in a score, with some to spare.
    private static let heaviest = 2.2

    /// The answer for a point that imported areas hold, the finest first: theirs, with what the tables add to it.
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
        answer.place.confidence = 1
        return ReverseAnswer(place: answer.place, alternatives: [], isOnLand: true)
    }

    /// An area that the tables know by no such name: Bayern, where they say Bavaria. What is finer than it is taken from them, and
    /// what is coarser; of a comune that they do not know they tell its surroundings only.
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

    /// Puts an imported settlement in the place of the one of the tables where it is likelier, and adds a postal code.
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

    /// In Italy the comune stands; a settlement of it that is nearer than those of the tables is the locality.
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

    /// Abroad the town of the least weighted distance answers, as among the bundled ones.
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
            // A town on the other side of an imported border is none.
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

    /// Of a list's entries of that name nearby: where they differ, the nearest.
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
            // A city has one point for all its codes: then none of them is sure.
            let isSure = near.allSatisfy { $0.code == nearest.code || $0.metres > nearest.metres }
            if isSure { return nearest.code }
        }
        return nil
    }
}

extension ImportedPlace {
    /// Whether a code that is one everywhere says otherwise: not merely a name.
    fileprivate func contradicts(_ other: Place) -> Bool {
        if let code = place.countryCode, let its = other.countryCode, code != its { return true }
        guard let code = place.provinceCode, let its = other.provinceCode else { return false }
        return code != its
    }

    /// Whether a place of the tables may lie in this area: nothing that both tell speaks against it.
    func agrees(with other: Place) -> Bool {
        if let code = place.countryCode, let its = other.countryCode, code != its { return false }
        // Codes that differ may be of different lists: ISTAT's and the land registry's.
        if let code = place.comuneCode, code == other.comuneCode { return true }
        if let comune = place.comune, comune.folded != other.comune?.folded { return false }
        if let code = place.provinceCode, let its = other.provinceCode {
            if code != its { return false }
        } else if let province = place.province, province.folded != other.province?.folded {
            return false
        }
        // A region has other names in other languages: they are compared only where there is nothing finer.
        return level != .region || place.region?.folded == other.region?.folded
    }
}

extension Place {
    /// Is where a settlement is, and as large.
    fileprivate mutating func stand(at settlement: Place) {
        coordinate = settlement.coordinate
        distance = settlement.distance
        population = settlement.population
    }

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
