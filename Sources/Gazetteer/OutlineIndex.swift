import Domain

/// Some of Italy's provinces, by number.
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

/// What the outlines say of a point, and which settlements they therefore allow.
struct OutlineIndex: Sendable {
    /// The outlines are trusted this far, in metres: they are simplified, abroad by up to 2 km.
    private static let outlineError = 3_000.0

    /// An answer of the outlines.
    struct Finding {
        let hits: [Outlines.Hit]
        /// The outline that holds the point.
        let holder: Outlines.Hit?
        let hasItaly: Bool
        /// Natural Earth leaves some ground to no country.
        let isDisputed: Bool
    }

    private let places: PlaceTable
    private let outlines: Outlines
    private let areasOfCountry: [[Int]]
    /// Areas no outline shows, as the Vatican; they are allowed everywhere.
    private let unseen: [Bool]
    /// The provinces of Sardinia, which Natural Earth draws otherwise than they are since 2016.
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

    /// The provinces of Italy, which are the first areas, that may hold the point; nil for any.
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

    /// The areas of the countries abroad that may hold the point; nil for any.
    func areasAbroad(_ finding: Finding) -> [Bool]? {
        guard !finding.hits.isEmpty, !finding.isDisputed else { return nil }
        var allowed = unseen
        for hit in finding.hits where outlines.area(hit.outline) == Outlines.none {
            for area in areasOfCountry[Int(outlines.country(hit.outline))] { allowed[area] = true }
        }
        return allowed
    }

    /// Metres the point lies outside the country of an area.
    func excess(_ finding: Finding, ofCountryOf area: Int) -> Double {
        let country = places.outlineCountry(places.country(ofArea: area))
        var least = Double.infinity
        for hit in finding.hits where Int(outlines.country(hit.outline)) == country { least = min(least, hit.excess) }
        return least < .infinity ? least : 0
    }
}
