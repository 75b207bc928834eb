import Testing

/// A file in the format of HEIC and AVIF (ISO/IEC 23008-12), box by box, so that tests can write wrong ones.
struct HEIFFile {
    struct Item {
        var type: String
        var data: [UInt8]
        /// The numbers of its properties, from 1.
        var properties: [UInt8] = []
    }

    /// A coded picture of a fixture and the box that configures its decoder.
    struct Coded {
        let type: String
        let configuration: [UInt8]
        let data: [UInt8]

        /// 64 x 64 pixels, of which the lowest 16 rows are padding.
        static func heic() throws -> Coded { try Coded("hvc1", "hvcC", in: fixture("plain.heic")) }
        /// 64 x 48 pixels.
        static func avif() throws -> Coded { try Coded("av01", "av1C", in: fixture("plain.avif")) }

        /// 64 x 48 pixels, with 12 bits per channel.
        static func deepAVIF() throws -> Coded { try Coded("av01", "av1C", in: fixture("deep.avif")) }

        private init(_ type: String, _ configuration: String, in file: [UInt8]) throws {
            self.type = type
            self.configuration = try Self.box(configuration, in: file)
            data = Array(try Self.box("mdat", in: file).dropFirst(8))
        }

        private static func box(_ name: String, in file: [UInt8]) throws -> [UInt8] {
            let start = try #require(file.firstRange(of: Array(name.utf8))).lowerBound - 4
            let size = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            return Array(file[start..<start + size])
        }
    }

    var brand = "heic"
    /// Their numbers start at 1.
    var items: [Item] = []
    var primary = 1
    var references: [(type: String, from: Int, to: [Int])] = []
    var properties: [[UInt8]] = []

    /// A file with one coded picture.
    init(_ coded: Coded, width: Int, height: Int, properties more: [[UInt8]] = []) {
        properties = [coded.configuration, Self.size(width, height)] + more
        items = [Item(type: coded.type, data: coded.data, properties: (1...UInt8(properties.count)).map { $0 })]
    }

    /// A file with a picture of tiles, which all show the same coded picture of 64 x 64 pixels.
    init(tiles: Coded, columns: Int, rows: Int, width: Int, height: Int, properties more: [[UInt8]] = []) {
        self.init(tiles, width: 64, height: 64)
        properties += [Self.size(width, height)] + more
        let grid = [0, 1, UInt8(rows - 1), UInt8(columns - 1)] + Self.number(width, 4) + Self.number(height, 4)
        items.append(Item(type: "grid", data: grid, properties: (3...UInt8(properties.count)).map { $0 }))
        references = [("dimg", 2, Array(repeating: 1, count: rows * columns))]
        primary = 2
    }

    static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8, 4) + Array(type.utf8) + content
    }

    /// A box with a version and flags.
    static func fullBox(_ type: String, version: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + content)
    }

    static func size(_ width: Int, _ height: Int) -> [UInt8] { fullBox("ispe", number(width, 4) + number(height, 4)) }
    /// - Parameter quarters: counterclockwise.
    static func rotation(_ quarters: UInt8) -> [UInt8] { box("irot", [quarters]) }
    static func mirror(_ axis: UInt8) -> [UInt8] { box("imir", [axis]) }

    var bytes: [UInt8] {
        let head = Self.box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1\(brand)".utf8))
        let start = head.count + meta(dataStart: 0).count + 8
        return head + meta(dataStart: start) + Self.box("mdat", items.flatMap(\.data))
    }

    private func meta(dataStart: Int) -> [UInt8] {
        let handler = Self.fullBox("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        return Self.fullBox(
            "meta",
            handler + Self.fullBox("pitm", Self.number(primary, 2)) + locations(dataStart) + names
                + Self.box("iprp", Self.box("ipco", Array(properties.joined())) + associations)
                + (references.isEmpty ? [] : Self.fullBox("iref", references.flatMap(Self.reference)))
        )
    }

    private func locations(_ dataStart: Int) -> [UInt8] {
        var place = dataStart
        let entries = items.enumerated().flatMap { index, item in
            defer { place += item.data.count }
            return Self.number(index + 1, 2) + [0, 0, 0, 1] + Self.number(place, 4) + Self.number(item.data.count, 4)
        }
        return Self.fullBox("iloc", [0x44, 0x00] + Self.number(items.count, 2) + entries)
    }

    private var names: [UInt8] {
        let entries = items.enumerated().flatMap { index, item in
            Self.fullBox("infe", version: 2, Self.number(index + 1, 2) + [0, 0] + Array(item.type.utf8) + [0])
        }
        return Self.fullBox("iinf", Self.number(items.count, 2) + entries)
    }

    private var associations: [UInt8] {
        let entries = items.enumerated().flatMap { index, item in
            Self.number(index + 1, 2) + [UInt8(item.properties.count)] + item.properties
        }
        return Self.fullBox("ipma", Self.number(items.count, 4) + entries)
    }

    private static func reference(_ reference: (type: String, from: Int, to: [Int])) -> [UInt8] {
        box(
            reference.type,
            number(reference.from, 2) + number(reference.to.count, 2) + reference.to.flatMap { number($0, 2) }
        )
    }
}
