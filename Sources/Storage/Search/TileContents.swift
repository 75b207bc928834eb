package import Domain

/// Several that a map shows as one.
package struct MapCluster: Equatable, Sendable {
    package let count: ListingCount
    /// The mean of where they stand.
    package let centre: Coordinate
}

/// What stands in a tile of a map and in its margin: each by itself, or several as one.
struct TileContents {
    var singles: [Candidate] = []
    var clusters: [MapCluster] = []

    /// So many within a tile show each by itself.
    static let few = 500
    /// Units of a tile that one cluster is wide and high. They never cross the border of a tile.
    private static let pitch = 256

    init() {}

    /// - Parameter isAll: false where there are more, in the tile or elsewhere.
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

    /// Only what the tile or its margin holds.
    func within(_ tile: MapTile) -> TileContents {
        var contents = self
        contents.singles.removeAll { tile.position(of: $0.point) == nil }
        contents.clusters.removeAll { tile.position(of: $0.centre) == nil }
        return contents
    }
}
