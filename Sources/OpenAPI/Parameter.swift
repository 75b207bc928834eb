package import Domain

/// A parameter of an operation, in the path, the query or a header.
package struct Parameter: Sendable {
    package enum Place: String, Sendable {
        case path
        case query
        case header
    }

    package let name: String
    package let place: Place
    package let schema: Schema
    package let description: String
    package let isRequired: Bool
    package let example: JSONValue?
    /// Whether an empty value is treated as a missing one.
    private(set) var mayBeEmpty = false

    private init(
        _ name: String,
        in place: Place,
        _ schema: Schema,
        _ description: String,
        isRequired: Bool,
        example: JSONValue?
    ) {
        self.name = name
        self.place = place
        // `TargetMiddleware` rejects URLs that contain NUL.
        self.schema = schema == .text() ? .text(pattern: #"^[^\u0000]*$"#) : schema
        (self.description, self.isRequired, self.example) = (description, isRequired, example)
    }

    package static func path(_ name: String, _ schema: Schema, _ description: String, example: JSONValue) -> Parameter {
        Parameter(name, in: .path, schema, description, isRequired: true, example: example)
    }

    package static func query(
        _ name: String,
        _ schema: Schema,
        _ description: String,
        isRequired: Bool = false,
        example: JSONValue? = nil
    ) -> Parameter {
        Parameter(name, in: .query, schema, description, isRequired: isRequired, example: example)
    }

    package static func header(
        _ name: String,
        _ schema: Schema,
        _ description: String,
        example: JSONValue? = nil
    ) -> Parameter {
        Parameter(name, in: .header, schema, description, isRequired: false, example: example)
    }

    /// The parameter, as a required one.
    package var required: Parameter {
        Parameter(name, in: place, schema, description, isRequired: true, example: example)
    }

    /// The parameter, with empty values treated as missing, as forms send them.
    package var allowingEmpty: Parameter {
        var parameter = self
        parameter.mayBeEmpty = true
        return parameter
    }

    /// Whether the value is a list: one value with commas, or the parameter repeated.
    var isList: Bool {
        guard case .array(let options)? = schema["anyOf"] else { return schema["type"] == "array" }
        return options.allSatisfy { if case .object(let one) = $0 { one["type"] == "array" } else { false } }
    }

    package var json: JSONValue {
        var fields: [String: JSONValue] = [
            "name": .string(name), "in": .string(place.rawValue), "schema": schema.json,
            "description": .string(description),
        ]
        if isRequired { fields["required"] = true }
        if isList { (fields["style"], fields["explode"]) = (place == .query ? "form" : "simple", false) }
        if mayBeEmpty { fields["allowEmptyValue"] = true }
        if let example { fields["example"] = example }
        return .object(fields)
    }
}
