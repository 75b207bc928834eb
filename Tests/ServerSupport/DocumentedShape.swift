package import Domain

/// Compares answers with the schemas of the document in both directions: every member must be documented, and every
/// documented member must exist.
package struct DocumentedShape {
    package let document: JSONValue

    package init(document: JSONValue) { self.document = document }

    /// The places where a value differs from its schema.
    package func problems(of value: JSONValue, _ schema: JSONValue, at place: String = "") -> [String] {
        let schema = resolve(schema)
        if case .array(let options)? = schema["anyOf"] {
            let found = options.map { problems(of: value, $0, at: place) }
            return found.contains([]) ? [] : found.first { !$0.isEmpty } ?? []
        }
        if value == .null { return schema["nullable"] == true ? [] : ["\(place): null"] }
        if case .array(let values)? = schema["enum"], !values.contains(value) { return ["\(place): not of the list"] }
        switch (schema["type"], value) {
        case ("object", .object(let fields)): return problems(of: fields, schema, at: place)
        case ("array", .array(let items)):
            return items.flatMap { problems(of: $0, schema["items"] ?? .null, at: place + "[]") }
        case ("string", .string), ("boolean", .bool), ("number", .number): return []
        case ("integer", .number(let number)): return number == number.rounded() ? [] : ["\(place): no integer"]
        default: return ["\(place): of another type"]
        }
    }

    private func problems(of fields: [String: JSONValue], _ schema: JSONValue, at place: String) -> [String] {
        var problems: [String] = []
        if case .array(let names)? = schema["required"] {
            problems += names.compactMap(\.string).filter { fields[$0] == nil }.map { "\(place).\($0): missing" }
        }
        for (name, value) in fields {
            if let known = schema["properties"]?[name] ?? schema["additionalProperties"] {
                problems += self.problems(of: value, known, at: "\(place).\(name)")
            } else if schema["properties"] != .object([:]) {
                problems.append("\(place).\(name): not documented")
            }
        }
        return problems
    }

    /// The schema to which a reference points, or the schema itself.
    package func resolve(_ schema: JSONValue) -> JSONValue {
        guard let reference = schema["$ref"]?.string else { return schema }
        return reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }

    fileprivate var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
