import Foundation

/// The layout of `gazetteer.bin`, told in `geodata/README.md`. All numbers are little-endian.
struct GazetteerFile: @unchecked Sendable {
    // Unchecked: the buffers lie in the mapped file, which is read-only and kept alive by `file`.
    enum Kind: UInt8 {
        case seat
        case locality
        case town
        case province
        case region
    }

    struct PlaceRecord {
        /// Hundred-thousandths of a degree.
        let lon: Int32
        let lat: Int32
        let name: UInt32
        let population: UInt32
        let postalCode: UInt32
        /// A comune, a province or, for towns outside Italy, a world area.
        let area: UInt16
        let kind: Kind
    }

    struct Ring {
        /// Ten-thousandths of a degree.
        let minX, minY, maxX, maxY: Int32
        let outline: UInt32
        let start: UInt32
        let count: UInt32
    }

    private static let version: UInt32 = 1
    private static let sectionCount = 10

    private let file: MappedFile
    private let strings, placeBytes, comuni, provinces, areas, countries, keyBytes, outlines, ringBytes,
        vertices: UnsafeRawBufferPointer

    /// The first places answer for points; the rest is searched by name only.
    let reversibleCount: Int

    var placeCount: Int { placeBytes.count / 24 }
    var keyCount: Int { keyBytes.count / 8 }
    var ringCount: Int { ringBytes.count / 28 }

    init(_ url: URL) throws {
        file = try MappedFile(url)
        let bytes = file.bytes
        let headerSize = 16 + 8 * Self.sectionCount
        guard bytes.count >= headerSize, bytes.prefix(8).elementsEqual("DOGGOGAZ".utf8) else {
            throw GazetteerError("\(url.path): is not a gazetteer")
        }
        guard bytes.number(at: 8, UInt32.self) == Self.version else {
            throw GazetteerError("\(url.path): is of another version than this program reads")
        }
        let sections = try (0..<Self.sectionCount).map { index in
            let offset = Int(bytes.number(at: 16 + 8 * index, UInt32.self))
            let length = Int(bytes.number(at: 20 + 8 * index, UInt32.self))
            guard offset >= headerSize, offset + length <= bytes.count else {
                throw GazetteerError("\(url.path): is cut short")
            }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
        }
        strings = sections[0]
        placeBytes = sections[1]
        comuni = sections[2]
        provinces = sections[3]
        areas = sections[4]
        countries = sections[5]
        keyBytes = sections[6]
        outlines = sections[7]
        ringBytes = sections[8]
        vertices = sections[9]
        reversibleCount = Int(bytes.number(at: 12, UInt32.self))
        guard reversibleCount > 0, reversibleCount <= placeCount, strings.last == 0 else {
            throw GazetteerError("\(url.path): is damaged")
        }
        try validate(url)
    }

    /// Nil for the empty text, which means unknown.
    func string(_ offset: UInt32) -> String? {
        let text = String(decoding: stringBytes(offset), as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    func stringBytes(_ offset: UInt32) -> Slice<UnsafeRawBufferPointer> {
        var end = Int(offset)
        while strings[end] != 0 { end += 1 }
        return strings[Int(offset)..<end]
    }

    func place(_ index: Int) -> PlaceRecord {
        let at = index * 24
        return PlaceRecord(
            lon: placeBytes.number(at: at, Int32.self),
            lat: placeBytes.number(at: at + 4, Int32.self),
            name: placeBytes.number(at: at + 8, UInt32.self),
            population: placeBytes.number(at: at + 12, UInt32.self),
            postalCode: placeBytes.number(at: at + 16, UInt32.self),
            area: placeBytes.number(at: at + 20, UInt16.self),
            kind: Kind(rawValue: placeBytes[at + 22]) ?? .town
        )
    }

    func comune(_ index: UInt16) -> (name: UInt32, code: UInt32, province: Int) {
        let at = Int(index) * 16
        return (
            comuni.number(at: at, UInt32.self), comuni.number(at: at + 4, UInt32.self),
            Int(comuni.number(at: at + 8, UInt32.self))
        )
    }

    func province(_ index: Int) -> (code: UInt32, name: UInt32, region: UInt32) {
        let at = index * 12
        return (
            provinces.number(at: at, UInt32.self), provinces.number(at: at + 4, UInt32.self),
            provinces.number(at: at + 8, UInt32.self)
        )
    }

    func area(_ index: UInt16) -> (country: Int, name: UInt32) {
        let at = Int(index) * 8
        return (Int(areas.number(at: at, UInt32.self)), areas.number(at: at + 4, UInt32.self))
    }

    func country(_ index: Int) -> (code: UInt32, english: UInt32, italian: UInt32) {
        let at = index * 12
        return (
            countries.number(at: at, UInt32.self), countries.number(at: at + 4, UInt32.self),
            countries.number(at: at + 8, UInt32.self)
        )
    }

    /// The key's text, its place, and whether it starts at a later word of the name.
    func key(_ index: Int) -> (text: UInt32, place: Int, isInner: Bool) {
        let place = keyBytes.number(at: index * 8 + 4, UInt32.self)
        return (keyBytes.number(at: index * 8, UInt32.self), Int(place & 0x7FFF_FFFF), place >> 31 == 1)
    }

    /// A province of Italy, or nil with the name of the first level elsewhere.
    func outline(_ index: UInt32) -> (country: Int, name: UInt32, province: Int?) {
        let at = Int(index) * 12
        let province = outlines.number(at: at + 8, UInt32.self)
        return (
            Int(outlines.number(at: at, UInt32.self)), outlines.number(at: at + 4, UInt32.self),
            province == 0xFFFF ? nil : Int(province)
        )
    }

    func ring(_ index: Int) -> Ring {
        let at = index * 28
        return Ring(
            minX: ringBytes.number(at: at, Int32.self),
            minY: ringBytes.number(at: at + 4, Int32.self),
            maxX: ringBytes.number(at: at + 8, Int32.self),
            maxY: ringBytes.number(at: at + 12, Int32.self),
            outline: ringBytes.number(at: at + 16, UInt32.self),
            start: ringBytes.number(at: at + 20, UInt32.self),
            count: ringBytes.number(at: at + 24, UInt32.self)
        )
    }

    /// The edges of a ring, in ten-thousandths of a degree.
    func forEachEdge(of ring: Ring, _ body: (_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> Void) {
        var at = Int(ring.start)
        var x = Double(vertices.number(at: at, Int32.self))
        var y = Double(vertices.number(at: at + 4, Int32.self))
        at += 8
        for _ in 1..<max(1, Int(ring.count)) {
            let nextX = x + Double(vertices.number(at: at, Int16.self))
            let nextY = y + Double(vertices.number(at: at + 2, Int16.self))
            at += 4
            body(x, y, nextX, nextY)
            x = nextX
            y = nextY
        }
    }

    /// Every reference must lead into its section, or reading would leave the file.
    private func validate(_ url: URL) throws {
        func check(_ holds: Bool) throws {
            guard holds else { throw GazetteerError("\(url.path): is damaged") }
        }
        let areaLimits = [
            comuni.count / 16, comuni.count / 16, areas.count / 8, provinces.count / 12, provinces.count / 12,
        ]
        for index in 0..<placeCount {
            let place = place(index)
            try check(Int(place.name) < strings.count && Int(place.postalCode) < strings.count)
            try check(Int(place.area) < areaLimits[Int(place.kind.rawValue)])
        }
        for index in 0..<keyCount {
            let key = key(index)
            try check(Int(key.text) < strings.count && key.place < placeCount)
        }
        for index in 0..<ringCount {
            let ring = ring(index)
            try check(Int(ring.outline) < outlines.count / 12 && ring.count > 0)
            try check(Int(ring.start) + 8 + 4 * (Int(ring.count) - 1) <= vertices.count)
        }
        for index in 0..<comuni.count / 16 {
            let comune = comune(UInt16(index))
            try check(Int(comune.name) < strings.count && Int(comune.code) < strings.count)
            try check(comune.province < provinces.count / 12)
        }
        for index in 0..<areas.count / 8 {
            let area = area(UInt16(index))
            try check(area.country < countries.count / 12 && Int(area.name) < strings.count)
        }
        for index in 0..<outlines.count / 12 {
            let outline = outline(UInt32(index))
            try check(outline.country < countries.count / 12 && Int(outline.name) < strings.count)
            try check(outline.province ?? 0 < provinces.count / 12)
        }
        for (section, width) in [(provinces, 12), (countries, 12)] {
            for index in 0..<section.count / width {
                for field in 0..<3 {
                    try check(Int(section.number(at: index * width + field * 4, UInt32.self)) < strings.count)
                }
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
