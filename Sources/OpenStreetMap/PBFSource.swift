/// A .osm.pbf file, https://wiki.openstreetmap.org/wiki/PBF_Format.
struct PBFSource: ElementSource {
    let path: String

    func visit(_ types: ElementTypes, _ body: (Element) throws -> Void) throws {
        var blocks = try PBFBlocks(path: path)
        while let data = try blocks.next() {
            try data.withUnsafeBytes { bytes in
                try PrimitiveBlock(bytes).visit(types, body)
            }
        }
    }
}
