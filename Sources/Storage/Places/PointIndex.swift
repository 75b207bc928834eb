import Domain
import SQL
import SpatiaLite

/// The spatial index of the points in the column `geom` of a table, whose key is `id`.
struct PointIndex: Sendable {
    let table: String

    struct Hit {
        let key: Int64
        /// In metres on the ellipsoid.
        let distance: Double
    }

    /// A search for the nearest points.
    struct Search {
        let centre: Coordinate
        /// In metres; nil for any distance.
        var radius: Double?
        var box: BoundingBox?
        /// A condition on the columns of the table.
        var condition = "TRUE"
        let limit: Int
    }

    /// Returns the nearest points in the order of their distances; the key decides between equal ones.
    func nearest(_ search: Search, _ db: SQLConnection) throws -> [Hit] {
        switch db.engine {
        case .spatiaLite: try nearestInTree(search, db)
        case .postGIS: try nearestByRings(search, db)
        }
    }

    /// Returns at most `limit` points in a box.
    ///
    /// - Parameters:
    ///   - condition: a condition on the columns of the table; nil for all rows.
    ///   - isExact: whether the points must be exact; otherwise they may be rounded to 32-bit floats.
    func points(
        in box: BoundingBox,
        where condition: String?,
        isExact: Bool,
        atMost limit: Int,
        _ db: SQLConnection
    ) throws -> [Candidate] {
        let sql =
            switch db.engine {
            case .spatiaLite: pointsInTree(where: condition, isExact: isExact)
            case .postGIS:
                """
                SELECT id, ST_X(geom), ST_Y(geom) FROM \(table)
                WHERE \(self.condition(on: .postGIS)) AND \(condition ?? "TRUE") LIMIT ?
                """
            }
        var found: [Candidate] = []
        for extent in box.extents {
            let scan = try PreparedStatement(db, sql, extent.corners + [.integer(Int64(limit))])
            guard try scan.collect(into: &found, upTo: limit) else { break }
        }
        return found
    }

    /// Returns a condition that a row of the table is in a box, given as the values of the next four parameters: west,
    /// south, east and north. It may also hold for rows at the border of the box.
    func condition(on engine: SQLEngine) -> String {
        switch engine {
        case .spatiaLite: "\(table).id IN (SELECT pkid FROM \(tree) WHERE \(touchesTree))"
        case .postGIS: "\(table).geom && ST_MakeEnvelope(?, ?, ?, ?, 4326)"
        }
    }

    /// Returns the bounding box of all points; nil if there are none. It may be rounded to 32-bit floats.
    func extent(_ db: SQLConnection) throws -> BoundingBox? {
        switch db.engine {
        case .spatiaLite: try RTreeWalk.extent(db, table: tree)
        case .postGIS: try extentOfTable(db)
        }
    }
}

extension CellCover.Extent {
    /// West, south, east and north.
    var corners: [SQLValue] { [west, south, east, north].map(SQLValue.real) }
}
