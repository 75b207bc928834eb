public import Domain
import Foundation

/// What lies at a point, and what else it may be.
public struct ReverseAnswer: Sendable {
    /// On the open sea without areas: only the nearest place, as `locality`, and its distance.
    public let place: Place
    /// Other comuni, the likelier first.
    public let alternatives: [Place]
}

extension Gazetteer {
    /// Borders of Natural Earth's outlines are off by up to this, in metres: nearer to one, places decide.
    static let outlineError = 2_000.0
    /// Off every outline and farther than this from any place, in metres, is the sea.
    private static let coastReach = 12_000.0
    private static let candidateCount = 24

    /// A place's pull grows with its people to this power: larger comuni reach farther.
    private static let populationPower = 0.12
    private static let leastPopulation = 200.0
    /// A locality stands for no more than itself.
    private static let localityWeight = log(0.8) + populationPower * log(300.0)

    private struct Candidate {
        let index: Int
        let kilometres: Double
        /// Logarithm of distance over weight: least wins.
        let score: Double
        /// The comune or, abroad, the town it stands for.
        let area: Int
    }

    /// The place a point belongs to. Takes microseconds and never fails.
    public func reverse(_ point: Coordinate, language: Language, alternatives: Int = 3) -> ReverseAnswer {
        let hit = outlines.find(lon: point.lon, lat: point.lat)
        let candidates = candidates(point, hit)
        guard let best = candidates.first else { return sea(point, language) }
        if hit == nil, best.kilometres * 1000 > Self.coastReach { return sea(point, language) }
        let others = firstOfEach(candidates)
        let confidences = confidences(of: others)
        var places = zip(others, confidences).prefix(alternatives + 1).compactMap { candidate, confidence in
            place(candidate, point, confidence, language)
        }
        guard !places.isEmpty else { return sea(point, language) }
        if let hit { places[0].settle(in: hit, file, language) }
        return ReverseAnswer(place: places[0], alternatives: Array(places.dropFirst()))
    }

    private func candidates(_ point: Coordinate, _ hit: Outlines.Hit?) -> [Candidate] {
        let isAllowed = allowed(by: hit)
        var found = nearest.nearest(Self.candidateCount, lon: point.lon, lat: point.lat).filter(isAllowed)
        if found.isEmpty { found = nearest.nearest(8, lon: point.lon, lat: point.lat, where: isAllowed) }
        return found.map { candidate($0, point) }.sorted { $0.score < $1.score }
    }

    /// Well inside an outline only its own places count.
    private func allowed(by hit: Outlines.Hit?) -> (Int) -> Bool {
        guard let hit, hit.margin > Self.outlineError else { return { _ in true } }
        let outline = file.outline(hit.outline)
        return { [file] index in
            let record = file.place(index)
            switch record.kind {
            case .town: return outline.province == nil && file.area(record.area).country == outline.country
            default: return file.comune(record.area).province == outline.province
            }
        }
    }

    private func candidate(_ index: Int, _ point: Coordinate) -> Candidate {
        let record = file.place(index)
        var east = Double(record.lon) / 1e5 - point.lon
        if east > 180 { east -= 360 } else if east < -180 { east += 360 }
        // Kilometres in a degree at middle latitudes; ten or twenty kilometres are flat enough.
        let x = east * 111.32 * cos(point.lat * .pi / 180)
        let y = (Double(record.lat) / 1e5 - point.lat) * 110.9
        let kilometres = (x * x + y * y).squareRoot()
        let weight =
            record.kind == .locality
            ? Self.localityWeight : Self.populationPower * log(max(Double(record.population), Self.leastPopulation))
        // A hundred metres are added so that the score stays finite on the very spot.
        let score = 0.5 * log(kilometres * kilometres + 0.01) - weight
        let area = record.kind == .town ? -1 - index : Int(record.area)
        return Candidate(index: index, kilometres: kilometres, score: score, area: area)
    }

    private func firstOfEach(_ candidates: [Candidate]) -> [Candidate] {
        var seen: Set<Int> = []
        return candidates.filter { seen.insert($0.area).inserted }
    }

    /// Shares of 1 that fall with the score; the steepness was fitted on points drawn from the comuni's polygons.
    private func confidences(of candidates: [Candidate]) -> [Double] {
        guard let least = candidates.first?.score else { return [] }
        let shares = candidates.map { exp(-Self.steepness * ($0.score - least)) }
        let sum = shares.reduce(0, +)
        return shares.map { $0 / sum }
    }

    private static let steepness = 5.0

    private func place(
        _ candidate: Candidate,
        _ point: Coordinate,
        _ confidence: Double,
        _ language: Language
    ) -> Place? {
        guard var place = describe(candidate.index, language: language) else { return nil }
        place.distance = candidate.kilometres * 1000
        place.confidence = confidence
        return place
    }

    private func sea(_ point: Coordinate, _ language: Language) -> ReverseAnswer {
        let index = nearest.nearest(1, lon: point.lon, lat: point.lat).first ?? 0
        let coast = describe(index, language: language)
        var place = Place(coordinate: coast?.coordinate ?? point)
        place.locality = coast?.locality ?? coast?.comune
        place.distance = point.greatCircle(to: place.coordinate)
        place.confidence = 0
        return ReverseAnswer(place: place, alternatives: [])
    }
}

extension Coordinate {
    /// Metres on the sphere of the mean radius; within 0.6 % of the ellipsoid.
    func greatCircle(to other: Coordinate) -> Double {
        let (phi1, phi2) = (lat * .pi / 180, other.lat * .pi / 180)
        let s = sin((phi2 - phi1) / 2)
        let t = sin((other.lon - lon) * .pi / 360)
        return 2 * 6_371_008.8 * asin(min(1, (s * s + cos(phi1) * cos(phi2) * t * t).squareRoot()))
    }
}

extension Place {
    /// The outline knows country and first level better than the nearest town does.
    fileprivate mutating func settle(in hit: Outlines.Hit, _ file: GazetteerFile, _ language: Language) {
        let outline = file.outline(hit.outline)
        guard outline.province == nil, comuneCode == nil else { return }
        let same = countryCode == file.string(file.country(outline.country).code)
        guard same || hit.margin > Gazetteer.outlineError else { return }
        setCountry(outline.country, file, language)
        if let name = file.string(outline.name) { region = name }
    }
}
