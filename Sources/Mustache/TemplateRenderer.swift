/// Fills a template with a view. It writes bytes, and looks up each name once.
struct TemplateRenderer {
    private(set) var output: [UInt8] = []
    private let templates: [String: [TemplateToken]]
    /// The values that are visible in all templates, by name.
    private let frame: [String: TemplateContent]
    /// The view of the innermost section. Nothing is visible of the views around it.
    private var view: TemplateContent
    private var blocks: [String: [TemplateToken]] = [:]

    init(_ templates: [String: [TemplateToken]], _ view: TemplateContent, frame: [String: TemplateContent]) {
        (self.templates, self.view, self.frame) = (templates, view, frame)
        // Most pages have this size.
        output.reserveCapacity(64 << 10)
    }

    mutating func render(_ tokens: [TemplateToken]) {
        for token in tokens {
            switch token {
            case .text(let bytes): output.append(contentsOf: bytes)
            case .variable(let name, let isEscaped): show(value(name), isEscaped: isEscaped)
            case .section(let name, let inner): section(value(name), inner)
            case .condition(let name, let inner, let isInverted):
                if value(name).isPresent != isInverted { render(inner) }
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

    private mutating func section(_ value: TemplateContent?, _ inner: [TemplateToken]) {
        switch value {
        case .list(let items): for item in items { render(inner, of: item) }
        case .fields?: if let value { render(inner, of: value) }
        case .text, .flag, nil: if value.isPresent { render(inner) }
        }
    }

    private mutating func render(_ tokens: [TemplateToken], of inner: TemplateContent) {
        let outer = view
        view = inner
        render(tokens)
        view = outer
    }

    private func value(_ name: TemplateName) -> TemplateContent? {
        guard let first = name.first else { return view }
        return name.rest.reduce(view.field(first) ?? frame[first]) { value, part in value?.field(part) }
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
    fileprivate func field(_ name: String) -> TemplateContent? {
        guard case .fields(let fields) = self else { return nil }
        return fields[name]
    }
}

extension TemplateContent? {
    /// Whether a section with this value is shown.
    fileprivate var isPresent: Bool {
        switch self {
        case .text(let text): !text.isEmpty
        case .flag(let flag): flag
        case .list(let items): !items.isEmpty
        case .fields: true
        case nil: false
        }
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
