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
    /// Rules for documents from strangers.
    package struct Rules: Sendable {
        fileprivate let maxDepth: Int
        /// How many different names of elements and attributes a document may have, because expat keeps each of them.
        fileprivate var maxNames = Int.max
        /// The maximum size in bytes of a tag, comment or instruction, because expat holds it whole and reads its
        /// beginning again with each piece.
        fileprivate var maxTagSize = Int.max
        /// Whether only UTF-8 or Latin-1 without a document type, and therefore without entities, is read.
        fileprivate let isPlain: Bool

        /// Everything that expat reads.
        package static let any = Rules(maxDepth: .max, isPlain: false)

        package static func plain(maxDepth: Int) -> Rules {
            Rules(maxDepth: maxDepth, maxNames: 1000, maxTagSize: 1 << 18, isPlain: true)
        }
    }

    private let parser: XML_Parser
    private let handler: any XMLHandler
    private let rules: Rules
    private var depth = 0
    /// The number of elements that have begun.
    package private(set) var elementCount = 0
    private var names = DistinctNames()
    /// The number of bytes that expat was given.
    private var size = 0
    /// The offset of the tag or text that was read last.
    private var position = 0
    private var error: (any Error)?

    package init(_ handler: any XMLHandler, _ rules: Rules = .any) throws {
        guard let parser = XML_ParserCreate(rules.isPlain ? "UTF-8" : nil) else {
            throw XMLFailure(message: "no memory left", line: 0)
        }
        (self.parser, self.handler, self.rules) = (parser, handler, rules)
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
        while try readPiece(of: size, fill) {}
    }

    /// Reads what `fill` puts into a buffer. The document ends where that is less than the size of the buffer.
    ///
    /// - Returns: Whether there is more.
    package func readPiece(of size: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Bool {
        guard let buffer = XML_GetBuffer(parser, Int32(size)) else { throw failure }
        let count = try fill(UnsafeMutableRawBufferPointer(start: buffer, count: size))
        if rules.isPlain, self.size == 0 { try checkStart(UnsafeRawBufferPointer(start: buffer, count: count)) }
        self.size += count
        let status = XML_ParseBuffer(parser, Int32(count), count < size ? 1 : 0)
        if let error { throw error }
        guard status == XML_STATUS_OK else { throw failure }
        // It is -1 while expat waits for the rest of a tag.
        position = max(position, Int(XML_GetCurrentByteIndex(parser)))
        guard self.size - position <= rules.maxTagSize else {
            throw XMLFailure(message: "expected tags of at most \(rules.maxTagSize) bytes", line: line)
        }
        return count == size
    }

    /// Reads a whole document.
    package func read(_ document: UnsafeRawBufferPointer) throws {
        var offset = 0
        try read(inPiecesOf: 1 << 16) { buffer in
            let piece = document[offset..<min(document.count, offset + buffer.count)]
            buffer.copyBytes(from: piece)
            offset += piece.count
            return piece.count
        }
    }

    /// Checks the first piece of a document from a stranger.
    private func checkStart(_ piece: UnsafeRawBufferPointer) throws {
        // Expat recognises UTF-16 by its first bytes, whatever encoding it was told.
        if piece.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) {
            throw XMLFailure(message: "expected UTF-8", line: 1)
        }
        if Self.isLatin(piece) { XML_SetEncoding(parser, "ISO-8859-1") }
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
        elementCount += 1
        guard depth <= rules.maxDepth else { return refuse("expected at most \(rules.maxDepth) levels of elements") }
        let word = String(cString: name)
        if rules.isPlain, names.insert(word, attributes) > rules.maxNames {
            return refuse("expected at most \(rules.maxNames) different names of elements and attributes")
        }
        attempt { try handler.start(word, attributes, depth: depth) }
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

/// The names of a document.
private struct DistinctNames {
    private var elements: Set<String> = []
    /// Expat has one pointer for each name of an attribute.
    private var attributes: Set<UnsafePointer<XML_Char>> = []

    /// Returns the number of names.
    mutating func insert(_ element: String, _ list: XMLAttributes) -> Int {
        elements.insert(element)
        if var entry = list.list {
            while let name = entry[0] {
                attributes.insert(name)
                entry += 2
            }
        }
        return elements.count + attributes.count
    }
}

private func reader(from context: UnsafeMutableRawPointer?) -> XMLReader? {
    context.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
}
