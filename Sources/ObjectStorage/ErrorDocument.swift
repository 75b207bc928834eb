import XML

/// The code in the XML of an error, such as `NoSuchKey`.
final class ErrorDocument: XMLHandler {
    private static let maxCodeBytes = 100

    private var isInCode = false
    private var code: [UInt8] = []

    /// Returns nil if there is none.
    static func code(in body: [UInt8]) -> String? {
        let document = ErrorDocument()
        guard let reader = try? XMLReader(document, .plain(maxDepth: 8)) else { return nil }
        try? body.withUnsafeBytes { try reader.read($0) }
        // The code is written to logs.
        let text = String(decoding: document.code, as: UTF8.self)
        return text.wholeMatch(of: /[A-Za-z0-9.]+/).map { String($0.output) }
    }

    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) { isInCode = depth == 2 && name == "Code" }

    func end(depth: Int) { isInCode = false }

    func text(_ text: UnsafeRawBufferPointer) {
        guard isInCode, code.count + text.count <= Self.maxCodeBytes else { return }
        code.append(contentsOf: text)
    }
}
