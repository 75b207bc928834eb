package import Domain
package import SpatiaLite

/// Walks an R*Tree best first and measures only what may still be among the nearest.
///
/// The cost follows the number of rows asked for, not the number of rows inside the circle.
package struct NearestSearch<Key: Comparable, Value> {
    package struct Hit {
        package let distance: Double
        package let key: Key
        package let value: Value
    }

    /// Boxes of an R*Tree are 32-bit numbers rounded outwards: a point may lie this many metres inside its box.
    private static var boxSlack: Double { 10 }

    private let centre: Coordinate
    private let radius: Double
    private let limit: Int
    private let after: (distance: Double, key: Key)?
    package private(set) var hits: [Hit] = []

    package init(centre: Coordinate, radius: Double?, limit: Int, after: (distance: Double, key: Key)? = nil) {
        self.centre = centre
        self.radius = radius ?? Coordinate.farthest
        self.limit = limit
        self.after = after
    }

    /// For `MATCH nearest(?, ?, ?, ?)`; what an earlier page showed is not walked again.
    package var treeValues: [SQLValue] {
        [centre.lon, centre.lat, max(0, (after?.distance ?? 0) - Self.boxSlack), radius + Self.boxSlack]
            .map(SQLValue.real)
    }

    /// Takes the next row of the walk; false when no later one can be nearer than those kept.
    package mutating func take(_ point: Coordinate, key: Key, value: () throws -> Value) rethrows -> Bool {
        if hits.count == limit, let worst = hits.last,
            centre.lowerBound(of: point) - Self.boxSlack > worst.distance
        {
            return false
        }
        let distance = centre.distance(to: point)
        guard distance <= radius, isAfterCursor(distance, key) else { return true }
        // From the end: what the walk meets later is mostly farther.
        let place = hits.lastIndex { ($0.distance, $0.key) < (distance, key) }.map { $0 + 1 } ?? 0
        guard place < limit else { return true }
        if hits.count == limit { hits.removeLast() }
        hits.insert(Hit(distance: distance, key: key, value: try value()), at: place)
        return true
    }

    private func isAfterCursor(_ distance: Double, _ key: Key) -> Bool {
        guard let after else { return true }
        return (after.distance, after.key) < (distance, key)
    }
}
