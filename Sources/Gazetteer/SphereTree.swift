import Domain
import Foundation

/// A position as a point on the unit sphere.
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

    /// Returns the squared chord length between two points, in squared radii.
    func squaredChord(to other: UnitVector) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }

    /// The coordinate, rounded to the five decimals (1.1 m) of the sources. Single precision keeps 0.5 m.
    var coordinate: Coordinate? {
        let lat = atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi
        let lon = atan2(y, x) * 180 / .pi
        return Coordinate(lon: (lon * 1e5).rounded() / 1e5, lat: (lat * 1e5).rounded() / 1e5)
    }
}

/// A k-d tree of points on the unit sphere, stored in an array: the root of `low..<high` is at `(low + high) / 2`.
///
/// Every record begins with x, y and z in single precision. The two high bits of the area at byte 20 give the split
/// axis. Chord lengths have the same order as great-circle distances, so the poles and the antimeridian need no special
/// treatment.
struct SphereTree: Sendable {
    static let areaMask: UInt16 = 0x3FFF

    struct Hit {
        let index: Int
        let squaredChord: Double
    }

    let records: Section
    /// The number of records in the tree, counted from the first.
    let count: Int

    @inline(__always)
    func vector(_ index: Int) -> UnitVector {
        UnitVector(x: records.float(index, at: 0), y: records.float(index, at: 4), z: records.float(index, at: 8))
    }

    /// Returns the nearest points in the allowed areas, unordered, within a limit.
    ///
    /// - Parameters:
    ///   - limit: The maximum squared chord length, in squared radii.
    ///   - areas: Whether each 14-bit area number is allowed; nil allows all.
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

        /// Adds the point if it is near enough. Returns the signed distance of the query from the record's split plane,
        /// in radii.
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
