package import Domain
import Foundation

/// A rectangle of the map at a zoom level, in pixels of the whole map: a tile, several tiles, or a picture.
package struct MapWindow: Hashable, Sendable {
    let zoom: Int
    let box: MapNames.Box

    /// A picture around a point. It can reach beyond the ends of the map, where there is sea.
    ///
    /// - Parameters:
    ///   - zoom: A zoom level of tiles.
    ///   - width: In pixels of the map, like the height.
    package init(around centre: Coordinate, zoom: Int, width: Int, height: Int) {
        let (x, y) = Projection(zoom: zoom).position(centre)
        let (left, top) = (x.rounded() - Double(width / 2), y.rounded() - Double(height / 2))
        self.zoom = zoom
        box = MapNames.Box(minX: left, minY: top, maxX: left + Double(width), maxY: top + Double(height))
    }

    init(_ tile: MapTile) {
        self.init(zoom: tile.zoom, column: tile.column, row: tile.row, tiles: 1)
    }

    /// The sheet of four tiles by four that contains a tile. Where the whole map is smaller than a sheet, it is the whole map.
    static func sheet(of tile: MapTile) -> MapWindow {
        let tiles = min(4, 1 << tile.zoom)
        return MapWindow(
            zoom: tile.zoom, column: tile.column / tiles * tiles, row: tile.row / tiles * tiles, tiles: tiles)
    }

    private init(zoom: Int, column: Int, row: Int, tiles: Int) {
        let (left, top) = (Double(column) * MapNames.tileSize, Double(row) * MapNames.tileSize)
        let size = MapNames.tileSize * Double(tiles)
        self.zoom = zoom
        box = MapNames.Box(minX: left, minY: top, maxX: left + size, maxY: top + size)
    }

    var width: Double { box.maxX - box.minX }
    var height: Double { box.maxY - box.minY }

    /// The tiles of which a part is in the window.
    var tiles: [MapTile] {
        let box = box.inset(0.5, 0.5)
        let (columns, rows) = (
            Int((box.minX / MapNames.tileSize).rounded(.down))...Int((box.maxX / MapNames.tileSize).rounded(.down)),
            Int((box.minY / MapNames.tileSize).rounded(.down))...Int((box.maxY / MapNames.tileSize).rounded(.down))
        )
        return rows.flatMap { row in columns.compactMap { MapTile(zoom: zoom, column: $0, row: row) } }
    }

    /// The area of the window and a margin in pixels. It ends at the antimeridian.
    func area(margin: Double) -> BoundingBox? {
        let box = box.inset(-margin, -margin)
        let pixels = MapNames.tileSize * Double(1 << zoom)
        func point(_ x: Double, _ y: Double) -> Coordinate? {
            let (right, down) = (max(0, min(1, x / pixels)), y / pixels)
            let lat = down <= 0 ? 90 : down >= 1 ? -90 : atan(sinh(.pi * (1 - 2 * down))) * 180 / .pi
            return Coordinate(lon: right * 360 - 180, lat: lat)
        }
        guard let southWest = point(box.minX, box.maxY), let northEast = point(box.maxX, box.minY) else { return nil }
        return BoundingBox(southWest: southWest, northEast: northEast)
    }
}
