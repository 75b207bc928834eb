package import Domain
package import HTTPTypes

/// The description of one method of a path. The OpenAPI document and the API reference are generated from it, and
/// `ParameterMiddleware` checks requests with it.
package struct Operation: Sendable {
    /// The groups of operations, in the order of the documentation.
    package enum Tag: String, CaseIterable, Sendable {
        case accounts
        case listings
        case organisations
        case messages
        case matches
        case alerts
        case channels
        case imports
        case sightings
        case tracks
        case photos
        case moderation
        case help
        case places
        case geocoders
        case features
        case tiles
        case feeds
        case operations
    }

    /// The callers that an operation accepts.
    package enum Access: Sendable {
        /// All callers get the same response.
        case everybody
        /// All callers are accepted, and some of them see more.
        case known
        /// Signed-in callers, including guests.
        case signedIn
        case admin
    }

    package let method: HTTPRequest.Method
    /// The path, with `{name}` for parameters.
    package let path: String
    package let id: String
    package let tag: Tag
    package let summary: String
    package let description: String?
    package let access: Access
    package private(set) var parameters: [Parameter]
    package let body: RequestBodyDescription?
    package let responses: [ResponseDescription]
    /// The query string of the example.
    package let exampleQuery: String?
    /// Whether the operation rejects unknown parameters.
    package let isStrict: Bool

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - responses: the responses. The errors that all operations have in common are added.
    ///   - errors: the other error responses.
    package init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ id: String,
        _ tag: Tag,
        _ summary: String,
        description: String? = nil,
        access: Access = .everybody,
        parameters: [Parameter] = [],
        body: RequestBodyDescription? = nil,
        responses: [ResponseDescription],
        errors: [ErrorResponse] = [],
        exampleQuery: String? = nil,
        isStrict: Bool = true
    ) {
        (self.method, self.path, self.id) = (method, path, id)
        (self.tag, self.summary, self.description) = (tag, summary, description)
        (self.access, self.parameters, self.body) = (access, parameters, body)
        (self.exampleQuery, self.isStrict) = (exampleQuery, isStrict)
        let isForPrograms = path.hasPrefix("/v1/")
        let others = Set(errors).union(ErrorResponse.always).sorted { $0.rawValue < $1.rawValue }
            .map { ResponseDescription($0, isForPrograms: isForPrograms) }
        self.responses =
            responses.map { answer in others.first { $0.status == answer.status }.map(answer.or) ?? answer }
            + others.filter { other in !responses.contains { $0.status == other.status } }
    }

    package func with(parameters: [Parameter]) -> Operation {
        var operation = self
        operation.parameters = parameters
        return operation
    }

    package func names(of place: Parameter.Place) -> Set<String> {
        Set(parameters.filter { $0.place == place }.map(\.name))
    }

    package var json: JSONValue {
        var fields: [String: JSONValue] = [
            "operationId": .string(id), "tags": [.string(tag.rawValue)], "summary": .string(summary),
            "responses": .object(Dictionary(responses.map { (String($0.status), $0.json) }) { $1 }),
        ]
        if let description { fields["description"] = .string(description) }
        if !parameters.isEmpty { fields["parameters"] = .array(parameters.map(\.json)) }
        if let body { fields["requestBody"] = body.json }
        switch access {
        case .everybody: break
        case .known: fields["security"] = [[:], ["bearer": []], ["cookie": []]]
        case .signedIn, .admin: fields["security"] = [["bearer": []], ["cookie": []]]
        }
        return .object(fields)
    }
}

/// The body of a request.
package struct RequestBodyDescription: Sendable {
    /// The media types, each with its schema and an example.
    package let content: [(type: String, schema: Schema, example: JSONValue?)]
    package let isRequired: Bool
    package let description: String?

    package init(
        _ content: [(type: String, schema: Schema, example: JSONValue?)],
        isRequired: Bool = true,
        description: String? = nil
    ) {
        (self.content, self.isRequired, self.description) = (content, isRequired, description)
    }

    package static func json(_ schema: Schema, example: JSONValue) -> RequestBodyDescription {
        RequestBodyDescription([("application/json", schema, example)])
    }

    /// A merge patch (RFC 7396). Clients may also send it as `application/json`.
    package static func mergePatch(
        _ schema: Schema,
        example: JSONValue,
        isRequired: Bool = false
    ) -> RequestBodyDescription {
        RequestBodyDescription(
            ["application/merge-patch+json", "application/json"].map { ($0, schema, example) },
            isRequired: isRequired
        )
    }

    package var json: JSONValue {
        let types = content.map { type, schema, example in
            var fields: [String: JSONValue] = ["schema": schema.json]
            if let example { fields["example"] = example }
            return (type, JSONValue.object(fields))
        }
        var fields: [String: JSONValue] = ["content": .object(Dictionary(types) { $1 })]
        fields["required"] = .bool(isRequired)
        if let description { fields["description"] = .string(description) }
        return .object(fields)
    }
}
