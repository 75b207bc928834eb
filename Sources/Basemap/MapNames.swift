import Domain
import Foundation
import Gazetteer

/// The names on the map: which of them are shown at a zoom level, so that none overlaps another one.
///
/// A name is shown unless that of a larger place which is shown overlaps it. Whether it is follows from the places around alone, so
/// that neighbouring tiles agree, and names across their border are not cut.
struct MapNames: Sendable {
    /// A box on the whole map at a zoom level, in pixels.
    struct Box: Hashable, Sendable {
        var minX, minY, maxX, maxY: Double

        func meets(_ other: Box) -> Bool {
            minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
        }

        func contains(_ other: Box) -> Bool {
            minX < other.minX && minY < other.minY && other.maxX < maxX && other.maxY < maxY
        }

        func inset(_ x: Double, _ y: Double) -> Box {
            Box(minX: minX + x, minY: minY + y, maxX: maxX - x, maxY: maxY - y)
        }
    }

    struct Name: Hashable, Sendable {
        let text: String
        let style: NameStyle
        /// The centre, in pixels of the whole map.
        let x, y: Double

        var box: Box {
            let halfWidth = style.width(of: text) / 2
            return Box(
                minX: x - halfWidth, minY: y - MapNames.halfHeight,
                maxX: x + halfWidth, maxY: y + MapNames.halfHeight
            )
        }
    }

    /// A tile that contains places which are shown from its zoom level on.
    private struct Cell: Hashable {
        let zoom, column, row: Int
    }

    static let tileSize = 256.0
    /// The greatest distance in pixels from the centre of a name to its end. Longer names are not shown.
    private static let reach = 170.0
    static let halfHeight = 9.0
    /// The least distance of names in pixels.
    private static let (gapX, gapY) = (8.0, 5.0)
    /// From which zoom level on places with at least so many people are shown.
    private static let leastZooms: [(population: Int, zoom: Int)] = [
        (1_000_000, 4), (300_000, 5), (100_000, 6), (50_000, 7), (20_000, 8), (8_000, 9), (3_000, 10), (1_000, 11),
        (200, 12),
        (0, 13),
    ]
    private static let leastZoom = leastZooms[0].zoom

    private let gazetteer: Gazetteer
    private let places: [MapPlace]
    /// The places of each cell by their numbers, which are in the order of populations.
    private let cells: [Cell: [Int32]]

    init(_ gazetteer: Gazetteer) {
        self.gazetteer = gazetteer
        let places = gazetteer.mapPlaces().sorted { $0.population > $1.population }
        var cells: [Cell: [Int32]] = [:]
        for (number, place) in places.enumerated() {
            let (x, y) = MapTile.fraction(of: place.coordinate)
            let zoom = Self.leastZooms.first { place.population >= $0.population }?.zoom ?? 13
            let tiles = Double(1 << zoom)
            let cell = Cell(zoom: zoom, column: Int(min(x * tiles, tiles - 1)), row: Int(min(y * tiles, tiles - 1)))
            cells[cell, default: []].append(Int32(number))
        }
        (self.places, self.cells) = (places, cells)
    }

    /// Returns the names of which a part is in a tile, the largest place first.
    func names(in tile: MapTile) -> [Name] {
        var view = View(self, zoom: tile.zoom)
        let (left, top) = (Double(tile.column) * Self.tileSize, Double(tile.row) * Self.tileSize)
        let box = Box(minX: left, minY: top, maxX: left + Self.tileSize, maxY: top + Self.tileSize)
        return view.places(near: box).compactMap { number in
            guard let name = view.name(number), name.box.meets(box), view.isShown(number) else { return nil }
            return name
        }
    }

    /// The names at one zoom level, and what is known of them.
    private struct View {
        private let all: MapNames
        private let zoom: Int
        private let pixels: Double
        private var known: [Int32: Name?] = [:]
        private var decisions: [Int32: Bool] = [:]

        init(_ all: MapNames, zoom: Int) {
            (self.all, self.zoom) = (all, zoom)
            pixels = MapNames.tileSize * Double(1 << zoom)
        }

        /// Returns the places whose names may be in a box, the largest first.
        func places(near box: Box) -> [Int32] {
            let reached = box.inset(-MapNames.reach, -MapNames.halfHeight)
            var found: [Int32] = []
            for level in stride(from: MapNames.leastZoom, through: zoom, by: 1) {
                let size = pixels / Double(1 << level)
                let last = 1 << level - 1
                let columns = max(0, Int(reached.minX / size))...max(0, min(last, Int(reached.maxX / size)))
                let rows = max(0, Int(reached.minY / size))...max(0, min(last, Int(reached.maxY / size)))
                for column in columns {
                    for row in rows { found += all.cells[Cell(zoom: level, column: column, row: row)] ?? [] }
                }
            }
            return found.sorted()
        }

        /// Returns nil for a place whose name is too long.
        mutating func name(_ number: Int32) -> Name? {
            if let name = known[number] { return name }
            let name = read(all.places[Int(number)])
            known[number] = .some(name)
            return name
        }

        private func read(_ place: MapPlace) -> Name? {
            let style = NameStyle.settlement(population: place.population)
            let text = all.gazetteer.name(of: place)
            guard !text.isEmpty, style.width(of: text) <= 2 * MapNames.reach else { return nil }
            let (x, y) = MapTile.fraction(of: place.coordinate)
            return Name(text: text, style: style, x: (x * pixels).rounded(), y: (y * pixels).rounded())
        }

        mutating func isShown(_ number: Int32) -> Bool {
            if let decision = decisions[number] { return decision }
            guard let name = name(number) else {
                decisions[number] = false
                return false
            }
            let box = name.box.inset(-MapNames.gapX, -MapNames.gapY)
            var decision = true
            for other in places(near: box) {
                guard other < number else { break }
                if let larger = self.name(other), larger.box.meets(box), isShown(other) {
                    decision = false
                    break
                }
            }
            decisions[number] = decision
            return decision
        }
    }
}
