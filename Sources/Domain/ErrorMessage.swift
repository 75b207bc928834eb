/// A text for who sent a request, in English, which can be translated: the arguments are kept apart from it.
///
/// It is written as a literal. `"expected at most \(most) bytes"` has the template `expected at most {1} bytes`, which is its
/// key in `errors.json` of each language. `make language` finds the templates in the sources; so a text is a literal where it
/// becomes an `ErrorMessage`.
package struct ErrorMessage: Sendable {
    /// The English text with `{1}`, `{2}` and so on in place of the arguments.
    package let template: String
    private let arguments: [Argument]

    fileprivate enum Argument {
        /// A name, a number, a text of a user or of another program.
        case verbatim(String)
        case message(ErrorMessage)
    }

    /// Creates a text that is the same in all languages.
    package init(verbatim text: String) {
        (template, arguments) = ("{1}", [.verbatim(text)])
    }

    /// The English text.
    package var text: String { text(translating: \.self) }

    /// The text in a language, or in English as far as the language lacks translations.
    package func text(in language: Language) -> String {
        let translations = language.errorMessages
        return text { translations[$0] ?? $0 }
    }

    func text(translating translation: (String) -> String) -> String {
        let template = translation(template)
        var text = ""
        var rest = template[...]
        // Arguments are not read again: they may have braces.
        while let brace = rest.firstIndex(of: "{") {
            text += rest[..<brace]
            rest = rest[brace...]
            guard let end = rest.firstIndex(of: "}"), let number = Int(rest[..<end].dropFirst()),
                arguments.indices.contains(number - 1)
            else {
                text.append(rest.removeFirst())
                continue
            }
            switch arguments[number - 1] {
            case .verbatim(let argument): text += argument
            case .message(let message): text += message.text(translating: translation)
            }
            rest = rest[end...].dropFirst()
        }
        return text + rest
    }
}

extension ErrorMessage: ExpressibleByStringInterpolation, CustomStringConvertible, Equatable {
    package init(stringLiteral text: String) {
        (template, arguments) = (text, [])
    }

    package init(stringInterpolation text: StringInterpolation) {
        (template, arguments) = (text.template, text.arguments)
    }

    package var description: String { text }

    /// Whether the English texts are equal.
    package static func == (left: ErrorMessage, right: ErrorMessage) -> Bool { left.text == right.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var template = ""
        fileprivate var arguments: [Argument] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            template.reserveCapacity(literalCapacity + interpolationCount * 3)
        }

        package mutating func appendLiteral(_ text: String) { template += text }

        /// Adds an argument that is translated too.
        package mutating func appendInterpolation(_ message: ErrorMessage) { append(.message(message)) }

        /// Adds an argument that is the same in all languages.
        // Without the attribute, a literal in an interpolation would be such an argument, and stay English.
        @_disfavoredOverload
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            append(.verbatim(value.description))
        }

        private mutating func append(_ argument: Argument) {
            arguments.append(argument)
            template += "{\(arguments.count)}"
        }
    }
}

extension [String] {
    /// For example "JPEG, PNG or WebP".
    package var alternatives: ErrorMessage {
        guard count > 1, let last else { return ErrorMessage(verbatim: first ?? "") }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }

    /// For example "JPEG, PNG and WebP".
    package var conjunction: ErrorMessage {
        guard count > 1, let last else { return ErrorMessage(verbatim: first ?? "") }
        return "\(dropLast().joined(separator: ", ")) and \(last)"
    }
}
