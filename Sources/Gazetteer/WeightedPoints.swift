import Domain
import Foundation

/// A k-d tree of weighted points on a plane of 16-bit coordinates. The nearest point determines the municipality.
///
/// The splits are stored apart from the points and fit into the L1 cache, so a search waits only for about a dozen
/// leaves of two cache lines each. `geodata/fitting.py` moves and weights the points with the same distance function.
struct WeightedPoints: Sendable {
    /// The square that the coordinates span, in degrees.
    struct Frame {
        let west: Double
        let south: Double
        let extent: Double

        /// As in `geodata/points.py`.
        static let italy = Frame(west: 6.5, south: 35.2, extent: 12.5)
    }

    /// The kilometres per degree, as in `geodata/points.py`.
    private static let kilometresPerLon = 111.32
    private static let kilometresPerLat = 111.0
    private static let steps = 65_535.0
    /// In squared kilometres: points within 100 m count as equally near.
    private static let softening = 0.01

    struct Hit {
        /// The number of the municipality, or nil in another country.
        let owner: Int?
        /// The squared distance in kilometres.
        let squared: Float
        /// The natural logarithm of the distance in kilometres, minus the weight.
        let score: Double
    }

    private let frame: Frame
    private let records: Section
    /// A complete binary tree. The root is node 1 and the children of node i are 2 i and 2 i + 1. Its size equals the
    /// number of leaves.
    private let splits: Section
    /// In place of an area: the points of the municipality take part in all areas, because it is an exclave.
    static let anywhere = UInt8.max
    /// The area of each municipality. Owners beyond the end of the array are abroad.
    private let ownerAreas: [UInt8]

    init(_ file: TableFile, _ frame: Frame, ownerAreas: [UInt8]) throws(GazetteerError) {
        self.frame = frame
        self.ownerAreas = ownerAreas
        records = try file.section("PNTS", stride: 8)
        splits = try file.section("SPLT", stride: 4)
        guard splits.count.nonzeroBitCount == 1, records.count <= Int32.max else {
            throw .damaged(path: file.file.path, section: "PNTS")
        }
    }

    /// The points of the comuni, which take part in their provinces only.
    static func italian(_ file: TableFile, _ places: PlaceTable) throws(GazetteerError) -> WeightedPoints {
        guard places.range(.province).count <= ProvinceSet.maxCount else {
            throw .damaged(path: file.file.path, section: "PNTS")
        }
        var areas = places.range(.comune).map { UInt8(truncatingIfNeeded: places.area($0)) }
        let exclaves = try file.section("EXCL", stride: 2)
        for index in 0..<exclaves.count {
            let comune = Int(exclaves.integer(index, as: UInt16.self))
            guard areas.indices.contains(comune) else { throw .damaged(path: file.file.path, section: "EXCL") }
            areas[comune] = anywhere
        }
        return try WeightedPoints(file, .italy, ownerAreas: areas)
    }

    /// Returns the nearest points in the allowed areas, unordered, within a distance in metres.
    func nearest(
        to coordinate: Coordinate,
        atMost capacity: Int,
        within metres: Double,
        in areas: ProvinceSet?
    ) -> [Hit] {
        let lon = (coordinate.lon - frame.west) / frame.extent * Self.steps
        let lat = (coordinate.lat - frame.south) / frame.extent * Self.steps
        let narrowing = cos(coordinate.lat * .pi / 180)
        let scaleX = frame.extent / Self.steps * Self.kilometresPerLon * narrowing
        let scaleY = frame.extent / Self.steps * Self.kilometresPerLat
        let reach = metres / 1_000
        // The projection is not valid far from the square, but no point is within reach there.
        guard lon > -reach / scaleX, lon < Self.steps + reach / scaleX,
            lat > -reach / scaleY, lat < Self.steps + reach / scaleY
        else { return [] }
        return withUnsafeTemporaryAllocation(of: Nearest.Found.self, capacity: capacity) { memory in
            ownerAreas.withUnsafeBufferPointer { ownerAreas in
                var search = Search(
                    records: records,
                    splits: splits,
                    x: Float(lon),
                    y: Float(lat),
                    scaleX: Float(scaleX),
                    scaleY: Float(scaleY),
                    ownerAreas: ownerAreas,
                    allowed: areas,
                    nearest: Nearest(memory, within: Float(reach * reach))
                )
                search.visit(1, 0, 0)
                return search.nearest.map(hit)
            }
        }
    }

    private func hit(_ found: Nearest.Found) -> Hit {
        let weight = Double(records.integer(found.index, at: 6, as: Int16.self)) / 4096
        let owner = Int(records.integer(found.index, at: 4, as: UInt16.self))
        return Hit(
            owner: owner < ownerAreas.count ? owner : nil,
            squared: found.squared,
            score: log(Double(found.squared) + Self.softening) / 2 - weight
        )
    }

    private struct Search {
        let records: Section
        let splits: Section
        /// The position in coordinate steps of the file, and the kilometres per step.
        let x: Float
        let y: Float
        let scaleX: Float
        let scaleY: Float
        let ownerAreas: UnsafeBufferPointer<UInt8>
        let allowed: ProvinceSet?
        /// Distances are in squared kilometres.
        var nearest: Nearest

        /// - Parameters:
        ///   - awayX: The distance in kilometres from the point to the node's area, along x.
        ///   - awayY: The same along y.
        mutating func visit(_ node: Int, _ awayX: Float, _ awayY: Float) {
            guard node < splits.count else { return scan(leaf: node - splits.count) }
            let split = splits.integer(node, as: UInt32.self)
            let value = Float(UInt16(truncatingIfNeeded: split))
            let isRow = split >> 16 == 1
            let offset = isRow ? (y - value) * scaleY : (x - value) * scaleX
            let near = 2 * node + (offset < 0 ? 0 : 1)
            visit(near, awayX, awayY)
            let (awayX, awayY) = isRow ? (awayX, offset) : (offset, awayY)
            if awayX * awayX + awayY * awayY < nearest.limit { visit(near ^ 1, awayX, awayY) }
        }

        private mutating func scan(leaf: Int) {
            // A shift is used because a division would take more time than half of the leaf.
            let levels = splits.count.trailingZeroBitCount
            let (low, high) = ((leaf * records.count) >> levels, ((leaf + 1) * records.count) >> levels)
            for index in low..<high {
                let record = records.integer(index, as: UInt64.self)
                let dx = (x - Float(UInt16(truncatingIfNeeded: record))) * scaleX
                let dy = (y - Float(UInt16(truncatingIfNeeded: record >> 16))) * scaleY
                let squared = dx * dx + dy * dy
                guard squared < nearest.limit, accepts(Int(UInt16(truncatingIfNeeded: record >> 32))) else { continue }
                nearest.insert(index, squared)
            }
        }

        private func accepts(_ owner: Int) -> Bool {
            guard let allowed, owner < ownerAreas.count, ownerAreas[owner] != WeightedPoints.anywhere else {
                return true
            }
            return allowed.contains(Int(ownerAreas[owner]))
        }
    }
}
