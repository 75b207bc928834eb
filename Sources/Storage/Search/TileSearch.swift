import Domain
import SpatiaLite

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

    /// The approximate maximum number of single listings in a tile, independent of its division into cells.
    private static let maxSingles = 640
    /// The last zoom level on which a tile is not smaller than a cell of the finest level.
    private static let lastCounted = 14
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
        let contents = search.isPlain && tile.zoom <= Self.lastCounted ? try counted() : try gathered()
        return contents.within(tile)
    }

    // MARK: - By cells

    /// A cell, the number of its listings, and their mean position.
    private struct Sum {
        let cell: Int64
        let cluster: MapCluster

        var count: Int { cluster.count.count }
    }

    private func counted() throws -> TileContents {
        let level = min(CellCover.finest, (tile.zoom + 2) / 2 * 2)
        // At the equator a tile is twice as many cells high as wide.
        let few = Self.maxSingles >> (2 * (level - tile.zoom) + 1)
        var contents = TileContents()
        for cell in space.cover(level: level).cells {
            for sum in try sums(cell.number...cell.number) {
                if sum.count <= few {
                    contents.singles += try listings(in: sum.cell)
                } else if let children = cell.childNumbers {
                    for child in try sums(children) { try add(child, to: &contents) }
                } else {
                    contents.clusters.append(sum.cluster)
                }
            }
        }
        return contents
    }

    private func add(_ sum: Sum, to contents: inout TileContents) throws {
        if sum.count > 1 {
            contents.clusters.append(sum.cluster)
        } else if tile.position(of: sum.cluster.centre) != nil {
            contents.singles += try listings(in: sum.cell)
        }
    }

    /// Returns the precomputed counts of cells; cells without listings are omitted.
    private func sums(_ cells: ClosedRange<Int64>) throws -> [Sum] {
        let scan = try PreparedStatement(
            db,
            """
            SELECT cell, sum(listings), sum(lon_sum), sum(lat_sum) FROM board_count
            WHERE cell BETWEEN ? AND ? AND \(condition) GROUP BY cell
            """,
            [.integer(cells.lowerBound), .integer(cells.upperBound)]
        )
        var sums: [Sum] = []
        while try scan.next() {
            let count = Int(scan.integer(1))
            let (lon, lat) = (Double(scan.integer(2)), Double(scan.integer(3)))
            let units = Double(count) * 1e7
            guard count > 0, let centre = Coordinate(lon: lon / units, lat: lat / units) else { continue }
            let cluster = MapCluster(count: ListingCount(count: count), centre: centre)
            sums.append(Sum(cell: scan.integer(0), cluster: cluster))
        }
        return sums
    }

    private func listings(in cell: Int64) throws -> [Candidate] {
        let scan = try PreparedStatement(
            db,
            "SELECT id, lon, lat FROM board_cell WHERE cell = ? AND \(condition)",
            [.integer(cell)]
        )
        var found: [Candidate] = []
        _ = try scan.collect(into: &found, upTo: .max)
        return found
    }

    private var condition: String {
        let statuses = query.statuses.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return "status IN (\(statuses))" + (query.species.map { " AND species = '\($0.rawValue)'" } ?? "")
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
