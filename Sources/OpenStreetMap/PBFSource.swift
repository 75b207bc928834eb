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
