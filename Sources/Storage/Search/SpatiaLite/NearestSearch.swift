package import Domain
package import SQL
package import SpatiaLite

/// Reads an R*Tree best first and computes distances only for entries that may be among the nearest.
///
/// The cost depends on the number of requested rows, not on the number of rows inside the circle.
package struct NearestSearch<Key: Comparable, Value> {
    package struct Hit {
        package let distance: Double
        package let key: Key
        package let value: Value
    }

    /// In metres. Boxes of an R*Tree are 32-bit numbers that are rounded outwards, so a point may be this far inside
    /// its box.
    private static var boxSlack: Double { 10 }

    private let centre: Coordinate
    private let radius: Double
    private let limit: Int
    private let after: (distance: Double, key: Key)?
    package private(set) var hits: [Hit] = []

    package init(centre: Coordinate, radius: Double?, limit: Int, after: (distance: Double, key: Key)? = nil) {
        self.centre = centre
        self.radius = radius ?? Coordinate.maxDistance
        self.limit = limit
        self.after = after
    }

    /// Returns the entries that may be among the nearest, without those that an earlier page has shown.
    package func walk(
        _ db: SQLConnection,
        table: String,
        box: BoundingBox?,
        where isWanted: @escaping (Int64) -> Bool = { _ in true }
    ) throws -> RTreeWalk {
        let inner = max(0, (after?.distance ?? 0) - Self.boxSlack)
        return try RTreeWalk(
            db,
            table: table,
            centre: centre,
            range: inner...max(inner, radius + Self.boxSlack),
            box: box,
            where: isWanted
        )
    }

    /// Takes a row of the walk, and then limits the walk to the distance that can still improve the result.
    package mutating func take(
        _ point: Coordinate,
        key: Key,
        from walk: inout RTreeWalk,
        value: () throws -> Value
    ) rethrows {
        let distance = centre.distance(to: point)
        guard distance <= radius, isAfterCursor(distance, key) else { return }
        // Searches from the end, because later entries of the walk are mostly farther away.
        let place = hits.lastIndex { ($0.distance, $0.key) < (distance, key) }.map { $0 + 1 } ?? 0
        guard place < limit else { return }
        if hits.count == limit { hits.removeLast() }
        hits.insert(Hit(distance: distance, key: key, value: try value()), at: place)
        if hits.count == limit, let worst = hits.last { walk.narrow(to: worst.distance + Self.boxSlack) }
    }

    private func isAfterCursor(_ distance: Double, _ key: Key) -> Bool {
        guard let after else { return true }
        return (after.distance, after.key) < (distance, key)
    }
}
