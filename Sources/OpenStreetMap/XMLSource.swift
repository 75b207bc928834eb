import XML

/// OSM XML as planet files, JOSM and Overpass write it, https://wiki.openstreetmap.org/wiki/OSM_XML.
struct XMLSource: ElementSource {
    private static let chunk = 1 << 16

    let path: String

    func visit(_ types: ElementTypes, keys: Set<String>, _ body: (Element) throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            do {
                let reader = try XMLReader(XMLElements(types: types, body: body))
                let stream = try ByteStream(path: path)
                try reader.read(inPiecesOf: Self.chunk) { buffer in try stream.read(into: buffer) }
            } catch let error as XMLFailure {
                throw Malformed("is cut short or no XML: \(error.message) in line \(error.line)")
            }
        }
    }
}
