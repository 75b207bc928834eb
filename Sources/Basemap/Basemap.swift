import CPangoCairo
package import Domain
import Fonts
package import Foundation
package import Gazetteer
package import MapDatabase
import Synchronization

/// The reason why a tile could not be drawn: Cairo's message.
package struct BasemapError: Error, CustomStringConvertible {
    package let description: String
}

/// Draws the map behind pins: land and sea, names, and where there is an extract of OpenStreetMap, streets, water, woods
/// and buildings; elsewhere the borders of areas.
package final class Basemap: Sendable {
    /// The zoom levels of tiles.
    package static let zooms = 0...19
    /// Changes with what tiles look like.
    package static let design = 2
    /// Below this zoom level, outlines are as precise as coastlines.
    private static let firstCoast = 9
    /// In units of a tile: 24 pixels, because roads are wide, and borders are not to be seen.
    private static let margin = 384

    private let gazetteer: Gazetteer
    /// Made when the first tile is drawn, in about a tenth of a second.
    private let names = Mutex<MapNames?>(nil)
    private let labels = Mutex(LabelCache())

    package init(_ gazetteer: Gazetteer) {
        self.gazetteer = gazetteer
    }

    /// Returns a tile as PNG. The same tile always has the same bytes.
    ///
    /// The method can be called from any thread; tiles are drawn one after another.
    ///
    /// - Parameters:
    ///   - scale: The pixels of a device for one of the map, 1 or 2.
    ///   - maps: the extracts of OpenStreetMap.
    /// - Throws: `BasemapError`, or SQLite's error.
    package func png(_ tile: MapTile, scale: Int, _ style: BasemapStyle, maps: [MapDatabase] = []) throws -> Data {
        let box = tile.box(margin: Self.margin)
        let near = maps.filter { map in box.map { map.extent?.meets($0) ?? false } ?? false }
        let coast = try box.flatMap { box in
            tile.zoom < Self.firstCoast ? nil : try Coast(maps).land(in: box, zoom: tile.zoom)
        }
        let outlines = coast == nil ? outlines(around: tile) : []
        let shapes = try box.map { box in try near.flatMap { try $0.shapes(in: box, zoom: tile.zoom) } } ?? []
        let names = townNames(in: [tile])
        let labels = try near.isEmpty ? [] : labels(on: tile, near)
        return try Fonts.use { fonts in
            let canvas = TileCanvas(scale: scale, style, fonts)
            canvas.draw(coast ?? outlines, in: tile, hasBorders: coast == nil)
            canvas.draw(near.count > 1 ? shapes.sorted { $0.kind.order < $1.kind.order } : shapes, in: tile)
            for label in labels { canvas.draw(label, in: tile) }
            // The names of large places are above the others.
            for name in names.reversed() { canvas.draw(name, in: tile) }
            return try canvas.png()
        }
    }

    /// Returns the polygons in and near a tile, whose details are smaller than a pixel.
    private func outlines(around tile: MapTile) -> [[[Coordinate]]] {
        let degrees = 360 / (MapNames.tileSize * Double(1 << tile.zoom))
        return tile.box(margin: MapTile.margin).map { gazetteer.outlines(in: $0, tolerance: degrees / 2) } ?? []
    }

    private func townNames(in tiles: [MapTile]) -> [MapNames.Name] {
        let all = names.withLock { made in
            let names = made ?? MapNames(gazetteer)
            made = names
            return names
        }
        return tiles.flatMap(all.names)
    }

    /// Returns the labels of which a part may be in a tile.
    private func labels(on tile: MapTile, _ maps: [MapDatabase]) throws -> [MapLabels.Label] {
        let sheet = MapLabels.Sheet(tile)
        let key = LabelCache.Key(sheet: sheet, maps: maps.map(ObjectIdentifier.init))
        if let known = labels.withLock({ $0[key] }) { return known }
        let made = try MapLabels(sheet, maps, towns: townNames(in: sheet.tiles)).labels
        labels.withLock { $0.keep(made, key, maps) }
        return made
    }
}

/// The labels of the sheets that were drawn last.
private struct LabelCache {
    struct Key: Hashable {
        let sheet: MapLabels.Sheet
        let maps: [ObjectIdentifier]
    }

    private static let maxCount = 64

    /// The maps are kept, because another one could have the same identifier later.
    private var sheets: [Key: (labels: [MapLabels.Label], maps: [MapDatabase])] = [:]
    private var order: [Key] = []

    subscript(key: Key) -> [MapLabels.Label]? { sheets[key]?.labels }

    mutating func keep(_ labels: [MapLabels.Label], _ key: Key, _ maps: [MapDatabase]) {
        if sheets.updateValue((labels, maps), forKey: key) == nil { order.append(key) }
        if order.count > Self.maxCount { sheets[order.removeFirst()] = nil }
    }
}

extension BoundingBox {
    /// Whether two boxes that do not cross the antimeridian have a point in common.
    fileprivate func meets(_ other: BoundingBox) -> Bool {
        southWest.lon <= other.northEast.lon && northEast.lon >= other.southWest.lon
            && southWest.lat <= other.northEast.lat && northEast.lat >= other.southWest.lat
    }
}
