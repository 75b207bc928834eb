import CExpat
import Domain

/// Converts the events of expat into elements.
final class XMLHandler {
    private(set) var error: (any Error)?
    private let types: ElementTypes
    private let body: (Element) throws -> Void
    private var parser: XML_Parser?
    private var depth = 0
    private var current: XMLElement?
    private var remark: String?

    init(types: ElementTypes, body: @escaping (Element) throws -> Void) {
        self.types = types
        self.body = body
    }

    /// Registers the handler with a parser, which must not outlive it.
    func attach(to parser: XML_Parser) {
        self.parser = parser
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { handler(from: $0)?.start($1, XMLAttributes(list: $2)) },
            { context, _ in handler(from: context)?.end() }
        )
        XML_SetCharacterDataHandler(parser) { handler(from: $0)?.text($1, $2) }
    }

    private func start(_ name: UnsafePointer<XML_Char>?, _ attributes: XMLAttributes) {
        guard error == nil, let name else { return }
        depth += 1
        switch (depth, String(cString: name)) {
        case (1, "osm"): break
        case (1, let root): stop(Malformed("expected the root element osm, not \(root.prefix(50))"))
        case (2, "node") where types.contains(.nodes): current = XMLElement(.node, attributes)
        case (2, "way") where types.contains(.ways): current = XMLElement(.way, attributes)
        case (2, "relation") where types.contains(.relations): current = XMLElement(.relation, attributes)
        case (2, "remark"): remark = ""
        case (3, let part): current?.add(part, attributes)
        default: break
        }
    }

    private func end() {
        guard error == nil else { return }
        if depth == 2 {
            do {
                if let current { try body(current.element) }
                try checkRemark()
            } catch {
                stop(error)
            }
            current = nil
        }
        depth -= 1
    }

    // If a query exceeds its time or memory limit, Overpass writes only some of the elements and then a remark.
    private func checkRemark() throws {
        if let remark, remark.contains("runtime error") {
            throw Malformed("is incomplete, Overpass says: \(remark.trimmed.prefix(200))")
        }
        remark = nil
    }

    private func text(_ start: UnsafePointer<XML_Char>?, _ count: Int32) {
        guard let start, let remark, remark.utf8.count < 1000 else { return }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
        self.remark = remark + String(decoding: bytes, as: UTF8.self)
    }

    private func stop(_ error: any Error) {
        self.error = error
        XML_StopParser(parser, 0)
    }
}

private func handler(from context: UnsafeMutableRawPointer?) -> XMLHandler? {
    context.map { Unmanaged<XMLHandler>.fromOpaque($0).takeUnretainedValue() }
}
