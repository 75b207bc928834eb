package import Domain

/// The contribution of one listing to statistics. Days are counted since 1970.
struct StatisticsCase: Sendable {
    struct Reunion: Sendable {
        let day: Int
        /// Since the animal was seen last.
        let days: Int?
        /// Between the public points of the two listings.
        let metres: Int?
        let isLinked: Bool
    }

    let day: Int
    /// Nil if it is not known.
    let posted: Listing.Status?
    let species: Species
    /// `ListingBreeds.facets`.
    let breeds: [String]
    let region: String?
    var reunion: Reunion?
}

/// The counted cases of all listings at a time, from which any statistics are computed without reading the database.
///
/// For each pair of a breed or all animals and a region or the whole world, equal cases are one cell with their number,
/// sorted by day. The number of cells that a query reads is limited by that of days, statuses and species, and not by
/// that of listings.
package struct StatisticsSnapshot: Sendable {
    struct Facet: Hashable {
        /// All `ListingBreeds.facets` of a case, so that a cross counts once in an answer about several breeds; nil for all
        /// animals.
        let breeds: [String]?
        let region: String?
    }

    package let time: Timestamp
    /// The regions with at least five listings, sorted.
    package let regions: [String]
    let postings: [Facet: [StatisticsCell]]
    let reunions: [Facet: [StatisticsCell]]
    private let names: [String: String]
    /// The day of the fifth post, at which all answers begin: the first case of a filter could be that of a single animal.
    let firstDay: Int?

    /// The number of cells, for measurements.
    package var cellCount: Int { (Array(postings.values) + Array(reunions.values)).reduce(0) { $0 + $1.count } }

    /// Returns the region as listings name it, by a name in any case and with or without accents; nil if no listing has it.
    package func region(named name: String) -> String? { names[name.folded] }

    struct Builder {
        private var postings: [Facet: [UInt64]] = [:]
        private var reunions: [Facet: [UInt64]] = [:]

        mutating func add(_ one: StatisticsCase) {
            let breeds = one.breeds.isEmpty ? [nil] : [nil, one.breeds]
            let regions = one.region == nil ? [nil] : [nil, one.region]
            for breeds in breeds {
                for region in regions {
                    let facet = Facet(breeds: breeds, region: region)
                    if one.posted != nil {
                        postings[facet, default: []].append(StatisticsCell.key(day: one.day, one, nil))
                    }
                    if let reunion = one.reunion {
                        reunions[facet, default: []].append(StatisticsCell.key(day: reunion.day, one, reunion))
                    }
                }
            }
        }

        consuming func finish(at time: Timestamp) -> StatisticsSnapshot {
            StatisticsSnapshot(
                time: time,
                postings: postings.mapValues(StatisticsCell.count),
                reunions: reunions.mapValues(StatisticsCell.count)
            )
        }
    }

    private init(time: Timestamp, postings: [Facet: [StatisticsCell]], reunions: [Facet: [StatisticsCell]]) {
        (self.time, self.postings, self.reunions) = (time, postings, reunions)
        var count = 0
        firstDay =
            postings[Facet(breeds: nil, region: nil)]?.first { cell in
                count += Int(cell.count)
                return count >= 5
            }?.day
        let all = postings.filter { $0.key.breeds == nil }
        regions = all.filter { $0.value.reduce(0) { $0 + Int($1.count) } >= 5 }.compactMap(\.key.region).sorted()
        names = Dictionary((Array(postings.keys) + Array(reunions.keys)).compactMap(\.region).map { ($0.folded, $0) }) {
            min($0, $1)
        }
    }
}

/// Equal cases and their number. The key sorts by day.
struct StatisticsCell: Sendable {
    let key: UInt64
    var count: UInt32

    /// Bits of the key, from the lowest: distance in 100 m (18), days (14), whether linked (1), species (2), posted
    /// status (2) and day since the year 0.
    private static let metresBits: UInt64 = 18
    private static let daysBits: UInt64 = 14
    private static let daysShift = metresBits
    private static let linkedShift = daysShift + daysBits
    private static let speciesShift = linkedShift + 1
    private static let statusShift = speciesShift + 2
    private static let dayShift = statusShift + 2
    /// The days from the year 0 to 1970.
    private static let epoch = 719_528
    private static let metresStep = 100
    private static let unknownMetres = (UInt64(1) << metresBits) - 1
    private static let unknownDays = (UInt64(1) << daysBits) - 1
    /// A status that is not known.
    private static let unknownStatus = 3

    static func key(day: Int, _ one: StatisticsCase, _ reunion: StatisticsCase.Reunion?) -> UInt64 {
        let status = one.posted.flatMap(Listing.Status.open.firstIndex) ?? unknownStatus
        let species = Species.allCases.firstIndex(of: one.species) ?? 0
        let metres = reunion?.metres.map { min(UInt64($0 / metresStep), unknownMetres - 1) } ?? unknownMetres
        let days = reunion?.days.map { min(UInt64($0), unknownDays - 1) } ?? unknownDays
        return start(of: day) | UInt64(status) << statusShift | UInt64(species) << speciesShift
            | (reunion?.isLinked == true ? 1 : 0) << linkedShift | days << daysShift | metres
    }

    /// The smallest key of a day.
    static func start(of day: Int) -> UInt64 { UInt64(max(0, day + epoch)) << dayShift }

    var day: Int { Int(key >> Self.dayShift) - Self.epoch }
    var status: Listing.Status? {
        let index = Int(key >> Self.statusShift & 3)
        return index == Self.unknownStatus ? nil : Listing.Status.open[index]
    }
    var species: Species { Species.allCases[Int(key >> Self.speciesShift & 3)] }
    var isLinked: Bool { key >> Self.linkedShift & 1 == 1 }
    var days: Int? {
        let days = key >> Self.daysShift & Self.unknownDays
        return days == Self.unknownDays ? nil : Int(days)
    }
    var metres: Int? {
        let steps = key & Self.unknownMetres
        return steps == Self.unknownMetres ? nil : Int(steps) * Self.metresStep
    }

    static func count(_ keys: [UInt64]) -> [StatisticsCell] {
        var cells: [StatisticsCell] = []
        for key in keys.sorted() {
            if cells.last?.key == key {
                cells[cells.count - 1].count += 1
            } else {
                cells.append(StatisticsCell(key: key, count: 1))
            }
        }
        return cells
    }
}
