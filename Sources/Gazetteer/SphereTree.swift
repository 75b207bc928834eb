import Domain
import Foundation

/// A position as a point of the unit sphere.
struct UnitVector {
    let x: Double
    let y: Double
    let z: Double

    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    init(_ coordinate: Coordinate) {
        let phi = coordinate.lat * .pi / 180
        let theta = coordinate.lon * .pi / 180
        self.init(x: cos(phi) * cos(theta), y: cos(phi) * sin(theta), z: sin(phi))
    }

    /// The square of the straight line between two points of the sphere, in squared radii.
    func squaredChord(to other: UnitVector) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }

    /// Rounded to the five decimals (1.1 m) of the sources; single precision keeps 0.5 m.
    var coordinate: Coordinate? {
        let lat = atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi
        let lon = atan2(y, x) * 180 / .pi
        return Coordinate(lon: (lon * 1e5).rounded() / 1e5, lat: (lat * 1e5).rounded() / 1e5)
    }
}

/// A k-d tree of points of the unit sphere laid out in an array: of `low..<high` the root is `(low + high) / 2`.
///
/// Every record begins with x, y, z in single precision; the two high bits of the area at byte 20 are the axis it
/// splits. Straight lines rank as great circles do, so poles and antimeridian are nothing special.
struct SphereTree: Sendable {
    static let areaMask: UInt16 = 0x3FFF

    struct Hit {
        let index: Int
        let squaredChord: Double
    }

    let records: Section
    /// The tree is the first so many records.
    let count: Int

    @inline(__always)
    func vector(_ index: Int) -> UnitVector {
        UnitVector(x: records.float(index, at: 0), y: records.float(index, at: 4), z: records.float(index, at: 8))
    }

    /// The nearest points of the areas allowed, in no order, all nearer than the limit.
    ///
    /// - Parameters:
    ///   - limit: in squared radii.
    ///   - areas: by 14-bit area; nil allows all.
    func nearest(
        to query: UnitVector,
        atMost capacity: Int,
        within limit: Double = .infinity,
        in areas: [Bool]? = nil
    ) -> [Hit] {
        withUnsafeTemporaryAllocation(of: Nearest.Found.self, capacity: capacity) { memory in
            let nearest = Nearest(memory, within: Float(limit))
            var search = Search(tree: self, query: query, areas: areas, nearest: nearest)
            search.visit(0, count)
            return search.nearest.map { Hit(index: $0.index, squaredChord: Double($0.squared)) }
        }
    }

    private struct Search {
        let tree: SphereTree
        let query: UnitVector
        let areas: [Bool]?
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
            if Float(offset * offset) < nearest.limit { visit(isBelow ? middle + 1 : low, isBelow ? high : middle) }
        }

        /// How far the point is from the plane at which the record splits, in radii.
        @inline(__always)
        private mutating func measure(_ index: Int) -> Double {
            let point = tree.vector(index)
            let split: UInt16 = tree.records.integer(index, at: 20)
            let squared = Float(query.squaredChord(to: point))
            if squared < nearest.limit, accepts(Int(split & SphereTree.areaMask)) { nearest.insert(index, squared) }
            switch split >> 14 {
            case 0: return query.x - point.x
            case 1: return query.y - point.y
            default: return query.z - point.z
            }
        }

        private func accepts(_ area: Int) -> Bool {
            guard let areas else { return true }
            return areas[area]
        }
    }
}
