import Domain

extension JSONValue {
    /// Null where there is no such field.
    subscript(key: String) -> JSONValue {
        if case .object(let fields) = self { fields[key] ?? .null } else { .null }
    }

    /// Empty where it is no array.
    var items: [JSONValue] {
        if case .array(let items) = self { items } else { [] }
    }

    /// Nil where it is no string.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Nil where it is no number.
    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }
}
