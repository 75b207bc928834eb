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
    package static let design = 3
    /// Below this zoom level, outlines are as precise as coastlines.
    private static let firstCoast = 9
    /// In pixels, because roads are wide, and borders are not to be seen.
    private static let margin = 24.0
    /// In pixels. The borders of outlines are thin.
    private static let outlineMargin = 4.0

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
        let window = MapWindow(tile)
        let shapes = try shapes(in: window, maps)
        let labels = try shapes.near.isEmpty ? [] : labels(on: tile, shapes.near)
        return try draw(window, scale: scale, style, maps, shapes.found, labels, townNames(in: [tile]))
    }

    /// Returns a picture as PNG; nil if the extracts show nothing there. No name is cut at its border.
    ///
    /// - Parameter scale: The pixels of the picture for one of the map.
    package func png(_ window: MapWindow, scale: Int, maps: [MapDatabase]) throws -> Data? {
        let shapes = try shapes(in: window, maps)
        guard !shapes.found.isEmpty else { return nil }
        var known = Set<MapNames.Name>()
        let towns = townNames(in: window.tiles).filter { window.box.contains($0.box) && known.insert($0).inserted }
        let labels = try MapLabels(window, shapes.near, towns: towns).labels
        return try draw(window, scale: scale, .light, maps, shapes.found, labels, towns)
    }

    private func draw(
        _ window: MapWindow,
        scale: Int,
        _ style: BasemapStyle,
        _ maps: [MapDatabase],
        _ shapes: [MapDatabase.Shape],
        _ labels: [MapLabels.Label],
        _ names: [MapNames.Name]
    ) throws -> Data {
        let coast = try window.area(margin: Self.margin).flatMap { area in
            window.zoom < Self.firstCoast ? nil : try Coast(maps).land(in: area, zoom: window.zoom)
        }
        let outlines = coast == nil ? outlines(around: window) : []
        return try Fonts.use { fonts in
            let canvas = MapCanvas(window, scale: scale, style, fonts)
            canvas.draw(coast ?? outlines, hasBorders: coast == nil)
            canvas.draw(shapes)
            for label in labels { canvas.draw(label) }
            // The names of large places are above the others.
            for name in names.reversed() { canvas.draw(name) }
            return try canvas.png()
        }
    }

    /// Returns what the extracts show in a window, in the order of drawing, and the extracts that are near it.
    private func shapes(
        in window: MapWindow,
        _ maps: [MapDatabase]
    ) throws -> (found: [MapDatabase.Shape], near: [MapDatabase]) {
        guard let area = window.area(margin: Self.margin) else { return ([], []) }
        let near = maps.filter { $0.extent?.meets(area) ?? false }
        let shapes = try near.flatMap { try $0.shapes(in: area, zoom: window.zoom) }
        return (near.count > 1 ? shapes.sorted { $0.kind.order < $1.kind.order } : shapes, near)
    }

    /// Returns the polygons in and near a window, whose details are smaller than a pixel.
    private func outlines(around window: MapWindow) -> [[[Coordinate]]] {
        let degrees = 360 / (MapNames.tileSize * Double(1 << window.zoom))
        let area = window.area(margin: Self.outlineMargin)
        return area.map { gazetteer.outlines(in: $0, tolerance: degrees / 2) } ?? []
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
        let sheet = MapWindow.sheet(of: tile)
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
        let sheet: MapWindow
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
