import Domain

/// A set of provinces of Italy, by number.
struct ProvinceSet {
    static let maxCount = UInt128.bitWidth
    private var bits: UInt128 = 0

    init(_ provinces: [Int] = []) {
        for province in provinces { insert(province) }
    }

    mutating func insert(_ province: Int) { bits |= 1 << province }
    mutating func formUnion(_ others: ProvinceSet) { bits |= others.bits }
    func contains(_ province: Int) -> Bool { bits >> province & 1 == 1 }
}

/// Looks up the outlines around a point and determines which settlements they allow.
struct OutlineIndex: Sendable {
    /// The assumed error of the outlines in metres; they are simplified, abroad by up to 2 km.
    private static let outlineError = 3_000.0

    /// The outlines at or near a point.
    struct Finding {
        let hits: [Outlines.Hit]
        /// The outline that contains the point.
        let holder: Outlines.Hit?
        let hasItaly: Bool
        /// Whether the point is on or near land that Natural Earth assigns to no country.
        let isDisputed: Bool
    }

    private let places: PlaceTable
    private let outlines: Outlines
    private let areasOfCountry: [[Int]]
    /// The areas that no outline shows, such as the Vatican; they are allowed everywhere.
    private let unseen: [Bool]
    /// The towns in these areas.
    private let unseenTowns: [UnitVector]
    /// The provinces of Sardinia. Natural Earth's outlines differ from their boundaries since 2016.
    private let redrawn: ProvinceSet

    init(places: PlaceTable, outlines: Outlines) {
        self.places = places
        self.outlines = outlines
        var areasOfCountry = [[Int]](repeating: [], count: places.countryCount)
        for area in 0..<places.areaCount {
            areasOfCountry[places.outlineCountry(places.country(ofArea: area))].append(area)
        }
        var unseen = [Bool](repeating: true, count: places.areaCount)
        for outline in 0..<outlines.outlines.count {
            let country = Int(outlines.country(outline))
            guard country < areasOfCountry.count else { continue }
            for area in areasOfCountry[country] { unseen[area] = false }
        }
        self.areasOfCountry = areasOfCountry
        self.unseen = unseen
        unseenTowns = places.range(.town).filter { unseen[places.area($0)] }.map(places.vector)
        redrawn = ProvinceSet((0..<places.range(.province).count).filter { places.region(ofArea: $0) == "Sardegna" })
    }

    func find(_ coordinate: Coordinate) -> Finding {
        let hits = outlines.hits(at: coordinate, margin: Self.outlineError)
        return Finding(
            hits: hits,
            holder: hits.first { $0.isInside },
            hasItaly: hits.contains { outlines.area($0.outline) != Outlines.none },
            isDisputed: hits.contains { outlines.country($0.outline) == Outlines.none }
        )
    }

    /// Returns the country abroad that alone may contain the point; nil if there are several, or one may be that no outline shows.
    func onlyCountry(_ finding: Finding, at point: UnitVector) -> Int? {
        guard let first = finding.hits.first, !finding.hasItaly, !finding.isDisputed else { return nil }
        let country = outlines.country(first.outline)
        let isAlone = finding.hits.allSatisfy { outlines.country($0.outline) == country }
        return isAlone && !unseenTowns.contains { $0.squaredChord(to: point) < Self.unseenReach } ? Int(country) : nil
    }

    /// The squared chord, in squared radii, within which a town in an area that no outline shows may be the likeliest: 60 km.
    private static let unseenReach = 8.9e-5

    /// Returns the provinces of Italy (numbered from 0) that may contain the point, or nil if all may.
    func provinces(_ finding: Finding) -> ProvinceSet? {
        guard finding.hasItaly else { return nil }
        var allowed = ProvinceSet()
        for hit in finding.hits where outlines.area(hit.outline) != Outlines.none {
            let area = Int(outlines.area(hit.outline))
            allowed.insert(area)
            if redrawn.contains(area) { allowed.formUnion(redrawn) }
        }
        return allowed
    }

    /// Returns the areas of other countries that may contain the point, or nil if all may.
    func areasAbroad(_ finding: Finding) -> [Bool]? {
        guard !finding.hits.isEmpty, !finding.isDisputed else { return nil }
        var allowed = unseen
        for hit in finding.hits where outlines.area(hit.outline) == Outlines.none {
            for area in areasOfCountry[Int(outlines.country(hit.outline))] { allowed[area] = true }
        }
        return allowed
    }

    /// Returns the distance in metres by which the point lies outside the country of an area.
    func excess(_ finding: Finding, ofCountryOf area: Int) -> Double {
        let country = places.outlineCountry(places.country(ofArea: area))
        var least = Double.infinity
        for hit in finding.hits where Int(outlines.country(hit.outline)) == country { least = min(least, hit.excess) }
        return least < .infinity ? least : 0
    }
}
