/// A value that a template can show: a text, a number, a flag, a list of values, or values by name.
package protocol TemplateValue: Sendable {
    var content: TemplateContent { get }
}

/// The content of a value.
package enum TemplateContent: Sendable {
    /// An empty text is shown as nothing, and sections treat it like a missing value.
    case text(String)
    case flag(Bool)
    case list([any TemplateValue])
    case fields([String: any TemplateValue])
}

extension String: TemplateValue {
    package var content: TemplateContent { .text(self) }
}

extension Int: TemplateValue {
    package var content: TemplateContent { .text(String(self)) }
}

extension Bool: TemplateValue {
    package var content: TemplateContent { .flag(self) }
}

extension Array: TemplateValue where Element: TemplateValue {
    package var content: TemplateContent { .list(self) }
}

extension Dictionary: TemplateValue where Key == String, Value == any TemplateValue {
    package var content: TemplateContent { .fields(self) }
}

extension [String: String] {
    /// The texts as values of templates.
    package var templateValues: [String: any TemplateValue] { mapValues { $0 } }
}
