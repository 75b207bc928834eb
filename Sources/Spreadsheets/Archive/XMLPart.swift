import Domain
import XML

/// A part of a ZIP file that is XML, read piece by piece by a handler.
final class XMLPart {
    /// In bytes. It bounds what the handler can collect between two calls of `readPiece`.
    private static let pieceSize = 1 << 15

    let part: ZipPart
    private let reader: XMLReader

    init(_ part: ZipPart, _ handler: any XMLHandler) throws(SpreadsheetError) {
        self.part = part
        do {
            reader = try XMLReader(handler, .plain(maxDepth: SpreadsheetLimits.maxDepth))
        } catch { throw Self.error(error, part) }
    }

    /// Returns whether there is more.
    func readPiece() throws(SpreadsheetError) -> Bool {
        do {
            let before = reader.elementCount
            let hasMore = try reader.readPiece(of: Self.pieceSize) { try part.fill($0) }
            try part.count(elements: reader.elementCount - before)
            return hasMore
        } catch { throw Self.error(error, part) }
    }

    func read() throws(SpreadsheetError) {
        while try readPiece() {}
    }

    private static func error(_ error: any Error, _ part: ZipPart) -> SpreadsheetError {
        if let error = error as? SpreadsheetError { return error }
        guard let failure = error as? XMLFailure else {
            return .damaged(part.name, ErrorMessage(verbatim: String("\(error)".prefix(200))))
        }
        return .damaged(part.name, "line \(failure.line): \(failure.message.prefix(200))")
    }
}

/// Passes the elements of a small part to a function. Texts are left out.
final class ElementHandler: XMLHandler {
    /// - Parameters: the name without the prefix of its namespace, the attributes, and the depth, 1 for the root.
    private let element: (String, XMLAttributes, Int) throws -> Void

    init(_ element: @escaping (String, XMLAttributes, Int) throws -> Void) {
        self.element = element
    }

    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws {
        try element(name.localName, attributes, depth)
    }

    func end(depth: Int) {}

    func text(_ text: UnsafeRawBufferPointer) {}
}

extension ZipFile {
    /// Reads the elements of a small part.
    func readElements(
        of name: String,
        _ element: @escaping (String, XMLAttributes, Int) throws -> Void
    ) throws(SpreadsheetError) {
        try XMLPart(part(name, limit: SpreadsheetLimits.maxPartBytes), ElementHandler(element)).read()
    }
}

extension String {
    /// The name of an element without the prefix of its namespace, which is whatever the program chose.
    var localName: String {
        utf8.lastIndex(of: UInt8(ascii: ":")).map { String(self[utf8.index(after: $0)...]) } ?? self
    }
}
