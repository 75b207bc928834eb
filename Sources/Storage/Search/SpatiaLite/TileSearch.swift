import Domain
import SQL

/// Finds the contents of a map tile in a number of steps that does not depend on the number of listings.
///
/// Up to zoom level 14 the precomputed counts of cells decide: a cell with few listings shows each of them, one with
/// many shows clusters by the cells of the next finer level. A cell on the border of two tiles is treated in the same
/// way in both, and a cluster belongs to the tile that contains its centre, so that together the tiles of a zoom level
/// show each listing once. At higher zoom levels, and for queries with other conditions than status and species, the
/// listings themselves are read, and each tile forms its own clusters.
struct TileSearch {
    private let db: SQLConnection
    private let query: ListingQuery
    private let tile: MapTile
    private let search: SearchPlan
    private let space: SearchArea

    private static let coverLimit = 12
    /// The maximum number of rows that are read individually. If there are more, the same number again is read for a
    /// lower bound of the count.
    private static let budget = 1500

    init(_ db: SQLConnection, _ query: ListingQuery, _ tile: MapTile) {
        var query = query
        query.includesHidden = false
        query.box = tile.box(margin: MapTile.margin + 1)
        self.db = db
        self.query = query
        self.tile = tile
        search = SearchPlan(db, query)
        space = SearchArea(circle: nil, box: query.box)
    }

    func run() throws -> TileContents {
        let contents = query.isPlain && tile.zoom <= TileContents.lastCounted ? try counted() : try gathered()
        return contents.within(tile)
    }

    // MARK: - By cells

    private func counted() throws -> TileContents {
        let (level, few) = (TileContents.level(of: tile), TileContents.few(in: tile))
        let coarse = try CellCounts(db, query)
        let fine = try CellCounts(db, query)
        let listings = try PreparedStatement(
            db,
            "SELECT id, lon, lat FROM board_cell WHERE cell = ? AND \(query.kindCondition)"
        )
        var contents = TileContents()
        func addListings(in cell: Int64) throws {
            try listings.restart(cell)
            _ = try listings.collect(into: &contents.singles, upTo: .max)
        }
        for range in space.cover(level: level).numbers {
            try coarse.read(range) { sum in
                if sum.count <= few {
                    try addListings(in: sum.cell)
                } else if let children = Cell.childNumbers(of: sum.cell, level: level) {
                    try fine.read(children) { child in
                        if child.count > 1 {
                            if let cluster = child.cluster { contents.clusters.append(cluster) }
                        } else if let centre = child.centre, tile.position(of: centre) != nil {
                            try addListings(in: child.cell)
                        }
                    }
                } else if let cluster = sum.cluster {
                    contents.clusters.append(cluster)
                }
            }
        }
        return contents
    }

    // MARK: - By listings

    private func gathered() throws -> TileContents {
        let cover = space.cover(atMost: Self.coverLimit)
        let found = try search.gather(in: cover, budget: Self.budget)
        if found.isAll { return TileContents(try search.points(of: found), in: tile, isAll: true) }
        var inner = query
        inner.box = tile.box(margin: 0)
        let clusters = try ListingCounter(db, inner).clusters(zoom: tile.zoom, of: found, budget: Self.budget)
        var contents = TileContents()
        contents.clusters = clusters.map { MapCluster(count: $0.count, centre: $0.centre) }
        return contents
    }
}

extension CellCounts.Sum {
    /// The mean position of the listings.
    fileprivate var centre: Coordinate? {
        let units = Double(count) * 1e7
        return Coordinate(lon: Double(lon) / units, lat: Double(lat) / units)
    }

    fileprivate var cluster: MapCluster? {
        centre.map { MapCluster(count: ListingCount(count: count), centre: $0) }
    }
}
