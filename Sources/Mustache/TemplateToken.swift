/// A part of a parsed template.
enum TemplateToken: Sendable {
    case text([UInt8])
    case variable(TemplateName, isEscaped: Bool)
    /// Shown for each item of a list, or once for another value that is present. Inside, a template sees the item, or the
    /// view that the value is.
    case section(TemplateName, [TemplateToken])
    /// Shown once if a value is present, or if it is not.
    case condition(TemplateName, [TemplateToken], isInverted: Bool)
    /// Another template, with the blocks that replace its own.
    case partial(String, blocks: [String: [TemplateToken]])
    /// A block, and what it contains unless another template replaces it.
    case block(String, [TemplateToken])

    /// The names of the templates that the tokens contain.
    static func partials(in tokens: [TemplateToken]) -> [String] {
        tokens.flatMap { token -> [String] in
            switch token {
            case .text, .variable: []
            case .section(_, let inner), .condition(_, let inner, _), .block(_, let inner): partials(in: inner)
            case .partial(let name, let blocks): [name] + blocks.values.flatMap(partials)
            }
        }
    }
}

/// The name of a value, divided at its dots.
struct TemplateName: Sendable {
    /// Nil for `.`, the present item of a list of texts.
    let first: String?
    let rest: [String]

    init(_ text: String) {
        let parts = text.split(separator: ".").map(String.init)
        first = parts.first
        rest = Array(parts.dropFirst())
    }
}
