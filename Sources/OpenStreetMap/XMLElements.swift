import Domain
import XML

/// Converts the parts of an XML document into elements.
final class XMLElements: XMLHandler {
    private let types: ElementTypes
    private let body: (Element) throws -> Void
    private var current: XMLElement?
    private var remark: String?

    init(types: ElementTypes, body: @escaping (Element) throws -> Void) {
        self.types = types
        self.body = body
    }

    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws {
        switch (depth, name) {
        case (1, "osm"): break
        case (1, let root): throw Malformed("expected the root element osm, not \(root.prefix(50))")
        case (2, "node") where types.contains(.nodes): current = XMLElement(.node, attributes)
        case (2, "way") where types.contains(.ways): current = XMLElement(.way, attributes)
        case (2, "relation") where types.contains(.relations): current = XMLElement(.relation, attributes)
        case (2, "remark"): remark = ""
        case (3, let part): current?.add(part, attributes)
        default: break
        }
    }

    func end(depth: Int) throws {
        guard depth == 2 else { return }
        if let current { try body(current.element) }
        try checkRemark()
        current = nil
    }

    // If a query exceeds its time or memory limit, Overpass writes only some of the elements and then a remark.
    private func checkRemark() throws {
        if let remark, remark.contains("runtime error") {
            throw Malformed("is incomplete, Overpass says: \(remark.trimmed.prefix(200))")
        }
        remark = nil
    }

    func text(_ text: UnsafeRawBufferPointer) {
        guard let remark, remark.utf8.count < 1000 else { return }
        self.remark = remark + String(decoding: text, as: UTF8.self)
    }
}
