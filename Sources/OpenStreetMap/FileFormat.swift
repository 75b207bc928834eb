import Foundation

enum FileFormat {
    case pbf
    case xml
    case json

    init(ofFileAt path: String) throws {
        let start = try ByteStream(path: path).read(atMost: 512)
        guard !start.isEmpty else { throw Malformed("is empty") }
        self = try FileFormat(start: start)
    }

    private init(start: [UInt8]) throws {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = start.starts(with: byteOrderMark) ? start.dropFirst(3) : start[...]
        switch text.first(where: { !" \t\r\n".utf8.contains($0) }) {
        case UInt8(ascii: "<"): self = .xml
        case UInt8(ascii: "{"): self = .json
        default: self = try FileFormat(binary: start)
        }
    }

    private init(binary start: [UInt8]) throws {
        // A PBF file begins with a length of four bytes and the first field of the first BlobHeader.
        if start.dropFirst(4).starts(with: [0x0A, 9] + Array("OSMHeader".utf8)) {
            self = .pbf
        } else if start.starts(with: Array("BZh".utf8)) {
            throw Malformed("is compressed by bzip2; decompress it first")
        } else {
            throw Malformed("expected .osm.pbf, .osm, .osm.gz, Overpass JSON or GeoJSON")
        }
    }
}
