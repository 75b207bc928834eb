/// Parses a Mustache template (https://mustache.github.io/mustache.5.html) with variables, sections, partials and
/// inheritance. Comments, lambdas, and other delimiters are not supported. `{{?name}}` is not in the standard: it begins
/// a section that is shown once if the value is present.
///
/// A line that consists of one tag other than a variable produces no line break. The tag must not be indented.
struct TemplateParser {
    private let bytes: [UInt8]
    private var position = 0
    /// Whether nothing but such a tag precedes `position` on its line.
    private var isLineStart = true

    private static let open = Array("{{".utf8)
    private static let close = Array("}}".utf8)
    private static let newline = UInt8(ascii: "\n")

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func parse() throws(TemplateError) -> [TemplateToken] {
        try tokens(until: nil)
    }

    /// Parses as far as the tag that ends the section.
    private mutating func tokens(until section: String?) throws(TemplateError) -> [TemplateToken] {
        var tokens: [TemplateToken] = []
        while position < bytes.count {
            let text = read(until: Self.open)
            if let last = text.last {
                tokens.append(.text(Array(text)))
                isLineStart = last == Self.newline
            }
            guard position < bytes.count else { break }
            guard let token = try tag(in: section) else { return tokens }
            tokens.append(token)
        }
        guard let section else { return tokens }
        throw TemplateError("{{/\(section)}} is missing")
    }

    /// Parses a tag and, if it begins a section, the section. Returns nil for the end of the present section.
    private mutating func tag(in section: String?) throws(TemplateError) -> TemplateToken? {
        position += Self.open.count
        guard position < bytes.count else { throw TemplateError("}} is missing") }
        let kind = bytes[position]
        switch kind {
        case UInt8(ascii: "{"):
            let name = try name(after: 1)
            // The third closing brace.
            guard position < bytes.count, bytes[position] == UInt8(ascii: "}") else {
                throw TemplateError("}}} is missing after \(name)")
            }
            position += 1
            isLineStart = false
            return .variable(TemplateName(name), isEscaped: false)
        case UInt8(ascii: "#"):
            let name = try lineTag()
            return .section(TemplateName(name), try tokens(until: name))
        case UInt8(ascii: "?"), UInt8(ascii: "^"):
            let name = try lineTag()
            let isInverted = kind == UInt8(ascii: "^")
            return .condition(TemplateName(name), try tokens(until: name), isInverted: isInverted)
        case UInt8(ascii: "/"):
            let name = try lineTag()
            guard name == section else { throw TemplateError("{{/\(name)}} ends \(section ?? "nothing")") }
            return nil
        case UInt8(ascii: ">"): return .partial(try lineTag(), blocks: [:])
        case UInt8(ascii: "$"):
            let name = try lineTag()
            return .block(name, try tokens(until: name))
        case UInt8(ascii: "<"):
            let name = try lineTag()
            return .partial(name, blocks: Self.blocks(try tokens(until: name)))
        default:
            let name = try name(after: 0)
            isLineStart = false
            return .variable(TemplateName(name), isEscaped: true)
        }
    }

    /// Everything outside of blocks is ignored.
    private static func blocks(_ tokens: [TemplateToken]) -> [String: [TemplateToken]] {
        tokens.reduce(into: [:]) { blocks, token in
            if case .block(let name, let inner) = token { blocks[name] = inner }
        }
    }

    /// Reads the name of a tag that can stand on a line of its own, and skips the rest of such a line.
    private mutating func lineTag() throws(TemplateError) -> String {
        let name = try name(after: 1)
        let isAlone = isLineStart && (position == bytes.count || bytes[position] == Self.newline)
        if isAlone { position = min(position + 1, bytes.count) }
        isLineStart = isAlone
        return name
    }

    private mutating func name(after count: Int) throws(TemplateError) -> String {
        position += count
        let name = String(decoding: read(until: Self.close), as: UTF8.self)
        guard position < bytes.count else { throw TemplateError("}} is missing after \(name)") }
        position += Self.close.count
        let isValid = !name.isEmpty && name.utf8.allSatisfy(\.isPartOfName)
        guard isValid else { throw TemplateError("'\(name)' is not a name") }
        return name
    }

    /// Reads as far as the next place where `pair` stands, or to the end.
    private mutating func read(until pair: [UInt8]) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count, !bytes[position...].starts(with: pair) { position += 1 }
        return bytes[start..<position]
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// The reason why a template cannot be used.
package struct TemplateError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
