import Domain
import Foundation

/// The weighted points whose nearest tells the comune, on a plane of 16-bit coordinates, as a k-d tree in an array.
///
/// Of `low..<high` the root is `(low + high) / 2`; the high bit of the owner is the axis it splits. `geodata/fit.py` moves
/// and weighs the points with the same distances as here.
struct ItalianPoints: Sendable {
    /// The square of degrees the coordinates span, and kilometres per degree, as in `geodata/build.py`.
    private static let west = 6.5
    private static let south = 35.2
    private static let extent = 12.5
    private static let kilometresPerLon = 111.32
    private static let kilometresPerLat = 111.0
    private static let steps = 65_535.0
    /// Squared kilometres: points within 100 m count as equally near.
    private static let softening = 0.01
    private static let ownerMask: UInt16 = 0x7FFF

    struct Hit {
        /// The number of the comune, nil for another country.
        let comune: Int?
        /// The logarithm of the distance in kilometres, less the weight.
        let score: Double
    }

    private let records: Section
    /// The province of each comune, and after them none for what is abroad.
    private let areas: [Int]

    init(_ file: TableFile, _ places: PlaceTable) throws(GazetteerError) {
        records = try file.section("PNTS", stride: 8)
        areas = places.range(.comune).map(places.area)
    }

    /// The nearest points of the areas allowed, in no order, all within so many metres.
    func nearest(to coordinate: Coordinate, atMost capacity: Int, within metres: Double, in areas: [Bool]?) -> [Hit] {
        let lon = (coordinate.lon - Self.west) / Self.extent * Self.steps
        let lat = (coordinate.lat - Self.south) / Self.extent * Self.steps
        let narrowing = cos(coordinate.lat * .pi / 180)
        let scaleX = Self.extent / Self.steps * Self.kilometresPerLon * narrowing
        let scaleY = Self.extent / Self.steps * Self.kilometresPerLat
        let reach = metres / 1_000
        // Far from Italy the plane is no plane any more, but then nothing is in reach.
        guard lon > -reach / scaleX, lon < Self.steps + reach / scaleX,
            lat > -reach / scaleY, lat < Self.steps + reach / scaleY
        else { return [] }
        var search = Search(
            records: records,
            x: lon,
            y: lat,
            scaleX: scaleX,
            scaleY: scaleY,
            capacity: capacity,
            limit: reach * reach
        )
        self.areas.withUnsafeBufferPointer { ownerAreas in
            guard let areas else { return search.visit(0, records.count) { _ in true } }
            areas.withUnsafeBufferPointer { allowed in
                search.visit(0, records.count) { owner in
                    guard owner < ownerAreas.count else { return true }
                    precondition(ownerAreas[owner] < allowed.count)
                    return allowed[ownerAreas[owner]]
                }
            }
        }
        return search.found.map { found in
            let weight = Double(records.integer(found.index, at: 6, as: Int16.self)) / 4096
            let owner = Int(records.integer(found.index, at: 4, as: UInt16.self) & Self.ownerMask)
            return Hit(
                comune: owner < self.areas.count ? owner : nil,
                score: log(found.squared + Self.softening) / 2 - weight
            )
        }
    }

    private struct Search {
        let records: Section
        let x: Double
        let y: Double
        let scaleX: Double
        let scaleY: Double
        let capacity: Int
        /// Squared kilometres.
        var limit: Double
        /// The nearest so far, nearest first.
        var found: [(index: Int, squared: Double)] = []

        mutating func visit(_ low: Int, _ high: Int, _ accepts: (Int) -> Bool) {
            guard low < high else { return }
            let middle = (low + high) / 2
            let owner: UInt16 = records.integer(middle, at: 4)
            let dx = (x - Double(records.integer(middle, at: 0, as: UInt16.self))) * scaleX
            let dy = (y - Double(records.integer(middle, at: 2, as: UInt16.self))) * scaleY
            let squared = dx * dx + dy * dy
            if squared < limit, accepts(Int(owner & ItalianPoints.ownerMask)) { insert(middle, squared) }
            let offset = owner > ItalianPoints.ownerMask ? dy : dx
            let isBelow = offset < 0
            visit(isBelow ? low : middle + 1, isBelow ? middle : high, accepts)
            if offset * offset < limit { visit(isBelow ? middle + 1 : low, isBelow ? high : middle, accepts) }
        }

        private mutating func insert(_ index: Int, _ squared: Double) {
            if found.isEmpty { found.reserveCapacity(capacity + 1) }
            var position = found.count
            while position > 0, found[position - 1].squared > squared { position -= 1 }
            found.insert((index, squared), at: position)
            if found.count > capacity { found.removeLast() }
            if found.count == capacity, let last = found.last { limit = last.squared }
        }
    }
}
