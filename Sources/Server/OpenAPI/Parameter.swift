import Domain

/// What an operation reads of an address or of a header.
struct Parameter: Sendable {
    enum Place: String, Sendable {
        case path
        case query
        case header
    }

    let name: String
    let place: Place
    let schema: Schema
    let description: String
    let isRequired: Bool
    let example: JSONValue?
    /// Whether an empty value counts as none.
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
        // An address with a NUL in it is refused before anybody looks at it.
        self.schema = schema == .text() ? .text(pattern: #"^[^\u0000]*$"#) : schema
        self.description = description
        self.isRequired = isRequired
        self.example = example
    }

    static func path(_ name: String, _ schema: Schema, _ description: String, example: JSONValue) -> Parameter {
        Parameter(name, in: .path, schema, description, isRequired: true, example: example)
    }

    static func query(
        _ name: String,
        _ schema: Schema,
        _ description: String,
        isRequired: Bool = false,
        example: JSONValue? = nil
    ) -> Parameter {
        Parameter(name, in: .query, schema, description, isRequired: isRequired, example: example)
    }

    static func header(
        _ name: String,
        _ schema: Schema,
        _ description: String,
        example: JSONValue? = nil
    ) -> Parameter {
        Parameter(name, in: .header, schema, description, isRequired: false, example: example)
    }

    /// The same where it cannot be left out.
    var required: Parameter {
        Parameter(name, in: place, schema, description, isRequired: true, example: example)
    }

    /// The same as forms send it: left empty it counts as left out.
    var orEmpty: Parameter {
        var parameter = self
        parameter.mayBeEmpty = true
        return parameter
    }

    /// Several values are one text with commas.
    private var isList: Bool {
        guard case .array(let options)? = schema["anyOf"] else { return schema["type"] == "array" }
        return options.allSatisfy { if case .object(let one) = $0 { one["type"] == "array" } else { false } }
    }

    var json: JSONValue {
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
