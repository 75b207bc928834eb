import Domain
import SQL

/// Finds the contents of a map tile, as `TileSearch` does, with three statements.
struct PostGISTile {
    private let db: SQLConnection
    private let query: ListingQuery
    private let tile: MapTile

    private static let coverLimit = 12
    /// The maximum number of rows that are read individually.
    private static let budget = 1500

    init(_ db: SQLConnection, _ query: ListingQuery, _ tile: MapTile) {
        (self.db, self.tile) = (db, tile)
        var query = query
        query.includesHidden = false
        query.box = tile.box(margin: MapTile.margin + 1)
        self.query = query
    }

    func contents() throws -> TileContents {
        let contents = query.isPlain && tile.zoom <= TileContents.lastCounted ? try counted() : try gathered()
        return contents.within(tile)
    }

    private func counted() throws -> TileContents {
        let level = TileContents.level(of: tile)
        let counts = PostGISCellCounts(db, query)
        let coarse = try counts.read(
            SearchArea(circle: nil, box: query.box).cover(level: level).cells.map(\.number)
        )
        var contents = TileContents()
        var (single, crowded) = ([Int64](), [Int64]())
        for (cell, tally) in coarse.sorted(by: { $0.key < $1.key }) {
            if tally.count.count <= TileContents.few(in: tile) {
                single.append(cell)
            } else if let children = Cell.childNumbers(of: cell, level: level) {
                crowded += children
            } else if let cluster = tally.mapCluster {
                contents.clusters.append(cluster)
            }
        }
        for (cell, tally) in try counts.read(crowded).sorted(by: { $0.key < $1.key }) {
            guard let cluster = tally.mapCluster else { continue }
            if tally.count.count > 1 {
                contents.clusters.append(cluster)
            } else if tile.position(of: cluster.centre) != nil {
                single.append(cell)
            }
        }
        contents.singles = try counts.listings(single)
        return contents
    }

    private func gathered() throws -> TileContents {
        let cover = SearchArea(circle: nil, box: query.box).cover(atMost: Self.coverLimit)
        let found = try PostGISCounter(db, query).gather(in: cover, budget: Self.budget)
        if found.isAll { return TileContents(found.points, in: tile, isAll: true) }
        var inner = query
        inner.box = tile.box(margin: 0)
        let clusters = try PostGISCounter(db, inner).clusters(zoom: tile.zoom, of: found, budget: Self.budget)
        var contents = TileContents()
        contents.clusters = clusters.map { MapCluster(count: $0.count, centre: $0.centre) }
        return contents
    }
}

extension ListingTally {
    fileprivate var mapCluster: MapCluster? {
        let units = Double(count.count) * 1e7
        return Coordinate(lon: Double(lon) / units, lat: Double(lat) / units).map {
            MapCluster(count: count, centre: $0)
        }
    }
}
