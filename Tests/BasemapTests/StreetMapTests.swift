import Domain
import Foundation
import MapDatabase
import TestSupport
import Testing

@testable import Basemap

@Suite("Tiles with an extract of OpenStreetMap")
struct StreetMapTests {
    private static let basemap = Result { Basemap(try Bundled.gazetteer()) }

    /// In the middle of the Tyrrhenian Sea, where the outlines have no land.
    private static let (lon, lat) = (12.0, 40.0)

    /// A point of a grid of a hundredth of a degree.
    private static func point(_ x: Double, _ y: Double) -> Coordinate {
        guard let point = Coordinate(lon: lon + x / 100, lat: lat + y / 100) else {
            preconditionFailure("expected a point on Earth")
        }
        return point
    }

    private static func map(_ features: [MapFeature]) throws -> MapDatabase {
        let folder = try TemporaryFolder()
        let file = MapFolder.file("test", in: folder.url)
        let writer = try MapDatabaseWriter(replacing: file, source: "test", importedAt: "2026-11-29T00:00:00Z")
        for feature in features { try writer.add(feature) }
        _ = try writer.finish(place: { _ in nil }, progress: { _, _ in })
        return try MapDatabase(file)
    }

    private static func tile(at point: Coordinate, zoom: Int) throws -> MapTile {
        let (x, y) = MapTile.fraction(of: point)
        let tiles = Double(1 << zoom)
        return try #require(MapTile(zoom: zoom, column: Int(x * tiles), row: Int(y * tiles)))
    }

    /// Returns the colour of the map at a point, as 0xRRGGBB.
    private static func colour(at point: Coordinate, zoom: Int, _ maps: [MapDatabase]) throws -> Int {
        let tile = try tile(at: point, zoom: zoom)
        let png = try basemap.get().png(tile, scale: 1, .light, maps: maps)
        let (side, colours) = try pixels(png)
        let (x, y) = Projection(zoom: zoom).position(point)
        let (column, row) = (Int(x) - tile.column * side, Int(y) - tile.row * side)
        return colours[row * side + column]
    }

    private static let (sea, land) = (0xCFE3EC, 0xF6F1EA)

    private static func ring(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [Coordinate] {
        [point(west, south), point(east, south), point(east, north), point(west, north), point(west, south)]
    }

    private static func coast(_ line: [Coordinate]) -> MapFeature {
        MapFeature(.coastline, zooms: 8...19, .line(line))
    }

    @Test(
        "Land is on the left of a coastline: an island, a lagoon in it, and a tile without a coast",
        arguments: [10, 12, 14])
    func island(zoom: Int) throws {
        let map = try Self.map([
            Self.coast(Self.ring(0, 0, 20, 20)), Self.coast(Self.ring(8, 8, 12, 12).reversed()),
        ])
        for at in [(4, 4), (2, 2), (16, 16), (1, 8), (15, 4), (4, 15)] {
            let colour = try Self.colour(at: Self.point(Double(at.0), Double(at.1)), zoom: zoom, [map])
            #expect(colour == Self.land, "\(at) \(String(colour, radix: 16))")
        }
        #expect(try Self.colour(at: Self.point(10, 10), zoom: zoom, [map]) == Self.sea)
        #expect(try Self.colour(at: Self.point(-4, 4), zoom: zoom, [map]) == Self.sea)
    }

    @Test("Land far from the extract's coast stays land", arguments: [9, 10, 12])
    func land(zoom: Int) throws {
        let island = try Self.map([Self.coast(Self.ring(0, 0, 20, 20))])
        let inland = try #require(Coordinate(lon: 12.48, lat: 42.2))
        #expect(try Self.colour(at: inland, zoom: zoom, [island]) == Self.land)
    }

    @Test("A coast across the whole tile parts land and sea; without an extract all is sea")
    func mainland() throws {
        let map = try Self.map([Self.coast([Self.point(0.1, 50), Self.point(0.1, 0.1), Self.point(0.1, -50)])])
        let (east, west) = (Self.point(1, 0.2), Self.point(-1, 0.2))
        #expect(try Self.colour(at: east, zoom: 12, [map]) == Self.land)
        #expect(try Self.colour(at: west, zoom: 12, [map]) == Self.sea)
        #expect(try Self.colour(at: east, zoom: 12, []) == Self.sea)
    }

    @Test("Where the coast ends in the tile, as at the end of an extract, the outlines are used")
    func end() throws {
        let map = try Self.map([Self.coast([Self.point(0.1, 0.1), Self.point(0.2, 0.1)])])
        for point in [Self.point(0.15, 0.2), Self.point(0.15, 0.02)] {
            #expect(try Self.colour(at: point, zoom: 12, [map]) == Self.sea)
        }
    }

    @Test("Streets are above woods, and both are drawn from their zoom level on")
    func streets() throws {
        let map = try Self.map([
            MapFeature(.wood, zooms: 12...19, .area([Self.ring(0, 0, 5, 5), Self.ring(3, 3, 4, 4)])),
            MapFeature(.primary, zooms: 13...19, .line([Self.point(0, 1), Self.point(5, 1)])),
        ])
        #expect(try Self.colour(at: Self.point(2, 2), zoom: 14, [map]) == 0xD0E0C2)
        #expect(try Self.colour(at: Self.point(3.5, 3.5), zoom: 14, [map]) == Self.sea)
        #expect(try Self.colour(at: Self.point(2, 1), zoom: 14, [map]) == 0xFBEBC8)
        #expect(try Self.colour(at: Self.point(2, 1), zoom: 12, [map]) == 0xD0E0C2)
        #expect(try Self.colour(at: Self.point(2, 2), zoom: 11, [map]) == Self.sea)
    }

    @Test(
        "Names lie within their sheet, do not overlap, and are repeated at a distance only",
        arguments: [14, 15, 16, 18])
    func labels(zoom: Int) throws {
        var features: [MapFeature] = []
        for number in 0..<40 {
            let at = Double(number) / 4
            let name = number % 4 == 0 ? "Via Giuseppe Garibaldi" : "Via \(number)"
            features.append(
                MapFeature(.street, zooms: 13...19, name: name, .line([Self.point(0, at), Self.point(10, at)])))
            features.append(
                MapFeature(
                    .tertiary, zooms: 13...19, name: "Corso \(number)",
                    .line([Self.point(at, 0), Self.point(at + 3, 10)]))
            )
            features.append(MapFeature(.landmark, zooms: 14...19, name: "Scuola \(number)", .point(Self.point(at, at))))
        }
        let map = try Self.map(features)
        let sheet = MapWindow.sheet(of: try Self.tile(at: Self.point(5, 5), zoom: zoom))
        let labels = try MapLabels(sheet, [map], towns: []).labels
        #expect(labels.count > 3)
        let boxes = labels.map { label in
            let (halfWidth, halfHeight) = (label.style.width(of: label.text) / 2 * 0.8, label.style.size / 2)
            return (label, halfWidth, halfHeight)
        }
        for (label, halfWidth, _) in boxes {
            let (right, down) = (abs(cos(label.angle)) * halfWidth, abs(sin(label.angle)) * halfWidth)
            #expect(label.x - right > sheet.box.minX && label.x + right < sheet.box.maxX)
            #expect(label.y - down > sheet.box.minY && label.y + down < sheet.box.maxY)
            // Upright: nobody reads upside down.
            #expect(cos(label.angle) >= -1e-9)
        }
        for (index, (first, width, height)) in boxes.enumerated() {
            for (second, otherWidth, otherHeight) in boxes.dropFirst(index + 1) {
                let distance = hypot(first.x - second.x, first.y - second.y)
                if first.text == second.text { #expect(distance > 200) }
                // Of two level names, one is above or beside the other.
                guard first.angle == 0, second.angle == 0 else { continue }
                let isApart =
                    abs(first.x - second.x) >= width + otherWidth || abs(first.y - second.y) >= height + otherHeight
                #expect(isApart, "\(first.text) and \(second.text)")
            }
        }
    }
}
