import Foundation

/// A tile of a web map in Web Mercator: 2^zoom columns from 180 degrees west and 2^zoom rows from the north. Points
/// closer to a pole than the map extends are placed on its edge.
package struct MapTile: Hashable, Sendable {
    package static let zooms = 0...22
    /// The width and height of a tile in units.
    package static let extent = 4096
    /// The margin in units around a tile whose points the tile also contains, so that symbols on the border are not cut
    /// off.
    package static let margin = 64
    /// The latitude in degrees, north and south, at which the map ends.
    package static let highestLatitude = 85.051_128_779_806_59

    /// A position in units, to the right and downwards from the upper left corner of a tile.
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

    /// Returns nil if there is no such tile.
    package init?(zoom: Int, column: Int, row: Int) {
        guard Self.zooms.contains(zoom) else { return nil }
        let tiles = 0..<(1 << zoom)
        guard tiles.contains(column), tiles.contains(row) else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// The width and height of the whole map in units.
    private var world: Int { Self.extent << zoom }

    /// Returns the position of a point on the whole map, to the right and downwards, from 0 to 1.
    package static func fraction(of point: Coordinate) -> (x: Double, y: Double) {
        let lat = max(-highestLatitude, min(highestLatitude, point.lat))
        let sine = sin(lat * .pi / 180)
        return ((point.lon + 180) / 360, 0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi))
    }

    /// Returns the position of a point in the tile; nil if it is outside the tile and its margin.
    package func position(of point: Coordinate) -> Position? {
        let sine = sin(point.lat * .pi / 180)
        let x = (point.lon + 180) / 360
        let y = 0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi)
        // Rounds to units before subtracting the tile's corner, so that adjacent tiles agree on which one contains the
        // point. The map continues across the antimeridian.
        let reach = zoom == 0 ? 0 : Self.margin
        let right = Int(x * Double(world)) - column * Self.extent + reach
        let down = Int(min(Double(world - 1), max(0, y * Double(world)))) - row * Self.extent
        let position = Position(x: (right % world + world) % world - reach, y: down)
        let known = -Self.margin..<Self.extent + Self.margin
        return known.contains(position.x) && known.contains(position.y) ? position : nil
    }

    /// Returns a box that contains the tile and a margin of `margin` units.
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
