import CPangoCairo
package import Domain
import Fonts
package import Foundation
package import Gazetteer
import Synchronization

/// The reason why a tile could not be drawn: Cairo's message.
package struct BasemapError: Error, CustomStringConvertible {
    package let description: String
}

/// Draws the map behind pins: land and sea with the borders of areas, and names.
package final class Basemap: Sendable {
    /// The zoom levels of tiles.
    package static let zooms = 0...19
    /// Changes with what tiles look like.
    package static let design = 1

    private let gazetteer: Gazetteer
    /// Made when the first tile is drawn, in about a tenth of a second.
    private let names = Mutex<MapNames?>(nil)

    package init(_ gazetteer: Gazetteer) {
        self.gazetteer = gazetteer
    }

    /// Returns a tile as PNG. The same tile always has the same bytes.
    ///
    /// The method can be called from any thread; tiles are drawn one after another.
    ///
    /// - Parameter scale: The pixels of a device for one of the map, 1 or 2.
    /// - Throws: `BasemapError`.
    package func png(_ tile: MapTile, scale: Int, _ style: BasemapStyle) throws -> Data {
        let land = land(around: tile)
        let names = names.withLock { made in
            let names = made ?? MapNames(gazetteer)
            made = names
            return names
        }.names(in: tile)
        return try Fonts.use { fonts in
            let canvas = TileCanvas(scale: scale, style, fonts)
            canvas.draw(land, in: tile)
            // The names of large places are above the others.
            for name in names.reversed() { canvas.draw(name, in: tile) }
            return try canvas.png()
        }
    }

    /// Returns the polygons in and near a tile, whose details are smaller than a pixel.
    private func land(around tile: MapTile) -> [[[Coordinate]]] {
        let degrees = 360 / (MapNames.tileSize * Double(1 << tile.zoom))
        return tile.box(margin: MapTile.margin).map { gazetteer.outlines(in: $0, tolerance: degrees / 2) } ?? []
    }
}
