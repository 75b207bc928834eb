import Domain
import Foundation

/// How places found in the tables and among the imported ones become one list.
extension Gazetteer {
    /// Metres within which a settlement of one name is one place.
    private static let sameReach = 15_000.0

    /// A place of the list, with what others are compared by.
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

    /// The better of both; of one place in both, the tables' tells more.
    func merge(_ bundled: [BundledMatch], _ imported: [ImportedMatch], _ ranking: Ranking) throws -> [Place] {
        var entries = bundled.compactMap { match in present(match.place, ranking).map { Entry($0, match.score) } }
        for match in imported.sorted(by: { $0.score > $1.score }) {
            // What a place is part of costs a look-up: those that come too late are not completed.
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
            // A city has many postal codes.
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

    /// Whether the point of another is on the ground of an imported area.
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

    /// With what the tables tell of its surroundings.
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

    /// A settlement of Italy is part of a comune; elsewhere it is the town itself.
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
