import Domain

extension JSONValue {
    /// The field's value, or null if there is no such field.
    subscript(key: String) -> JSONValue {
        if case .object(let fields) = self { fields[key] ?? .null } else { .null }
    }

    /// The elements of an array; empty for other values.
    var items: [JSONValue] {
        if case .array(let items) = self { items } else { [] }
    }

    /// The text of a string; nil for other values.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number; nil for other values.
    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }
}
