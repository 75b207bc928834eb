import CExpat
import Foundation

/// Receives the parts of a document. An error ends the reading.
package protocol XMLHandler: AnyObject {
    /// - Parameter depth: 1 for the root element.
    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws
    func end(depth: Int) throws
    /// - Parameter text: a part of the text of the present element.
    func text(_ text: UnsafeRawBufferPointer) throws
}

/// A document that is cut short, or no XML, or not as `XMLReader.Rules` say.
package struct XMLFailure: Error {
    package let message: String
    package let line: Int
}

/// Reads XML piece by piece with expat.
package final class XMLReader {
    /// What documents from strangers must not contain.
    package struct Rules: Sendable {
        fileprivate let maxDepth: Int
        /// Whether only UTF-8 or Latin-1 without a document type, and therefore without entities, is read.
        fileprivate let isPlain: Bool

        /// Everything that expat reads.
        package static let any = Rules(maxDepth: .max, isPlain: false)

        package static func plain(maxDepth: Int) -> Rules { Rules(maxDepth: maxDepth, isPlain: true) }
    }

    private let parser: XML_Parser
    private let handler: any XMLHandler
    private let rules: Rules
    private var depth = 0
    private var error: (any Error)?

    package init(_ handler: any XMLHandler, _ rules: Rules = .any) throws {
        guard let parser = XML_ParserCreate(rules.isPlain ? "UTF-8" : nil) else {
            throw XMLFailure(message: "no memory left", line: 0)
        }
        self.parser = parser
        self.handler = handler
        self.rules = rules
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { reader(from: $0)?.start($1, XMLAttributes(list: $2)) },
            { context, _ in reader(from: context)?.end() }
        )
        XML_SetCharacterDataHandler(parser) { reader(from: $0)?.text($1, $2) }
        guard rules.isPlain else { return }
        XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
            reader(from: context)?.refuse("expected no document type")
        }
        XML_SetXmlDeclHandler(parser) { context, _, encoding, _ in reader(from: context)?.check(encoding) }
    }

    deinit { XML_ParserFree(parser) }

    /// Reads what `fill` puts into a buffer, until that is less than the size of the buffer.
    package func read(inPiecesOf size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        var isAtEnd = false
        while !isAtEnd {
            guard let buffer = XML_GetBuffer(parser, Int32(size)) else { throw failure }
            let count = try fill(UnsafeMutableRawBufferPointer(start: buffer, count: size))
            isAtEnd = count < size
            let status = XML_ParseBuffer(parser, Int32(count), isAtEnd ? 1 : 0)
            if let error { throw error }
            guard status == XML_STATUS_OK else { throw failure }
        }
    }

    /// Reads a whole document.
    package func read(_ document: UnsafeRawBufferPointer) throws {
        // Expat recognises UTF-16 by its first bytes, whatever encoding it was told.
        if rules.isPlain, document.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) {
            throw XMLFailure(message: "expected UTF-8", line: 1)
        }
        if rules.isPlain, Self.isLatin(document) { XML_SetEncoding(parser, "ISO-8859-1") }
        var offset = 0
        try read(inPiecesOf: 1 << 16) { buffer in
            let piece = document[offset..<min(document.count, offset + buffer.count)]
            buffer.copyBytes(from: piece)
            offset += piece.count
            return piece.count
        }
    }

    /// Whether the XML declaration names ISO-8859-1, which older devices write.
    private static func isLatin(_ document: UnsafeRawBufferPointer) -> Bool {
        let declaration = document.prefix(maxDeclarationLength).prefix { $0 != UInt8(ascii: ">") }
        let text = String(decoding: declaration, as: UTF8.self).uppercased()
        return text.hasPrefix("<?XML ") && text.contains("ISO-8859-1")
    }

    private static let maxDeclarationLength = 200

    /// The line that is being read.
    package var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private var failure: XMLFailure {
        let message = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown error"
        return XMLFailure(message: message, line: line)
    }

    private func start(_ name: UnsafePointer<XML_Char>?, _ attributes: XMLAttributes) {
        guard error == nil, let name else { return }
        depth += 1
        guard depth <= rules.maxDepth else { return refuse("expected at most \(rules.maxDepth) levels of elements") }
        attempt { try handler.start(String(cString: name), attributes, depth: depth) }
    }

    private func end() {
        guard error == nil else { return }
        attempt { try handler.end(depth: depth) }
        depth -= 1
    }

    private func text(_ start: UnsafePointer<XML_Char>?, _ count: Int32) {
        guard error == nil else { return }
        attempt { try handler.text(UnsafeRawBufferPointer(start: start, count: Int(count))) }
    }

    private func check(_ encoding: UnsafePointer<XML_Char>?) {
        guard let encoding else { return }
        let name = String(cString: encoding).uppercased()
        if !["UTF-8", "UTF8", "US-ASCII", "ASCII", "ISO-8859-1"].contains(name) {
            refuse("expected UTF-8 or ISO-8859-1, not \(name.prefix(20))")
        }
    }

    private func refuse(_ message: String) {
        stop(XMLFailure(message: message, line: line))
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { stop(error) }
    }

    private func stop(_ error: any Error) {
        guard self.error == nil else { return }
        self.error = error
        XML_StopParser(parser, 0)
    }
}

private func reader(from context: UnsafeMutableRawPointer?) -> XMLReader? {
    context.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
}
