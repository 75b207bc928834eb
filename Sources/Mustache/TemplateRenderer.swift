/// Fills a template with values. It writes bytes, and looks up each name once.
struct TemplateRenderer {
    private(set) var output: [UInt8] = []
    private let templates: [String: [TemplateToken]]
    /// The values of the sections that surround the present token, the innermost one last.
    private var stack: [TemplateContent]
    private var blocks: [String: [TemplateToken]] = [:]

    init(_ templates: [String: [TemplateToken]], _ values: [String: any TemplateValue]) {
        self.templates = templates
        stack = [.fields(values)]
        // Most pages have this size.
        output.reserveCapacity(64 << 10)
    }

    mutating func render(_ tokens: [TemplateToken]) {
        for token in tokens {
            switch token {
            case .text(let bytes): output.append(contentsOf: bytes)
            case .variable(let name, let isEscaped): show(value(name), isEscaped: isEscaped)
            case .section(let name, let inner, let isInverted): section(value(name), inner, isInverted)
            case .partial(let name, let replacements): partial(name, replacements)
            case .block(let name, let inner): render(blocks[name] ?? inner)
            }
        }
    }

    /// The blocks of the template that the page begins with have precedence.
    private mutating func partial(_ name: String, _ replacements: [String: [TemplateToken]]) {
        let outer = blocks
        if !replacements.isEmpty { blocks.merge(replacements) { first, _ in first } }
        render(templates[name] ?? [])
        blocks = outer
    }

    private mutating func section(_ value: TemplateContent?, _ inner: [TemplateToken], _ isInverted: Bool) {
        guard let value, value.isPresent else {
            if isInverted { render(inner) }
            return
        }
        guard !isInverted else { return }
        switch value {
        case .flag: render(inner)
        case .text, .fields: render(inner, with: value)
        case .list(let items): for item in items { render(inner, with: item.content) }
        }
    }

    private mutating func render(_ tokens: [TemplateToken], with value: TemplateContent) {
        stack.append(value)
        render(tokens)
        stack.removeLast()
    }

    /// Returns the value of a name: that of the innermost section that has a value of its first part.
    private func value(_ name: TemplateName) -> TemplateContent? {
        guard let first = name.first else { return stack.last }
        for case .fields(let fields) in stack.reversed() {
            guard let found = fields[first]?.content else { continue }
            return name.rest.reduce(found) { value, part in value?.field(part) }
        }
        return nil
    }

    private mutating func show(_ value: TemplateContent?, isEscaped: Bool) {
        guard case .text(var text) = value else { return }
        text.withUTF8 { if isEscaped { escape($0) } else { output.append(contentsOf: $0) } }
    }

    /// Writes text so that it contains neither tags nor references of HTML or XML, and cannot end an attribute.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var start = text.startIndex
        for index in text.indices {
            guard let escaped = text[index].htmlEscaped else { continue }
            output.append(contentsOf: text[start..<index])
            escaped.withUTF8Buffer { output.append(contentsOf: $0) }
            start = index + 1
        }
        output.append(contentsOf: text[start...])
    }
}

extension TemplateContent {
    /// Whether a section with this value is shown.
    fileprivate var isPresent: Bool {
        switch self {
        case .text(let text): !text.isEmpty
        case .flag(let flag): flag
        case .list(let items): !items.isEmpty
        case .fields: true
        }
    }

    fileprivate func field(_ name: String) -> TemplateContent? {
        guard case .fields(let fields) = self else { return nil }
        return fields[name]?.content
    }
}

extension UInt8 {
    fileprivate var htmlEscaped: StaticString? {
        switch self {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}
