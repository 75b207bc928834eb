import Domain
import Foundation

/// Merges places found in the tables and among imported places into one list.
extension Gazetteer {
    /// The maximum distance in metres at which settlements of the same name count as one place.
    private static let sameReach = 15_000.0

    /// A place of the list, with the normalized name and the score used for comparison.
    private struct Entry {
        let place: Place
        let key: String
        var score: Float

        init(_ place: Place, _ score: Float) {
            self.place = place
            self.score = score
            key = (place.name ?? "").nameWords.joined(separator: " ")
        }
    }

    /// Returns the best places of both lists. For a place in both, the version of the tables is kept because it has
    /// more fields.
    func merge(_ bundled: [BundledMatch], _ imported: [ImportedMatch], _ ranking: Ranking) throws -> [Place] {
        var entries = bundled.compactMap { match in present(match.place, ranking).map { Entry($0, match.score) } }
        for match in imported.sorted(by: { $0.score > $1.score }) {
            // Completing a place costs a look-up, so places that rank beyond the limit are not completed.
            if entries.count(where: { $0.score >= match.score }) >= ranking.limit { break }
            let place = present(match.found, ranking)
            guard ranking.filter.allows(place) else { continue }
            if let known = try entries.firstIndex(where: { try isSame($0, match.found, place) }) {
                entries[known].score = max(entries[known].score, match.score)
            } else {
                entries.append(Entry(place, match.score))
            }
        }
        return entries.sorted { $0.score > $1.score }.prefix(ranking.limit).map(\.place)
    }

    private func isSame(_ known: Entry, _ found: ImportedPlace, _ place: Place) throws -> Bool {
        let other = known.place
        guard other.level == place.level, other.countryCode == place.countryCode else { return false }
        let isNamesake = known.key == found.key
        switch found.level {
        case .settlement, .postalCode, .locality:
            // Entries with different postal codes are kept apart, because a city has many.
            let mayShareCode =
                other.postalCode == nil || place.postalCode == nil || other.postalCode == place.postalCode
            return isNamesake && mayShareCode && isNear(other, place)
        case .comune:
            if let code = place.comuneCode, code == other.comuneCode { return true }
            guard isNamesake else { return false }
            return try isNear(other, place) || place.sharesProvince(with: other) || holds(found, other)
        case .province:
            if let code = place.provinceCode, let its = other.provinceCode { return code == its }
            return try isNamesake || holds(found, other)
        case .region: return try isNamesake || holds(found, other)
        case .country: return true
        }
    }

    private func isNear(_ one: Place, _ other: Place) -> Bool {
        Geodesic.metres(from: one.coordinate, to: other.coordinate) < Self.sameReach
    }

    /// Returns whether an imported area contains the position of another place.
    private func holds(_ area: ImportedPlace, _ other: Place) throws -> Bool {
        try imported?.areas(at: other.coordinate).contains(area) ?? false
    }

    private func present(_ index: Int, _ ranking: Ranking) -> Place? {
        var place = places.place(index, ranking.language)
        if let near = ranking.near, let coordinate = place?.coordinate {
            place?.distance = Geodesic.metres(from: near.0, to: coordinate)
        }
        return place
    }

    /// Completes an imported place with areas from the tables.
    func present(_ found: ImportedPlace, _ ranking: Ranking) -> Place {
        var place = found.place
        let around = tables(place.coordinate, ranking.language, 0).place
        let isSure = found.level == .settlement || found.level == .postalCode || found.agrees(with: around)
        if isSure, place.countryCode == nil || place.countryCode == around.countryCode {
            place.country = around.country
            place.countryCode = around.countryCode
            if found.level < .region { place.region = place.region ?? around.region }
            if found.level < .province {
                place.province = place.province ?? around.province
                place.provinceCode = place.provinceCode ?? around.provinceCode
            }
        } else if let country = place.countryCode.flatMap(places.country(code:)) {
            places.describeCountry(country, ranking.language, of: &place)
        }
        if found.level == .settlement || found.level == .postalCode { name(found, around, &place) }
        if let near = ranking.near { place.distance = Geodesic.metres(from: near.0, to: place.coordinate) }
        return place
    }

    /// In Italy a settlement is part of a comune; in other countries the town itself takes the place of the comune.
    private func name(_ found: ImportedPlace, _ around: Place, _ place: inout Place) {
        guard around.countryCode == "IT", let comune = around.comune else {
            place.comune = found.name
            return
        }
        place.comune = comune
        place.comuneCode = around.comuneCode
        place.postalCode = place.postalCode ?? around.postalCode
        place.locality = found.name.folded == comune.folded ? nil : found.name
    }
}

extension Place {
    fileprivate func sharesProvince(with other: Place) -> Bool {
        if let code = provinceCode, let its = other.provinceCode { return code == its }
        guard let province, let its = other.province else { return false }
        return province.folded == its.folded
    }
}
