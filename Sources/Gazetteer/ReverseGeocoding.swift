public import Domain
import Foundation

/// The answer of reverse geocoding.
public struct ReverseAnswer: Hashable, Sendable {
    /// The most likely place. Off land, and far from any settlement, it has no `comune`, and its `locality`,
    /// `coordinate` and `distance` are those of the nearest known place; off land it has no country either.
    public internal(set) var place: Place
    /// The next most likely comuni, best first; empty if an imported boundary determines the comune.
    public let alternatives: [Place]
    /// Whether an outline contains the point, or a settlement is so near that the point counts as shore.
    public let isOnLand: Bool
}

/// Distances in metres that the answer depends on.
private enum Reach {
    /// The maximum distance to a settlement outside of all outlines, for example on an islet, a pier or a beach.
    static let shore = 3_000.0
    /// The maximum distance at which a settlement is a candidate.
    static let settlement = 60_000.0
    /// The maximum distance to a point of a municipality: those of the Amazon region are 400 km wide.
    static let municipality = 500_000.0
    /// The distance outside of its country's outline at which a place's distance counts double.
    static let doubling = 150.0
    /// The mean radius of the Earth.
    static let earthRadius = 6_371_008.8
}

/// A query point and the outlines around it.
private struct Asked {
    let coordinate: Coordinate
    let vector: UnitVector
    let finding: OutlineIndex.Finding
    /// The maximum distance in metres of candidate settlements.
    let limit: Double

    init(_ coordinate: Coordinate, _ ground: OutlineIndex) {
        self.coordinate = coordinate
        vector = UnitVector(coordinate)
        finding = ground.find(coordinate)
        limit = finding.hits.isEmpty ? Reach.shore : Reach.settlement
    }
}

/// A candidate settlement. A lower score is more likely.
private struct Candidate {
    /// Stands for any place in the countries around Italy.
    static let abroad = -1

    let place: Int
    /// The natural logarithm of the weighted distance in kilometres, plus a penalty from the outlines.
    let score: Double

    /// - Parameter excess: The distance in metres by which the point lies outside the outline of the place's country.
    init(place: Int, score: Double, excess: Double) {
        self.place = place
        self.score = excess > 0 ? score + log1p(excess / Reach.doubling) : score
    }
}

extension Gazetteer {
    /// Returns the place that a position belongs to: by the imported boundaries that contain it, otherwise by weighted
    /// distance among the settlements that the bundled outlines allow.
    ///
    /// `Place.distance` is in metres on the ellipsoid, by Lambert's formula. `Place.confidence` is that of an imported
    /// comune's outline. Otherwise it is the measured share of right comuni at the same margin between the best and the
    /// second-best comune. It is calibrated for each country whose municipalities are known; elsewhere Italy's is taken.
    ///
    /// - Throws: Errors of the source of imported places, if there is one.
    public func reverse(_ coordinate: Coordinate, language: Language, alternatives: Int = 0) throws -> ReverseAnswer {
        guard let imported else { return tables(coordinate, language, alternatives) }
        let areas = try imported.areas(at: coordinate)
        var answer =
            areas.isEmpty
            ? tables(coordinate, language, alternatives) : exact(areas, coordinate, alternatives, language)
        if answer.isOnLand { try refine(&answer.place, at: coordinate, in: areas, from: imported, language) }
        return answer
    }

    /// Returns the answer of the bundled tables alone.
    func tables(_ coordinate: Coordinate, _ language: Language, _ alternatives: Int) -> ReverseAnswer {
        let asked = Asked(coordinate, ground)
        let wanted = max(0, min(alternatives, 100))
        let ranked = candidates(asked, atMost: wanted + 2)
        return answer(ranked, asked, language, wanted)
            ?? remote(coordinate, asked.vector, asked.finding.holder, language)
    }

    /// Returns the answer of the tables among the candidates that may lie in an area, or nil if none may.
    func tables(
        _ coordinate: Coordinate,
        _ language: Language,
        _ alternatives: Int,
        agreeing area: ImportedPlace
    ) -> ReverseAnswer? {
        let asked = Asked(coordinate, ground)
        let wanted = max(0, min(alternatives, 100))
        let ranked = candidates(asked, atMost: Self.weightedCandidates)
        // Comparing codes is fast; comparing names requires folding them.
        let sure = area.place.comuneCode.flatMap { code in
            ranked.first { self.describe($0, asked, language).comuneCode == code }
        }
        if let sure { return answer([sure], asked, language, wanted) }
        // An area of comune level has only one candidate. In a larger area, the margin to the next candidate gives the
        // confidence.
        let most = area.place.comune == nil ? wanted + 2 : 1
        var agreeing: [Candidate] = []
        for candidate in ranked where agreeing.count < most && area.agrees(with: describe(candidate, asked, language)) {
            agreeing.append(candidate)
        }
        return answer(agreeing, asked, language, wanted)
    }

    private func answer(
        _ ranked: [Candidate],
        _ asked: Asked,
        _ language: Language,
        _ alternatives: Int
    ) -> ReverseAnswer? {
        guard let best = ranked.first else { return nil }
        let margin = ranked.count > 1 ? max(0, ranked[1].score - best.score) : .infinity
        var place = describe(best, asked, language)
        let known = places.kind(best.place) == .town ? municipalities[places.country(best.place)] : nil
        let curve = known?.confidence ?? confidence
        place.confidence = curve.probability(margin: margin) * (asked.finding.holder == nil ? Self.offOutline : 1)
        let others = ranked.dropFirst().prefix(alternatives)
        return ReverseAnswer(place: place, alternatives: others.map { describe($0, asked, language) }, isOnLand: true)
    }

    private static let weightedCandidates = 24
    private static let townCandidates = 8
    /// The factor for the confidence of a point that counts as land only because a settlement is near.
    private static let offOutline = 0.8

    /// Returns the candidate settlements, best first. In and around Italy, the weighted points determine the side of
    /// the border.
    private func candidates(_ asked: Asked, atMost count: Int) -> [Candidate] {
        let (coordinate, query, finding, limit) = (asked.coordinate, asked.vector, asked.finding, asked.limit)
        var italian: [Candidate] = []
        if finding.hasItaly || finding.isDisputed || finding.hits.isEmpty {
            italian = rank(self.italian(coordinate, finding, limit), atMost: count)
            if let best = italian.first, best.place != Candidate.abroad {
                let others = italian.contains { $0.place == Candidate.abroad } ? abroad(query, finding, limit) : []
                return replaceAbroad(italian, by: others)
            }
            italian.removeAll { $0.place == Candidate.abroad }
        }
        // Where no other country is near, towns need not be compared to know it.
        if let country = ground.onlyCountry(finding, at: query) {
            let municipal = municipal(country, asked, atMost: count)
            if !municipal.isEmpty { return municipal }
        }
        let towns = rank(abroad(query, finding, limit), atMost: count)
        let country =
            towns.first.map { places.country($0.place) } ?? finding.holder.map { Int(outlines.country($0.outline)) }
        let municipal = country.map { self.municipal($0, asked, atMost: count) } ?? []
        return Array(((municipal.isEmpty ? towns : municipal) + italian).prefix(count))
    }

    /// Returns the likeliest municipalities of a country, best first; none if they are not known.
    private func municipal(_ country: Int, _ asked: Asked, atMost count: Int) -> [Candidate] {
        guard let known = municipalities[country] else { return [] }
        let hits = known.nearest(to: asked.coordinate, atMost: Self.weightedCandidates, within: Reach.municipality)
        return rank(hits.map { Candidate(place: $0.place, score: $0.score, excess: 0) }, atMost: count)
    }

    /// Replaces the candidate "abroad" of the weighted points by the most likely town.
    private func replaceAbroad(_ italian: [Candidate], by towns: [Candidate]) -> [Candidate] {
        let town = towns.min { $0.score < $1.score }
        return italian.compactMap { candidate in
            guard candidate.place == Candidate.abroad else { return candidate }
            return town.map { Candidate(place: $0.place, score: candidate.score, excess: 0) }
        }
    }

    private func italian(_ query: Coordinate, _ finding: OutlineIndex.Finding, _ limit: Double) -> [Candidate] {
        let allowed = ground.provinces(finding)
        let first = places.range(.comune).lowerBound
        return points.nearest(to: query, atMost: Self.weightedCandidates, within: limit, in: allowed).map { hit in
            Candidate(place: hit.owner.map { first + $0 } ?? Candidate.abroad, score: hit.score, excess: 0)
        }
    }

    private func abroad(_ query: UnitVector, _ finding: OutlineIndex.Finding, _ limit: Double) -> [Candidate] {
        let allowed = ground.areasAbroad(finding)
        let squared = pow(limit / Reach.earthRadius, 2)
        return towns.nearest(to: query, atMost: Self.townCandidates, within: squared, in: allowed).map { hit in
            let metres = hit.squaredChord.squareRoot() * Reach.earthRadius
            return Candidate(
                place: hit.index,
                score: Self.townScore(metres: metres, population: places.population(hit.index)),
                excess: ground.excess(finding, ofCountryOf: places.area(hit.index))
            )
        }
    }

    /// Returns the natural logarithm of the distance in kilometres, minus a term for the population. Lower scores are
    /// more likely.
    static func townScore(metres: Double, population: Int) -> Double {
        log(max(metres / 1_000, 0.1)) - 0.12 * log(Double(max(population, 200)))
    }

    /// Returns the best candidate of each place, best first.
    private func rank(_ candidates: [Candidate], atMost limit: Int) -> [Candidate] {
        var result: [Candidate] = []
        for candidate in candidates where result.count < limit || candidate.score < result[limit - 1].score {
            if let known = result.firstIndex(where: { $0.place == candidate.place }) {
                guard candidate.score < result[known].score else { continue }
                result.remove(at: known)
            }
            result.insert(candidate, at: result.firstIndex { candidate.score < $0.score } ?? result.count)
            if result.count > limit { result.removeLast() }
        }
        return result
    }
}

extension Gazetteer {
    private func describe(_ candidate: Candidate, _ asked: Asked, _ language: Language) -> Place {
        let settlement = nearestSettlement(of: candidate.place, asked.vector)
        var place = places.place(settlement, language) ?? Place(coordinate: asked.coordinate)
        place.distance = Geodesic.metres(from: asked.coordinate, to: place.coordinate)
        if places.kind(settlement) == .town, let holder = asked.finding.holder {
            addName(of: holder, to: &place, settlement)
        }
        return place
    }

    /// The greatest distance in metres at which a point is told to be at a hamlet.
    private static let hamletReach = 3_000.0

    /// Returns the seat or hamlet of the comune with the shortest straight-line distance, independently of the point
    /// that determined the comune; the comune itself if its hamlets are far away.
    private func nearestSettlement(of place: Int, _ query: UnitVector) -> Int {
        guard let comune = places.comune(place) else { return place }
        var best = comune
        var nearest = min(query.squaredChord(to: places.vector(comune)), pow(Self.hamletReach / Reach.earthRadius, 2))
        for hamlet in places.hamlets(ofComune: comune) {
            let squared = query.squaredChord(to: places.vector(hamlet))
            if squared < nearest { (best, nearest) = (hamlet, squared) }
        }
        return best
    }

    /// In some countries the first level of Natural Earth is below that of GeoNames: Hérault in Occitanie.
    private func addName(of holder: Outlines.Hit, to place: inout Place, _ town: Int) {
        let country = places.outlineCountry(places.country(town))
        let name = places.string(at: outlines.nameOffset(holder.outline))
        guard Int(outlines.country(holder.outline)) == country, !name.isEmpty, name != place.region else { return }
        if place.region == nil { place.region = name } else if place.province == nil { place.province = name }
    }

    /// Returns the answer far from every settlement: the area of the outline, and the nearest known place.
    private func remote(
        _ coordinate: Coordinate,
        _ query: UnitVector,
        _ holder: Outlines.Hit?,
        _ language: Language
    ) -> ReverseAnswer {
        let nearest = nearestPlace(query)
        var place = Place(coordinate: places.vector(nearest).coordinate ?? coordinate)
        place.locality = places.name(nearest)
        place.distance = Geodesic.metres(from: coordinate, to: place.coordinate)
        place.confidence = 0
        if let holder { describe(holder, language, of: &place) }
        return ReverseAnswer(place: place, alternatives: [], isOnLand: holder != nil)
    }

    private func nearestPlace(_ query: UnitVector) -> Int {
        let town = towns.nearest(to: query, atMost: 1).first
        var best = town?.index ?? 0
        var nearest = town?.squaredChord ?? .infinity
        for comune in places.range(.comune) {
            let squared = query.squaredChord(to: places.vector(comune))
            if squared < nearest { (best, nearest) = (comune, squared) }
        }
        return best
    }

    private func describe(_ holder: Outlines.Hit, _ language: Language, of place: inout Place) {
        let country = Int(outlines.country(holder.outline))
        if country < places.countryCount { places.describeCountry(country, language, of: &place) }
        let area = outlines.area(holder.outline)
        if area != Outlines.none { places.describeProvince(Int(area), of: &place) }
        let name = places.string(at: outlines.nameOffset(holder.outline))
        if area == Outlines.none, !name.isEmpty { place.region = name }
    }
}
