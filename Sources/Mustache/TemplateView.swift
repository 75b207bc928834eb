/// The values that a template may show. The stored members have the names that the template uses. They are texts, whole
/// numbers, flags and other views, and optionals and lists of these.
package protocol TemplateView: Encodable, Sendable {}

/// The value of a name in a template.
package enum TemplateContent: Sendable {
    /// An empty text is shown as nothing, and sections treat it like a missing value.
    case text(String)
    case flag(Bool)
    case list([TemplateContent])
    case fields([String: TemplateContent])

    package init(_ view: some TemplateView) {
        self.init(of: view)
    }

    init(of value: some Encodable) {
        let encoder = ViewEncoder()
        // Neither views nor the encoder throw errors.
        try? value.encode(to: encoder)
        self = encoder.content
    }
}
