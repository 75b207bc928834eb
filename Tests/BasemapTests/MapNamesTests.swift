import Domain
import Gazetteer
import TestSupport
import Testing

@testable import Basemap

@Suite("Names on the map")
struct MapNamesTests {
    private static let names = Result { MapNames(try Bundled.gazetteer()) }

    private static func tiles(_ zoom: Int, around lon: Double, _ lat: Double, _ reach: Int) throws -> [MapTile] {
        let (x, y) = MapTile.fraction(of: try #require(Coordinate(lon: lon, lat: lat)))
        let (column, row) = (Int(x * Double(1 << zoom)), Int(y * Double(1 << zoom)))
        return (-reach...reach).flatMap { right in
            (-reach...reach).compactMap { MapTile(zoom: zoom, column: column + right, row: row + $0) }
        }
    }

    private static func box(_ name: MapNames.Name) -> MapNames.Box {
        let half = name.style.width(of: name.text) / 2
        return MapNames.Box(minX: name.x - half, minY: name.y - 9, maxX: name.x + half, maxY: name.y + 9)
    }

    @Test("Names of neighbouring tiles do not overlap, and none is cut at a border", arguments: 4...15)
    func overlaps(zoom: Int) throws {
        let names = try Self.names.get()
        for (lon, lat) in [(12.5, 41.9), (14.27, 40.85), (9.19, 45.46), (-74.0, 40.7)] {
            let tiles = try Self.tiles(zoom, around: lon, lat, 1)
            let found = Dictionary(uniqueKeysWithValues: tiles.map { ($0, names.names(in: $0)) })
            var all: [String: MapNames.Name] = [:]
            for name in found.values.joined() { all["\(name.text) \(name.x) \(name.y)"] = name }
            let shown = Array(all.values)
            for (index, one) in shown.enumerated() {
                for other in shown[(index + 1)...] {
                    #expect(!Self.box(one).meets(Self.box(other)), "\(one.text), \(other.text)")
                }
                for tile in tiles {
                    let (left, top) = (256 * Double(tile.column), 256 * Double(tile.row))
                    let area = MapNames.Box(minX: left, minY: top, maxX: left + 256, maxY: top + 256)
                    let isIn = found[tile, default: []].contains {
                        $0.text == one.text && $0.x == one.x && $0.y == one.y
                    }
                    #expect(isIn == Self.box(one).meets(area), "\(one.text)")
                }
            }
        }
    }

    @Test(
        "The largest places come first, and hamlets near",
        arguments: [
            (5, 12.5, 42.0, "Roma"), (6, 14.27, 40.85, "Napoli"), (9, 14.77, 40.68, "Salerno"),
            (13, 14.79, 40.77, "Fisciano"),
            (14, 14.77, 40.75, "Lancusi-Penta-Bolano"),
        ]
    )
    func places(zoom: Int, lon: Double, lat: Double, name: String) throws {
        let found = try Self.tiles(zoom, around: lon, lat, 1).flatMap { try Self.names.get().names(in: $0) }
        #expect(found.contains { $0.text == name })
        #expect(zoom > 6 || !found.contains { $0.text == "Fisciano" })
    }

    @Test("A comune has one name")
    func comune() throws {
        let found = try Self.tiles(11, around: 8.93, 44.41, 1).flatMap { try Self.names.get().names(in: $0) }.map(
            \.text)
        #expect(found.contains("Genova") && !found.contains("Genoa"))
    }

    @Test("The whole world and its corners have names without a trap", arguments: 0...2)
    func world(zoom: Int) throws {
        for tile in try Self.tiles(zoom, around: 0, 0, 2) { _ = try Self.names.get().names(in: tile) }
    }
}
