import CExpat

/// OSM XML as planet files, JOSM and Overpass write it, https://wiki.openstreetmap.org/wiki/OSM_XML.
struct XMLSource: ElementSource {
    private static let chunk = 1 << 16

    let path: String

    func visit(_ types: ElementTypes, _ body: (Element) throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            let handler = XMLHandler(types: types, body: body)
            try withExtendedLifetime(handler) { try parse(with: handler) }
        }
    }

    private func parse(with handler: XMLHandler) throws {
        guard let parser = XML_ParserCreate(nil) else { throw Malformed("no memory left") }
        defer { XML_ParserFree(parser) }
        handler.attach(to: parser)
        let stream = try ByteStream(path: path)
        var isAtEnd = false
        while !isAtEnd {
            guard let buffer = XML_GetBuffer(parser, Int32(Self.chunk)) else { throw failure(parser) }
            let count = try stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Self.chunk))
            isAtEnd = count < Self.chunk
            let status = XML_ParseBuffer(parser, Int32(count), isAtEnd ? 1 : 0)
            if let error = handler.error { throw error }
            guard status == XML_STATUS_OK else { throw failure(parser) }
        }
    }

    private func failure(_ parser: XML_Parser) -> Malformed {
        let message = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown error"
        return Malformed("is cut short or no XML: \(message) in line \(XML_GetCurrentLineNumber(parser))")
    }
}
