/// Reads the fields of a JSON object one by one. Errors contain the path of the field and its expected form.
struct Fields<Key: CodingKey> {
    private let container: KeyedDecodingContainer<Key>

    init(_ decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: Key.self) else {
            let found = (try? JSONKind(from: decoder))?.rawValue ?? "something else"
            throw ModelError.manifest(field: decoder.codingPath.dotted, expected: "an object", found: found)
        }
        self.container = container
    }

    func read<Value: Decodable>(
        _ key: Key,
        _ form: String,
        where isRight: (Value) -> Bool = { _ in true }
    ) throws -> Value {
        guard container.contains(key) else { throw failure(key, form, found: "nothing") }
        let value: Value
        do {
            value = try container.decode(Value.self, forKey: key)
        } catch let error as ModelError {
            throw error
        } catch {
            let kind = try? container.decode(JSONKind.self, forKey: key)
            throw failure(key, form, found: (kind ?? .other).rawValue)
        }
        guard isRight(value) else { throw failure(key, form, found: "\(value)") }
        return value
    }

    func readIfThere<Value: Decodable>(
        _ key: Key,
        _ form: String,
        where isRight: (Value) -> Bool = { _ in true }
    ) throws -> Value? {
        try container.contains(key) ? read(key, form, where: isRight) : nil
    }

    func choice<Value: CaseIterable & RawRepresentable>(_ key: Key) throws -> Value where Value.RawValue == String {
        let form = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        let text: String = try read(key, form)
        guard let value = Value(rawValue: text) else { throw failure(key, form, found: "\"\(text)\"") }
        return value
    }

    private func failure(_ key: Key, _ form: String, found: String) -> ModelError {
        let found = found.isEmpty ? "an empty text" : String(found.prefix(100))
        return .manifest(field: (container.codingPath + [key]).dotted, expected: form, found: found)
    }
}

extension [any CodingKey] {
    /// The path in the form "labels[3].id".
    var dotted: String {
        reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
    }
}

/// The kind of a JSON value, for error messages about a wrong kind.
private enum JSONKind: String, Decodable {
    case null
    case boolean = "true or false"
    case number = "a number"
    case text = "a text"
    case array = "an array"
    case object = "an object"
    case other = "something else"

    private enum Key: CodingKey {}

    init(from decoder: any Decoder) throws {
        let value = try? decoder.singleValueContainer()
        if value?.decodeNil() == true {
            self = .null
        } else if (try? value?.decode(Bool.self)) != nil {
            self = .boolean
        } else if (try? value?.decode(Double.self)) != nil {
            self = .number
        } else if (try? value?.decode(String.self)) != nil {
            self = .text
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array
        } else if (try? decoder.container(keyedBy: Key.self)) != nil {
            self = .object
        } else {
            self = .other
        }
    }
}
