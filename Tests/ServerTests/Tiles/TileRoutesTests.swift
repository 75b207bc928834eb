import Domain
import Formats
import Foundation
import RandomSupport
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Tiles")
struct TileRoutesTests {
    // MARK: - Encoding

    @Test("A tile is encoded byte for byte as in the specification")
    func encoding() {
        var tile = VectorTile(layer: "pois")
        #expect(tile.isEmpty && tile.bytes.isEmpty)
        tile.add(id: 300, at: .init(x: 25, y: 17), ["id": .number(1), "name": nil, "open": .flag(true)])
        tile.add(id: nil, at: .init(x: -1, y: 4096), ["name": .text("Bau"), "open": .flag(true), "id": .number(-1)])
        let first: [UInt8] = [
            0x12, 0x10,  // a feature of 16 bytes
            0x08, 0xAC, 0x02,  // its id: 300 = 0b10_0101100
            0x12, 0x04, 0, 0, 1, 1,  // key and value, twice
            0x18, 1,  // a point
            0x22, 0x03, 9, 50, 34,  // move to, once: 25 and 17 zigzag
        ]
        let second: [UInt8] = [
            0x12, 0x10, 0x12, 0x06, 2, 2, 1, 1, 0, 3, 0x18, 1,
            0x22, 0x04, 9, 1, 0x80, 0x40,  // -1 becomes 1, 4096 becomes 8192
        ]
        let keys: [UInt8] = [0x1A, 2] + "id".utf8 + [0x1A, 4] + "open".utf8 + [0x1A, 4] + "name".utf8
        let values: [UInt8] =
            [0x22, 2, 0x20, 1, 0x22, 2, 0x38, 1, 0x22, 5, 0x0A, 3] + "Bau".utf8
            + [0x22, 11, 0x20] + Array(repeating: 0xFF, count: 9) + [1]
        let layer: [UInt8] = [0x78, 2, 0x0A, 4] + "pois".utf8 + first + second + keys + values + [0x28, 0x80, 0x20]
        #expect(tile.bytes == [0x1A, UInt8(layer.count)] + layer)
    }

    @Test("Tiles end at the edges of the map and wrap at the antimeridian")
    func edges() throws {
        let world = try #require(MapTile(zoom: 0, column: 0, row: 0))
        #expect(try world.position(of: .at(0, 0)) == .init(x: 2048, y: 2048))
        #expect(try world.position(of: .at(-180, 90)) == .init(x: 0, y: 0))
        #expect(try world.position(of: .at(180, -90)) == .init(x: 0, y: 4095))
        #expect(try world.position(of: .at(0, 85.0511)) == .init(x: 2048, y: 0))
        #expect(try world.position(of: .at(90, 66.51326)) == .init(x: 3072, y: 1024))
        let west = try #require(MapTile(zoom: 4, column: 0, row: 7))
        let east = try #require(MapTile(zoom: 4, column: 15, row: 7))
        #expect(try west.position(of: .at(180, 1))?.x == 0)
        #expect(try west.position(of: .at(179.9, 1))?.x == -19)
        #expect(try east.position(of: .at(-179.9, 1))?.x == 4096 + 18)
        #expect(try west.position(of: .at(175, 1)) == nil && west.position(of: .at(0, 1)) == nil)
        let box = try #require(west.box(margin: 64))
        #expect(try box.contains(.at(179.9, 1)) && box.contains(.at(-170, 1)) && !box.contains(.at(0, 1)))
        #expect(MapTile(zoom: 3, column: 8, row: 0) == nil && MapTile(zoom: 23, column: 0, row: 0) == nil)
    }

    // MARK: - Contents

    /// Many points in towns, some elsewhere, and some at the edges of the map.
    private static func points() throws -> [Coordinate] {
        var random = SeededGenerator(seed: 7)
        let towns = try [(12.5, 41.9), (9.19, 45.46), (14.25, 40.85), (179.99, -16.5), (-0.1, 51.5)].map(Coordinate.at)
        let crowd = try (0..<1900).map { number in
            let town = towns[number % towns.count]
            let lon = town.lon + Double.random(in: -0.2...0.2, using: &random)
            return try Coordinate.at(
                lon > 180 ? lon - 360 : lon,
                town.lat + Double.random(in: -0.2...0.2, using: &random)
            )
        }
        let alone = try (0..<96).map { _ in
            try Coordinate.at(
                Double.random(in: -180...180, using: &random),
                Double.random(in: -85...85, using: &random)
            )
        }
        return try crowd + alone + [.at(180, 0), .at(-180, 0), .at(7, 90), .at(7, -90)]
    }

    private static func fill(_ board: TestDatabase) async throws -> [Coordinate] {
        let points = try points()
        let drafts = try points.enumerated().map { number, point in
            try ListingStore.Draft.at(point.lon, point.lat) {
                $0.species = .dog
                if number.isMultiple(of: 3) { $0.lastSeenAt = Timestamp(stored: "1999-05-01T00:00:00.000Z") }
            }
        }
        try await board.fill(drafts, owner: try await board.user("anna@example.org"))
        return points
    }

    @Test("The tiles of each zoom together show every listing once")
    func completeness() async throws {
        let board = try await TestDatabase()
        let points = try await Self.fill(board)
        let late = points.count - (points.count + 2) / 3
        for (since, zooms, count) in [
            (nil, [0, 2, 5, 8, 11, 13, 15], points.count), ("1990-01-01", [0, 11], points.count),
            ("2000-01-01", [0, 8, 14], late),
        ] {
            var query = ListingQuery()
            query.since = since.flatMap { Timestamp(parsing: $0) }
            for zoom in zooms {
                var shown = 0
                for tile in Set(points.map { MapTile(zoom: zoom, holding: $0) }) {
                    let found = try board.search.findTile(tile, query)
                    #expect(found.listings.count + found.clusters.count <= 1000)
                    shown += found.listings.count { tile.holds($0.point) }
                    for cluster in found.clusters where tile.holds(cluster.centre) {
                        #expect(cluster.count.isExact)
                        shown += cluster.count.count
                    }
                }
                #expect(shown == count, "zoom \(zoom), since \(since ?? "ever")")
            }
        }
    }

    @Test("At high zooms, every listing is inside exactly one tile")
    func highZoom() async throws {
        let board = try await TestDatabase()
        let points = try await Self.fill(board)
        let tiles = Set(points.map { MapTile(zoom: 16, holding: $0) })
        var ids: [String] = []
        for tile in tiles {
            let found = try board.search.findTile(tile, ListingQuery())
            #expect(found.clusters.isEmpty)
            ids += found.listings.filter { tile.holds($0.point) }.map(\.id)
        }
        #expect(ids.count == points.count && Set(ids).count == points.count)
    }

    @Test("Many listings at one point form one cluster at every zoom")
    func samePoint() async throws {
        let board = try await TestDatabase()
        let drafts = try (0..<600).map { _ in try ListingStore.Draft.at(12.5, 41.9) }
        try await board.fill(drafts, owner: try await board.user("anna@example.org"))
        for zoom in [0, 6, 10, 14, 18, 22] {
            let tile = MapTile(zoom: zoom, holding: try .at(12.5, 41.9))
            let found = try board.search.findTile(tile, ListingQuery())
            #expect(found.listings.isEmpty && found.clusters.map(\.count.count) == [600], "zoom \(zoom)")
        }
    }

    @Test("Points of interest are shown in few and in large numbers")
    func pointsOfInterest() async throws {
        let board = try await TestDatabase()
        var random = SeededGenerator(seed: 3)
        let pois = try (0..<1500).map { number in
            var poi = PointOfInterest(
                category: number % 3 == 0 ? .veterinary : .petShop,
                coordinate: try .at(
                    12 + Double.random(in: -1...1, using: &random),
                    42 + Double.random(in: -1...1, using: &random)
                )
            )
            poi.name = "\(number)"
            return poi
        }
        _ = try await board.pois.put(pois, source: "test")
        for (categories, count) in [(PointOfInterest.Category.allCases, 1500), ([.veterinary], 500)] {
            for zoom in [0, 5, 8, 10, 11, 14] {
                var shown = 0
                for tile in Set(pois.map { MapTile(zoom: zoom, holding: $0.coordinate) }) {
                    let found = try board.pois.findTile(tile, categories)
                    shown += found.entries.count { tile.holds($0.poi.coordinate) }
                    shown += found.clusters.filter { tile.holds($0.centre) }.reduce(0) { $0 + $1.count.count }
                }
                #expect(shown == count, "zoom \(zoom)")
            }
        }
    }

    // MARK: - HTTP

    private static let salerno = "/tiles/listings/14/8865/6161.pbf"

    @Test("A tile contains the open listings that match the query")
    func contents() async throws {
        try await RunningService.with { service in
            #expect(MapTile(zoom: 14, holding: try .at(14.79, 40.69)) == MapTile(zoom: 14, column: 8865, row: 6161))
            let token = try await service.guest()
            let at = #""lon": 14.79, "lat": 40.69"#
            let dog = try await service.post(#"{"status": "lost", "name": "Argo", "breed": "Beagle", \#(at)}"#, token)
            let cat = try await service.post(#"{"status": "found", "species": "cat", \#(at)}"#, token)
            let home = try await service.post(#"{"status": "reunited", \#(at)}"#, token)
            let hidden = try await service.post(#"{"status": "lost", \#(at)}"#, token)
            let id = try #require(UUID(uuidString: hidden))
            let listing = try #require(try await service.board.listings.findListing(id: id))
            try await service.board.hide(listing)
            for (query, wanted) in [
                ("", [dog, cat]), ("?status=lost", [dog]), ("?species=cat", [cat]), ("?breed=beagle", [dog]),
                ("?since=2020-01-01", [dog, cat]), ("?status=reunited,found", [home, cat]),
            ] {
                let answer = try await service.send("GET", Self.salerno + query)
                #expect(answer.status == 200 && answer.headers["content-type"] == VectorTile.mediaType)
                for id in [dog, cat, home, hidden] {
                    #expect((answer.body.range(of: Data(id.utf8)) != nil) == wanted.contains(id), "\(query)")
                }
            }
        }
    }

    @Test("An unchanged tile gives 304, and an empty one gives 204")
    func caching() async throws {
        try await RunningService.with { service in
            for path in [Self.salerno, "/tiles/listings/0/0/0.pbf", "/tiles/pois/22/0/0.pbf"] {
                let nothing = try await service.send("GET", path)
                #expect(nothing.status == 204 && nothing.body.isEmpty, "\(path)")
                #expect(nothing.headers["cache-control"]?.hasPrefix("public, max-age=") == true)
            }
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "lon": 14.79, "lat": 40.69}"#, token)
            let first = try await service.send("GET", Self.salerno)
            let tag = try #require(first.headers["etag"])
            #expect(first.status == 200 && first.headers["cache-control"] == "public, max-age=30")
            let again = try await service.send("GET", Self.salerno, headers: ["If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
            let head = try await service.send("HEAD", Self.salerno)
            #expect(head.status == 200 && head.headers["etag"] == tag && head.body.isEmpty)
            _ = try await service.post(#"{"status": "found", "lon": 14.79, "lat": 40.69}"#, token)
            #expect(try await service.send("GET", Self.salerno, headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test("Invalid tile numbers are rejected")
    func invalidTiles() async throws {
        try await RunningService.with { service in
            for (path, status, field) in [
                ("listings/23/0/0.pbf", 400, "z"), ("listings/-1/0/0.pbf", 400, "z"), ("listings/a/0/0.pbf", 400, "z"),
                ("listings/3/8/0.pbf", 400, "x"), ("listings/3/0/8.pbf", 400, "y"), ("pois/3/0/-1.pbf", 400, "y"),
                ("listings/3/0/1.5.pbf", 400, "y"), ("listings/3/0/0.pbf?colour=red", 400, "colour"),
                ("listings/3/0/0.pbf?bbox=1,2,3,4", 400, "bbox"), ("listings/3/0/0.pbf?status=gone", 400, "status"),
                ("pois/3/0/0.pbf?category=bar", 400, "category"), ("pois/3/0/0.pbf?status=lost", 400, "status"),
                ("cats/3/0/0.pbf", 404, nil), ("listings/3/0/0", 404, nil), ("listings/3/0/0.mvt", 404, nil),
                ("cats.json", 404, nil), ("listings.json?colour=red", 400, "colour"),
            ] {
                let answer = try await service.send("GET", "/tiles/" + path)
                #expect(answer.status == status && answer.text("field") == field, "\(path)")
                #expect(answer.headers["content-type"] == "application/problem+json", "\(path)")
            }
            #expect(try await service.send("POST", Self.salerno).status == 405)
        }
    }

    @Test("TileJSON contains the addresses of tiles with their filters")
    func tileJSON() async throws {
        try await RunningService.with { service in
            for layer in ["listings", "pois"] {
                let answer = try await service.send("GET", "/tiles/\(layer).json")
                #expect(answer.status == 200 && answer.text("tilejson") == "3.0.0")
                #expect(answer.text("tiles", "0") == "https://dogs.example.org/tiles/\(layer)/{z}/{x}/{y}.pbf")
                #expect(answer.text("vector_layers", "0", "id") == layer)
                #expect(answer.text("vector_layers", "0", "fields", "id") != nil)
            }
            let lost = try await service.send("GET", "/tiles/listings.json?status=lost,found&breed=Pastore+tedesco")
            #expect(lost.text("tiles", "0")?.hasSuffix("{y}.pbf?status=lost,found&breed=Pastore+tedesco") == true)
        }
    }
}

extension MapTile {
    /// The tile that contains a point in its inside.
    fileprivate init(zoom: Int, holding point: Coordinate) {
        let tiles = Double(1 << zoom)
        let lon = point.lon == 180 ? -180 : point.lon
        let down = (1 - asinh(tan(point.lat * .pi / 180)) / .pi) / 2
        let row = min(tiles - 1, max(0, down * tiles))
        guard let tile = MapTile(zoom: zoom, column: Int((lon + 180) / 360 * tiles), row: Int(row)) else {
            preconditionFailure("\(point) is in no tile of zoom \(zoom)")
        }
        self = tile
    }

    fileprivate func holds(_ point: Coordinate) -> Bool { position(of: point)?.isWithinTile == true }
}

extension Coordinate {
    fileprivate static func at(_ lon: Double, _ lat: Double) throws -> Coordinate {
        guard let point = Coordinate(lon: lon, lat: lat) else { throw TestFailure("\(lon), \(lat) is not on Earth") }
        return point
    }
}
