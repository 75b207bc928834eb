import Foundation

/// A square of the Earth as web maps cut it: Web Mercator, 2^zoom columns from 180 degrees west on and 2^zoom rows from
/// the north on. What lies nearer to a pole than the map reaches stands on its edge.
package struct MapTile: Hashable, Sendable {
    package static let zooms = 0...22
    /// Units a tile is wide and high.
    package static let extent = 4096
    /// Units around a tile that it knows of too, so that symbols on its border are not cut.
    package static let margin = 64
    /// Degrees north and south that the map reaches.
    package static let highestLatitude = 85.051_128_779_806_59

    /// Units to the right and downwards from the upper left corner of a tile.
    package struct Position: Hashable, Sendable {
        package let x: Int
        package let y: Int

        package init(x: Int, y: Int) {
            self.x = x
            self.y = y
        }

        package var isWithinTile: Bool { (0..<extent).contains(x) && (0..<extent).contains(y) }
    }

    package let zoom: Int
    package let column: Int
    package let row: Int

    /// Nil for what is no tile.
    package init?(zoom: Int, column: Int, row: Int) {
        guard Self.zooms.contains(zoom) else { return nil }
        let tiles = 0..<(1 << zoom)
        guard tiles.contains(column), tiles.contains(row) else { return nil }
        self.zoom = zoom
        self.column = column
        self.row = row
    }

    /// Units the whole map is wide and high.
    private var world: Int { Self.extent << zoom }

    /// Where a point stands; nil beyond the margin.
    package func position(of point: Coordinate) -> Position? {
        let sine = sin(point.lat * .pi / 180)
        let x = (point.lon + 180) / 360
        let y = 0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi)
        // Whole units first, so that neighbours agree on whose it is; across the antimeridian the map goes on.
        let reach = zoom == 0 ? 0 : Self.margin
        let right = Int(x * Double(world)) - column * Self.extent + reach
        let down = Int(min(Double(world - 1), max(0, y * Double(world)))) - row * Self.extent
        let position = Position(x: (right % world + world) % world - reach, y: down)
        let known = -Self.margin..<Self.extent + Self.margin
        return known.contains(position.x) && known.contains(position.y) ? position : nil
    }

    /// A window that holds the tile, and with `margin` so many units around it.
    package func box(margin: Int) -> BoundingBox? {
        let (west, east) = (longitude(-margin), longitude(Self.extent + margin))
        guard let southWest = Coordinate(lon: west, lat: latitude(Self.extent + margin)),
            let northEast = Coordinate(lon: east, lat: latitude(-margin))
        else { return nil }
        return BoundingBox(southWest: southWest, northEast: northEast)
    }

    private func longitude(_ x: Int) -> Double {
        guard zoom > 0 else { return x > 0 ? 180 : -180 }
        let lon = Double(column * Self.extent + x) / Double(world) * 360 - 180
        return lon < -180 ? lon + 360 : lon > 180 ? lon - 360 : lon
    }

    private func latitude(_ y: Int) -> Double {
        let down = Double(row * Self.extent + y) / Double(world)
        if down <= 0 { return 90 }
        return down >= 1 ? -90 : atan(sinh(.pi * (1 - 2 * down))) * 180 / .pi
    }
}
