package import Domain

/// Several points that a map shows as one marker.
package struct MapCluster: Equatable, Sendable {
    package let count: ListingCount
    /// The mean position of the points.
    package let centre: Coordinate
}

/// The contents of a map tile and its margin: single points and clusters.
struct TileContents {
    var singles: [Candidate] = []
    var clusters: [MapCluster] = []

    /// Tiles with at most so many points show each of them separately.
    static let few = 500
    /// The width and height of the area of one cluster, in units of a tile. These areas never cross the border of a
    /// tile.
    private static let pitch = 256

    /// The approximate maximum number of single listings in a tile whose contents are counted by cells, independent of
    /// its division into cells.
    private static let maxSingles = 640
    /// The last zoom level on which a tile is not smaller than a cell of the finest level.
    static let lastCounted = 14

    /// The level of the cells whose counts decide what a tile shows.
    static func level(of tile: MapTile) -> Int { min(CellCover.finest, (tile.zoom + 2) / 2 * 2) }

    /// Cells of this level with at most so many listings show each of them. At the equator a tile is twice as many cells
    /// high as wide.
    static func few(in tile: MapTile) -> Int { maxSingles >> (2 * (level(of: tile) - tile.zoom) + 1) }

    init() {}

    /// - Parameter isAll: false if the candidates are incomplete.
    init(_ candidates: [Candidate], in tile: MapTile, isAll: Bool) {
        let placed = candidates.compactMap { candidate in
            tile.position(of: candidate.point).map { (candidate: candidate, position: $0) }
        }
        guard !isAll || placed.count(where: \.position.isWithinTile) > Self.few else {
            singles = placed.map(\.candidate)
            return
        }
        let groups = Dictionary(grouping: placed) { _, position in
            MapTile.Position(x: Self.part(position.x), y: Self.part(position.y))
        }
        for (_, group) in groups.sorted(by: { ($0.key.y, $0.key.x) < ($1.key.y, $1.key.x) }) {
            add(group.map(\.candidate), isAll: isAll)
        }
    }

    private static func part(_ units: Int) -> Int { Int((Double(units) / Double(pitch)).rounded(.down)) }

    private mutating func add(_ group: [Candidate], isAll: Bool) {
        guard group.count > 1 else {
            singles += group
            return
        }
        let number = Double(group.count)
        let (lon, lat) = group.reduce((0, 0)) { ($0.0 + $1.point.lon, $0.1 + $1.point.lat) }
        guard let centre = Coordinate(lon: lon / number, lat: lat / number) else { return }
        clusters.append(MapCluster(count: ListingCount(count: group.count, isExact: isAll), centre: centre))
    }

    /// Returns only the contents that are inside the tile or its margin.
    func within(_ tile: MapTile) -> TileContents {
        var contents = self
        contents.singles.removeAll { tile.position(of: $0.point) == nil }
        contents.clusters.removeAll { tile.position(of: $0.centre) == nil }
        return contents
    }
}
