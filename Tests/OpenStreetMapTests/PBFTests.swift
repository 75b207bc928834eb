import Domain
import OpenStreetMap
import RandomSupport
import Testing

@Suite("OSM PBF files")
struct PBFTests {
    @Test("Nodes, ways and multipolygons are read", arguments: [true, false])
    func elements(compressed: Bool) throws {
        let extract = try read(PBFFixture.small(compressed: compressed).bytes)
        #expect(extract.points.map(\.category) == [.veterinary, .petShop, .dogPark])
        #expect(extract.points.map(\.element?.id) == [99, 7, 6])
        #expect(extract.points.map(\.element?.type) == [.node, .way, .relation])
        #expect(extract.points.first?.coordinate == Coordinate(lon: 9.5, lat: 45.5))
        #expect(extract.points.first?.name == "Dr. Fido")
        for point in extract.points.dropFirst() {
            #expect((9.0...9.001).contains(point.coordinate.lon) && (45.0...45.001).contains(point.coordinate.lat))
        }
        #expect(extract.skipped.total == 0)
    }

    @Test("Files compressed with gzip are read")
    func gzip() throws {
        #expect(try read(gzipped(PBFFixture.small().bytes)).points.count == 3)
    }

    @Test("Nodes that are not dense are read")
    func plainNodes() throws {
        var file = PBFFixture()
        let node =
            field(1, zigzag(-7)) + field(2, [1]) + field(3, [2]) + field(8, zigzag(-455_000_000))
            + field(9, zigzag(-95_000_000))
        file.addBlock(strings: ["", "amenity", "veterinary"], groups: [field(1, node)])
        let point = try #require(try read(file.bytes).points.first)
        #expect(point.element == .init(type: .node, id: -7))
        #expect(point.coordinate == Coordinate(lon: -9.5, lat: -45.5))
    }

    @Test("Coordinates are scaled by the granularity and offsets")
    func granularity() throws {
        var file = PBFFixture()
        let nodes = dense(ids: [5], lats: [45_400], lons: [9_400], tags: [1, 2, 0])
        let tail = field(17, 1_000_000) + field(19, 100_000_000) + field(20, 100_000_000)
        file.addBlock(strings: ["", "shop", "pet"], groups: [field(2, nodes)], tail: tail)
        #expect(try read(file.bytes).points.first?.coordinate == Coordinate(lon: 9.5, lat: 45.5))
    }

    @Test("Ids of more than 32 bits are read")
    func longIDs() throws {
        var file = PBFFixture()
        let strings = ["", "shop", "pet"]
        let nodes = dense(ids: [12_000_000_001], lats: [450_000_000], lons: [90_000_000], tags: [])
        file.addBlock(strings: strings, groups: [field(2, nodes)])
        let shop = way(id: 5_000_000_001, tags: [(1, 2)], nodes: [12_000_000_001])
        file.addBlock(strings: strings, groups: [field(3, shop)])
        #expect(try read(file.bytes).points.map(\.element?.id) == [5_000_000_001])
    }

    @Test("Unknown blocks and fields are ignored")
    func unknownParts() throws {
        var file = PBFFixture.small()
        file.addBlob("Extra", [1, 2, 3])
        let nodes = dense(ids: [5], lats: [1], lons: [1], tags: [1, 2, 0]) + field(30, 5) + field(31, [1])
        file.addBlock(strings: ["", "shop", "pet"], groups: [field(2, nodes) + field(40, [9])], tail: field(99, 1))
        #expect(try read(file.bytes).points.count == 4)
    }

    @Test("A file that requires an unsupported feature is rejected")
    func features() throws {
        #expect(try failure(PBFFixture(features: ["HistoricalInformation"]).bytes)?.contains("Historical") == true)
    }

    @Test("References to missing strings are rejected", arguments: [[7, 1, 0], [1, 7, 0], [1, 1 << 40, 0]])
    func missingTexts(tags: [UInt64]) throws {
        var file = PBFFixture()
        let nodes = dense(ids: [5], lats: [1], lons: [1], tags: tags)
        file.addBlock(strings: ["", "shop", "pet"], groups: [field(2, nodes)])
        #expect(try failure(file.bytes)?.contains("damaged") == true)
    }

    @Test("Impossible block sizes are rejected")
    func sizes() throws {
        let intact = PBFFixture()
        #expect(try failure(intact.bytes + [0xFF, 0xFF, 0xFF, 0xFF]) != nil)
        let data = zlibbed(field(9, 1))
        let blobs = [
            (field(2, 2) + field(3, data), nil), (field(2, 1 << 40) + field(3, data), "too large"),
            (field(2, 5) + field(3, data), "decompressed"), (field(2, 1) + field(3, data), "decompressed"),
            (field(2, 2), "without data"),
        ]
        for (blob, reason) in blobs {
            var file = intact
            file.addRawBlob("OSMData", blob)
            let failure = try failure(file.bytes)
            #expect(reason.map { failure?.contains($0) == true } ?? (failure == nil))
        }
    }

    @Test("The error for a compression other than zlib names it")
    func otherCompression() throws {
        var file = PBFFixture()
        file.addRawBlob("OSMData", field(2, 5) + field(7, [1, 2, 3]))
        #expect(try failure(file.bytes)?.contains("zlib") == true)
    }

    @Test("A truncated file is rejected unless it ends between two blocks", arguments: [true, false])
    func truncation(compressed: Bool) throws {
        let file = PBFFixture.small(compressed: compressed)
        for count in 0..<file.bytes.count where !file.blockEnds.contains(count) {
            #expect(try failure(file.bytes.prefix(count)) != nil, "cut at \(count)")
        }
    }

    @Test("Changed bytes do not crash the reader")
    func mutation() throws {
        let intact = PBFFixture.small(compressed: false).bytes
        var random = SeededGenerator(seed: 20_240_601)
        var outcomes: Set<Bool> = []
        // `Tests/Fuzzing` reads many more files.
        for _ in 0..<400 {
            var bytes = intact
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            outcomes.insert(try failure(bytes) == nil)
        }
        #expect(outcomes == [true, false])
    }
}
