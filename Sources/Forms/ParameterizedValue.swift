/// A header value with parameters, such as `form-data; name="photo"; filename="a;b.jpg"`.
///
/// A backslash is an ordinary character, even before a quote, because browsers never use it for escaping and file names
/// may end with it.
struct ParameterizedValue {
    /// The value in lower case.
    let value: String
    private var parameters: [String: String] = [:]

    /// Returns nil if the text is malformed or a parameter occurs twice.
    init?(_ text: String) {
        var rest = text.unicodeScalars[...]
        value = String(rest.take { $0 != ";" }.trimmed).lowercased()
        while rest.popFirst() != nil {
            let name = String(rest.take { $0 != ";" && $0 != "=" }.trimmed).lowercased()
            if name.isEmpty, rest.first != "=" { continue }
            guard !name.isEmpty, rest.popFirst() == "=", let value = rest.takeValue(),
                parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }

    subscript(_ name: String) -> String? { parameters[name] }
}

extension Substring.UnicodeScalarView {
    var trimmed: Self {
        var rest = drop(while: \.isBlank)
        while rest.last?.isBlank == true { rest.removeLast() }
        return rest
    }

    fileprivate mutating func take(while isWanted: (Unicode.Scalar) -> Bool) -> Self {
        let taken = prefix(while: isWanted)
        self = self[taken.endIndex...]
        return taken
    }

    /// Reads a quoted or unquoted value, up to the next semicolon.
    fileprivate mutating func takeValue() -> String? {
        self = drop(while: \.isBlank)
        guard first == "\"" else {
            let bare = take { $0 != ";" }.trimmed
            return bare.isEmpty || bare.contains { $0.isBlank || $0 == "\"" } ? nil : String(bare)
        }
        removeFirst()
        let quoted = take { $0 != "\"" }
        guard popFirst() != nil, take(while: { $0 != ";" }).allSatisfy(\.isBlank) else { return nil }
        return String(quoted)
    }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
