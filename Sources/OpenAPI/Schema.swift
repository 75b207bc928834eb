package import Domain

/// A JSON Schema with the keywords that OpenAPI 3.0 supports.
package struct Schema: Equatable, Sendable {
    package private(set) var keywords: [String: JSONValue]

    package init(_ keywords: [String: JSONValue]) {
        self.keywords = keywords
    }

    /// Returns the schema of a string.
    ///
    /// - Parameter lengths: the minimum and maximum length in characters.
    package static func text(
        _ lengths: ClosedRange<Int>? = nil,
        pattern: String? = nil,
        format: String? = nil
    ) -> Schema {
        var schema = Schema(["type": "string"])
        if let lengths {
            if lengths.lowerBound > 0 { schema["minLength"] = JSONValue(lengths.lowerBound) }
            schema["maxLength"] = JSONValue(lengths.upperBound)
        }
        if let pattern { schema["pattern"] = .string(pattern) }
        if let format { schema["format"] = .string(format) }
        return schema
    }

    package static let flag = Schema(["type": "boolean"])
    package static let timestamp = text(format: "date-time")
    package static let uuid = text(format: "uuid")
    package static let address = text(format: "uri")

    package static func choice<Choice>(_: Choice.Type) -> Schema where Choice: RawRepresentable<String> & CaseIterable {
        choice(Choice.allCases.map(\.rawValue))
    }

    package static func choice(_ values: [String]) -> Schema {
        Schema(["type": "string", "enum": .array(values.map(JSONValue.string))])
    }

    package static func integer(_ range: ClosedRange<Int>? = nil) -> Schema {
        var schema = Schema(["type": "integer"])
        if let range {
            schema["minimum"] = JSONValue(range.lowerBound)
            schema["maximum"] = JSONValue(range.upperBound)
        }
        return schema
    }

    package static func integer(atLeast least: Int) -> Schema {
        Schema(["type": "integer", "minimum": JSONValue(least)])
    }

    package static func number(_ range: ClosedRange<Double>? = nil) -> Schema {
        var schema = Schema(["type": "number"])
        if let range {
            schema["minimum"] = .number(range.lowerBound)
            schema["maximum"] = .number(range.upperBound)
        }
        return schema
    }

    package static func list(of items: Schema, _ count: ClosedRange<Int>? = nil) -> Schema {
        var schema = Schema(["type": "array", "items": items.json])
        if let count {
            schema["minItems"] = JSONValue(count.lowerBound)
            schema["maxItems"] = JSONValue(count.upperBound)
        }
        return schema
    }

    package static func list(of items: Schema, _ count: PartialRangeFrom<Int>) -> Schema {
        list(of: items).with("minItems", JSONValue(count.lowerBound))
    }

    /// Returns the schema of an object in a response. Later versions may add properties.
    ///
    /// - Parameters:
    ///   - properties: the required properties.
    ///   - optional: the optional properties.
    package static func object(_ properties: [String: Schema], optional: [String: Schema] = [:]) -> Schema {
        let all = properties.merging(optional) { $1 }
        var schema = Schema(["type": "object", "properties": .object(all.mapValues(\.json))])
        if !properties.isEmpty { schema["required"] = .array(properties.keys.sorted().map(JSONValue.string)) }
        return schema
    }

    /// Returns the schema of an object in a request, where other properties are rejected.
    package static func request(_ properties: [String: Schema] = [:], optional: [String: Schema] = [:]) -> Schema {
        object(properties, optional: optional).with("additionalProperties", false)
    }

    package static func any(of schemas: [Schema]) -> Schema {
        Schema(["anyOf": .array(schemas.map(\.json))])
    }

    /// Returns a reference to a schema in the components of the document.
    package static func named(_ name: String) -> Schema {
        Schema(["$ref": .string("#/components/schemas/" + name)])
    }

    package subscript(keyword: String) -> JSONValue? {
        get { keywords[keyword] }
        set { keywords[keyword] = newValue }
    }

    package func with(_ keyword: String, _ value: JSONValue) -> Schema {
        var schema = self
        schema[keyword] = value
        return schema
    }

    package func described(_ text: String) -> Schema { with("description", .string(text)) }

    /// The schema, with null allowed. An `enum` has to list null, and one of several schemas in `anyOf` has to allow
    /// it.
    package var orNull: Schema {
        if case .array(let options)? = self["anyOf"], case .object(let first)? = options.first {
            return with("anyOf", .array([Schema(first).orNull.json] + options.dropFirst()))
        }
        let schema = with("nullable", true)
        guard case .array(let values)? = schema["enum"] else { return schema }
        return schema.with("enum", .array(values + [.null]))
    }

    package var json: JSONValue { .object(keywords) }
}

extension JSONValue {
    package init(_ number: Int) { self = .number(Double(number)) }

    /// The text, or nil if the value is not a string.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
