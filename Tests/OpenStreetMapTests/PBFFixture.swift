/// Writes .osm.pbf files.
struct PBFFixture {
    private(set) var bytes: [UInt8]
    /// The offsets at which a truncated file is still valid.
    private(set) var blockEnds: [Int]
    var compressed = true

    init(features: [String] = ["OsmSchema-V0.6", "DenseNodes"], compressed: Bool = true) {
        (bytes, blockEnds) = ([], [])
        self.compressed = compressed
        addBlob("OSMHeader", features.flatMap { field(4, Array($0.utf8)) })
    }

    mutating func addBlock(strings: [String], groups: [[UInt8]], tail: [UInt8] = []) {
        let table = strings.flatMap { field(1, Array($0.utf8)) }
        addBlob("OSMData", field(1, table) + groups.flatMap { field(2, $0) } + tail)
    }

    mutating func addBlob(_ type: String, _ data: [UInt8]) {
        let blob = compressed ? field(2, UInt64(data.count)) + field(3, zlibbed(data)) : field(1, data)
        addRawBlob(type, blob)
    }

    mutating func addRawBlob(_ type: String, _ blob: [UInt8]) {
        let header = field(1, Array(type.utf8)) + field(3, UInt64(blob.count))
        bytes += [0, 0, UInt8(header.count >> 8), UInt8(header.count & 0xFF)] + header + blob
        blockEnds.append(bytes.count)
    }

    /// A vet at 9.5 45.5, a pet shop that is a square way of the untagged nodes 1...4, and a dog park that is a
    /// relation of this way.
    static func small(compressed: Bool = true) -> PBFFixture {
        let strings =
            ["", "amenity", "veterinary", "name", "Dr. Fido", "shop", "pet", "leisure", "dog_park"]
            + ["type", "multipolygon", "outer"]
        var file = PBFFixture(compressed: compressed)
        let nodes = dense(
            ids: [1, 2, 3, 4, 99],
            lats: [450_000_000, 450_000_000, 450_010_000, 450_010_000, 455_000_000],
            lons: [90_000_000, 90_010_000, 90_010_000, 90_000_000, 95_000_000],
            tags: [0, 0, 0, 0, 1, 2, 3, 4, 0]
        )
        file.addBlock(strings: strings, groups: [field(2, nodes)])
        let shop = way(id: 7, tags: [(5, 6)], nodes: [1, 2, 3, 4, 1])
        let half = way(id: 8, tags: [], nodes: [1, 2, 3])
        let otherHalf = way(id: 9, tags: [], nodes: [1, 4, 3])
        file.addBlock(strings: strings, groups: [field(3, shop) + field(3, half) + field(3, otherHalf)])
        let park =
            field(1, UInt64(6)) + field(2, [7, 9]) + field(3, [8, 10]) + field(8, [11, 11])
            + field(9, deltas([8, 9])) + field(10, [1, 1])
        file.addBlock(strings: strings, groups: [field(4, park)])
        return file
    }
}

func dense(ids: [Int64], lats: [Int64], lons: [Int64], tags: [UInt64]) -> [UInt8] {
    field(1, deltas(ids)) + field(8, deltas(lats)) + field(9, deltas(lons)) + field(10, tags.flatMap(varint))
}

func way(id: Int64, tags: [(UInt64, UInt64)], nodes: [Int64]) -> [UInt8] {
    field(1, UInt64(bitPattern: id)) + field(2, tags.flatMap { varint($0.0) }) + field(3, tags.flatMap { varint($0.1) })
        + field(8, deltas(nodes))
}

func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }

func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
}

func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

func deltas(_ values: [Int64]) -> [UInt8] {
    zip(values, [0] + values.dropLast()).flatMap { varint(zigzag($0 - $1)) }
}

func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
}
