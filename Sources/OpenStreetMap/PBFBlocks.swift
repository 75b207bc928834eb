import CZlib

/// Reads the OSMData blocks of a .osm.pbf file and decompresses them.
struct PBFBlocks {
    // The limits that the format specifies.
    private static let maxHeaderLength = 64 << 10
    private static let maxBlobSize = 32 << 20

    private static let supportedFeatures: Set = ["OsmSchema-V0.6", "DenseNodes"]

    private let stream: ByteStream

    init(path: String) throws {
        stream = try ByteStream(path: path)
        guard let (type, data) = try readBlob(), type == "OSMHeader" else {
            throw Malformed("expected an OSMHeader block first")
        }
        try data.withUnsafeBytes(Self.checkFeatures)
    }

    mutating func next() throws -> [UInt8]? {
        while let (type, data) = try readBlob() {
            if type == "OSMData" { return data }
        }
        return nil
    }

    private static func checkFeatures(_ header: UnsafeRawBufferPointer) throws {
        let requiredFeature: UInt64 = 4
        var message = ProtobufReader(header)
        while let (number, value) = try message.nextField() {
            guard number == requiredFeature, case .bytes(let bytes) = value else { continue }
            let feature = String(decoding: bytes, as: UTF8.self)
            guard supportedFeatures.contains(feature) else {
                throw Malformed("needs the feature \(feature.prefix(50)), which is not supported")
            }
        }
    }

    private func readBlob() throws -> (type: String, data: [UInt8])? {
        let size = try stream.read(atMost: 4)
        guard !size.isEmpty else { return nil }
        guard size.count == 4 else { throw Self.cutShort }
        let headerSize = size.reduce(0) { $0 << 8 | Int($1) }
        guard headerSize <= Self.maxHeaderLength else { throw Malformed("is damaged: a block header too long") }
        let (type, blobSize) = try Self.header(read(headerSize))
        return (type, try Self.decompressed(read(blobSize)))
    }

    private func read(_ count: Int) throws -> [UInt8] {
        let bytes = try stream.read(atMost: count)
        guard bytes.count == count else { throw Self.cutShort }
        return bytes
    }

    private static var cutShort: Malformed { Malformed("is cut short: it ends within a block") }

    private static func header(_ bytes: [UInt8]) throws -> (type: String, blobSize: Int) {
        try bytes.withUnsafeBytes { bytes in
            var type = ""
            var size: UInt64 = 0
            var message = ProtobufReader(bytes)
            while let (number, value) = try message.nextField() {
                switch (number, value) {
                case (1, .bytes(let name)): type = String(decoding: name, as: UTF8.self)
                case (3, .varint(let value)): size = value
                default: break
                }
            }
            guard !type.isEmpty, (1...UInt64(maxBlobSize)).contains(size) else {
                throw Malformed("is damaged: a block without a type or a valid size")
            }
            return (type, Int(size))
        }
    }

    private static func decompressed(_ blob: [UInt8]) throws -> [UInt8] {
        try blob.withUnsafeBytes { blob in
            var rawSize: UInt64 = 0
            var compressed: UnsafeRawBufferPointer?
            var message = ProtobufReader(blob)
            while let (number, value) = try message.nextField() {
                switch (number, value) {
                case (1, .bytes(let raw)): return Array(raw)
                case (2, .varint(let size)): rawSize = size
                case (3, .bytes(let zlib)): compressed = zlib
                case (4...7, .bytes): throw Malformed("is compressed by other means than zlib")
                default: break
                }
            }
            guard let compressed, rawSize <= UInt64(maxBlobSize) else {
                throw Malformed("is damaged: a block without data or too large")
            }
            return try inflated(compressed, size: Int(rawSize))
        }
    }

    private static func inflated(_ compressed: UnsafeRawBufferPointer, size: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            var length = UInt(size)
            let source = compressed.assumingMemoryBound(to: UInt8.self).baseAddress
            let code = uncompress(buffer.baseAddress, &length, source, UInt(compressed.count))
            guard code == Z_OK, length == UInt(size) else {
                throw Malformed("is damaged: a block cannot be decompressed")
            }
            count = size
        }
    }
}

/// A .osm.pbf file, https://wiki.openstreetmap.org/wiki/PBF_Format.
struct PBFSource: ElementSource {
    let path: String

    func visit(_ types: ElementTypes, keys: Set<String>, _ body: (Element) throws -> Void) throws {
        var blocks = try PBFBlocks(path: path)
        let keys = keys.map { Array($0.utf8) }
        while let data = try blocks.next() {
            try data.withUnsafeBytes { bytes in
                try PrimitiveBlock(bytes, keys: keys).visit(types, body)
            }
        }
    }
}
