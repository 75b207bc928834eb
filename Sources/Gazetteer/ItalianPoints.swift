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
    private let ownerAreas: [UInt8]

    init(_ file: TableFile, _ places: PlaceTable) throws(GazetteerError) {
        records = try file.section("PNTS", stride: 8)
        guard places.range(.province).count <= ProvinceSet.most else {
            throw .damaged(path: file.file.path, section: "PNTS")
        }
        ownerAreas = places.range(.comune).map { UInt8(truncatingIfNeeded: places.area($0)) }
    }

    /// The nearest points of the areas allowed, in no order, all within so many metres.
    func nearest(
        to coordinate: Coordinate,
        atMost capacity: Int,
        within metres: Double,
        in areas: ProvinceSet?
    ) -> [Hit] {
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
        return withUnsafeTemporaryAllocation(of: Nearest.Found.self, capacity: capacity + 1) { memory in
            ownerAreas.withUnsafeBufferPointer { ownerAreas in
                var search = Search(
                    records: records,
                    x: lon,
                    y: lat,
                    scaleX: scaleX,
                    scaleY: scaleY,
                    ownerAreas: ownerAreas,
                    allowed: areas,
                    nearest: Nearest(memory, within: reach * reach)
                )
                search.visit(0, records.count)
                return search.nearest.map(hit)
            }
        }
    }

    private func hit(_ found: Nearest.Found) -> Hit {
        let weight = Double(records.integer(found.index, at: 6, as: Int16.self)) / 4096
        let owner = Int(records.integer(found.index, at: 4, as: UInt16.self) & Self.ownerMask)
        return Hit(
            comune: owner < ownerAreas.count ? owner : nil,
            score: log(found.squared + Self.softening) / 2 - weight
        )
    }

    private struct Search {
        let records: Section
        let x: Double
        let y: Double
        let scaleX: Double
        let scaleY: Double
        let ownerAreas: UnsafeBufferPointer<UInt8>
        let allowed: ProvinceSet?
        /// Squared kilometres.
        var nearest: Nearest

        mutating func visit(_ low: Int, _ high: Int) {
            if high - low <= Nearest.leaf {
                for index in low..<high { _ = measure(index) }
                return
            }
            let middle = (low + high) / 2
            let offset = measure(middle)
            let isBelow = offset < 0
            visit(isBelow ? low : middle + 1, isBelow ? middle : high)
            if offset * offset < nearest.limit { visit(isBelow ? middle + 1 : low, isBelow ? high : middle) }
        }

        /// How far the point is from the line or column at which the record splits, in kilometres.
        @inline(__always)
        private mutating func measure(_ index: Int) -> Double {
            let record = records.integer(index, as: UInt64.self)
            let owner = UInt16(truncatingIfNeeded: record >> 32)
            let dx = (x - Double(UInt16(truncatingIfNeeded: record))) * scaleX
            let dy = (y - Double(UInt16(truncatingIfNeeded: record >> 16))) * scaleY
            let squared = dx * dx + dy * dy
            if squared < nearest.limit, accepts(Int(owner & ItalianPoints.ownerMask)) { nearest.insert(index, squared) }
            return owner > ItalianPoints.ownerMask ? dy : dx
        }

        private func accepts(_ owner: Int) -> Bool {
            guard let allowed, owner < ownerAreas.count else { return true }
            return allowed.contains(Int(ownerAreas[owner]))
        }
    }
}
