import Domain
import SQL
import SpatiaLite

/// The index is an R*Tree.
extension PointIndex {
    var tree: String { "idx_\(table)_geom" }
    var touchesTree: String { "xmax >= ? AND ymax >= ? AND xmin <= ? AND ymin <= ?" }

    func nearestInTree(_ wanted: Search, _ db: SQLConnection) throws -> [Hit] {
        var search = NearestSearch<Int64, Void>(centre: wanted.centre, radius: wanted.radius, limit: wanted.limit)
        var walk = try search.walk(db, table: tree, box: wanted.box)
        let rows = try PreparedStatement(db, "SELECT geom FROM \(table) WHERE id = ?1 AND \(wanted.condition)")
        while let key = try walk.next() {
            try rows.restart(key)
            guard try rows.next() else { continue }
            guard let point = Coordinate(geometry: rows.row.blob(0)) else {
                throw UnreadableRow("\(table) \(key): geometry is not a point")
            }
            guard wanted.box?.contains(point) ?? true else { continue }
            search.take(point, key: key, from: &walk) {}
        }
        return search.hits.map { Hit(key: $0.key, distance: $0.distance) }
    }

    /// At low zoom levels the R*Tree's approximate coordinates suffice, which costs a third.
    func pointsInTree(where condition: String?, isExact: Bool) -> String {
        let columns = isExact || condition != nil ? "pkid, ST_X(geom), ST_Y(geom)" : "pkid, xmin, ymin"
        let join = isExact || condition != nil ? "CROSS JOIN \(table) ON id = pkid AND \(condition ?? "TRUE")" : ""
        return "SELECT \(columns) FROM \(tree) \(join) WHERE \(touchesTree) LIMIT ?"
    }
}
