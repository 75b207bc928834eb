import Domain

extension JSONValue {
    subscript(name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var fields: [String: JSONValue] {
        if case .object(let fields) = self { fields } else { [:] }
    }
}
