public import Domain
import Foundation

/// What is known of a position.
public struct ReverseAnswer: Hashable, Sendable {
    /// The likeliest place. Off land, and far from any settlement, it has no `comune`, and its `locality`, `coordinate`
    /// and `distance` are those of the nearest known place; off land it has no country either.
    public let place: Place
    /// The next likeliest comuni, best first.
    public let alternatives: [Place]
    /// Whether an outline holds the point or a settlement is near enough for it to be shore.
    public let isOnLand: Bool
}

/// Distances in metres that decide an answer.
private enum Reach {
    /// Off every outline a settlement this near still means an islet, a pier or a beach.
    static let shore = 3_000.0
    /// A settlement further away says nothing about a point.
    static let settlement = 60_000.0
    /// At this distance outside its province's outline a point counts as twice as far from a place: the best of a scan.
    static let provinceDoubling = 1_000.0
    /// Countries are drawn better than provinces.
    static let countryDoubling = 150.0

    /// Of the unit sphere, for a length on the mean sphere.
    static func squaredChord(_ metres: Double) -> Double { pow(metres / 6_371_008.8, 2) }
}

/// A settlement in the running: a smaller score is likelier.
private struct Candidate {
    let place: Int
    /// The logarithm of the weighted squared chord, with what the outlines add.
    let score: Double

    /// - Parameter excess: how far the point lies outside the outline, in units that double the distance.
    init(place: Int, squaredChord: Double, weight: Double, excess: Double) {
        self.place = place
        let distance = log(max(squaredChord, 1e-12))
        score = distance - 2 * weight + (excess > 0 ? 2 * log1p(excess) : 0)
    }
}

extension Gazetteer {
    /// The place a position belongs to, by weighted distance among the settlements that the outlines allow.
    ///
    /// `Place.distance` is in metres on the ellipsoid by Lambert's formula. `Place.confidence` is the share of right comuni
    /// measured at the same margin between best and second comune; it is calibrated for Italy and carried over elsewhere.
    public func reverse(
        _ coordinate: Coordinate,
        language: Language,
        alternatives: Int = 0
    ) -> ReverseAnswer {
        let query = UnitVector(coordinate)
        let finding = ground.find(coordinate)
        let limit = Reach.squaredChord(finding.hits.isEmpty ? Reach.shore : Reach.settlement)
        let wanted = max(0, min(alternatives, 100))
        let ranked = rank(italian(query, finding, limit) + abroad(query, finding, limit), atMost: wanted + 2)
        guard let best = ranked.first else { return remote(coordinate, query, finding.holder, language) }
        let margin = ranked.count > 1 ? (ranked[1].score - best.score) / 2 : .infinity
        var answer = describe(best, coordinate, query, finding, language)
        answer.confidence = confidence.probability(margin: margin) * (finding.holder == nil ? Self.offOutline : 1)
        let others = ranked.dropFirst().prefix(wanted)
        return ReverseAnswer(
            place: answer,
            alternatives: others.map { describe($0, coordinate, query, finding, language) },
            isOnLand: true
        )
    }

    private static let italianCandidates = 24
    private static let townCandidates = 8
    /// What a confidence is multiplied by where only the nearness of a coast makes the point land.
    private static let offOutline = 0.8

    private func italian(_ query: UnitVector, _ finding: Ground.Finding, _ limit: Double) -> [Candidate] {
        guard finding.hasItaly || finding.isDisputed || finding.hits.isEmpty else { return [] }
        let allowed = ground.provinces(finding)
        return points.nearest(to: query, atMost: Self.italianCandidates, within: limit, in: allowed).map { hit in
            let area = Int(points.records.integer(hit.index, at: 16, as: UInt16.self) & SphereTree.areaMask)
            return Candidate(
                place: Int(points.records.integer(hit.index, at: 12, as: UInt32.self)),
                squaredChord: hit.squaredChord,
                weight: Double(points.records.integer(hit.index, at: 18, as: Int16.self)) / 4096,
                excess: provinceExcess(finding, area)
            )
        }
    }

    private func provinceExcess(_ finding: Ground.Finding, _ area: Int) -> Double {
        let province = ground.excess(finding, ofProvince: area) / Reach.provinceDoubling
        guard finding.hasAbroad else { return province }
        return max(province, ground.excess(finding, ofCountryOf: area) / Reach.countryDoubling)
    }

    private func abroad(_ query: UnitVector, _ finding: Ground.Finding, _ limit: Double) -> [Candidate] {
        guard finding.hasAbroad || finding.hits.isEmpty else { return [] }
        let allowed = ground.areasAbroad(finding)
        return towns.nearest(to: query, atMost: Self.townCandidates, within: limit, in: allowed).map { hit in
            Candidate(
                place: hit.index,
                squaredChord: hit.squaredChord,
                weight: 0.12 * log(Double(max(places.population(hit.index), 200))),
                excess: ground.excess(finding, ofCountryOf: places.area(hit.index)) / Reach.countryDoubling
            )
        }
    }

    /// The best candidate of each comune or town, best first.
    private func rank(_ candidates: [Candidate], atMost limit: Int) -> [Candidate] {
        var seen: [Int] = []
        var result: [Candidate] = []
        for candidate in candidates.sorted(by: { $0.score < $1.score }) where result.count < limit {
            let owner = places.comune(candidate.place) ?? candidate.place
            guard !seen.contains(owner) else { continue }
            seen.append(owner)
            result.append(candidate)
        }
        return result
    }
}

extension Gazetteer {
    private func describe(
        _ candidate: Candidate,
        _ coordinate: Coordinate,
        _ query: UnitVector,
        _ finding: Ground.Finding,
        _ language: Language
    ) -> Place {
        let settlement = nearestSettlement(of: candidate.place, query)
        var place = places.place(settlement, language) ?? Place(coordinate: coordinate)
        place.distance = Geodesic.metres(from: coordinate, to: place.coordinate)
        if places.kind(settlement) == .town, let holder = finding.holder { addName(of: holder, to: &place, settlement) }
        return place
    }

    /// The seat or hamlet of the comune that is nearest as the crow flies, whichever point decided the comune.
    private func nearestSettlement(of place: Int, _ query: UnitVector) -> Int {
        guard let comune = places.comune(place) else { return place }
        var best = comune
        var nearest = query.squaredChord(to: places.vector(comune))
        for hamlet in places.hamlets(ofComune: comune) {
            let squared = query.squaredChord(to: places.vector(hamlet))
            if squared < nearest { (best, nearest) = (hamlet, squared) }
        }
        return best
    }

    /// Natural Earth's first level is below GeoNames' in some countries: Hérault under Occitanie.
    private func addName(of holder: Outlines.Hit, to place: inout Place, _ town: Int) {
        let country = places.outlineCountry(places.country(town))
        let name = places.string(at: outlines.nameOffset(holder.outline))
        guard Int(outlines.country(holder.outline)) == country, !name.isEmpty, name != place.region else { return }
        if place.region == nil { place.region = name } else if place.province == nil { place.province = name }
    }

    /// The answer far from every settlement: what the outline says, and the nearest place there is.
    private func remote(
        _ coordinate: Coordinate,
        _ query: UnitVector,
        _ holder: Outlines.Hit?,
        _ language: Language
    ) -> ReverseAnswer {
        let town = towns.nearest(to: query, atMost: 1).first
        let point = points.nearest(to: query, atMost: 1).first
        var nearest = town?.index ?? 0
        if let point, point.squaredChord < town?.squaredChord ?? .infinity {
            nearest = nearestSettlement(of: Int(points.records.integer(point.index, at: 12, as: UInt32.self)), query)
        }
        var place = Place(coordinate: places.vector(nearest).coordinate ?? coordinate)
        place.locality = places.name(nearest)
        place.distance = Geodesic.metres(from: coordinate, to: place.coordinate)
        place.confidence = 0
        if let holder { describe(holder, language, of: &place) }
        return ReverseAnswer(place: place, alternatives: [], isOnLand: holder != nil)
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
