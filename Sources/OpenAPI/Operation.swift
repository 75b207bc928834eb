package import Domain
package import HTTPTypes

/// The description of one method of a path, with what follows from it: error responses, 304 and headers. The OpenAPI
/// document and the API reference are generated from it, and `ParameterMiddleware` checks requests with it.
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
    package let summary: String
    package internal(set) var tag = Tag.operations
    package internal(set) var description: String?
    package internal(set) var access = Access.everybody
    package internal(set) var parameters: [Parameter] = []
    package internal(set) var body: RequestBodyDescription?
    /// The query string of the example.
    package internal(set) var exampleQuery: String?
    /// Whether the operation rejects unknown parameters.
    package internal(set) var isStrict = true
    /// The responses that do not follow from the rest.
    var answers: [ResponseDescription] = []
    /// The error responses that do not follow from the rest.
    var ownErrors: Set<ErrorResponse> = []
    /// Whether there is something at each path that the parameters allow.
    var isAlwaysFound = false

    package func names(of place: Parameter.Place) -> Set<String> {
        Set(parameters.filter { $0.place == place }.map(\.name))
    }

    /// The responses in the order of the API reference, with the errors of all operations.
    package var responses: [ResponseDescription] {
        let isForPrograms = path.hasPrefix("/v1/")
        let others = errors.sorted { $0.rawValue < $1.rawValue }
            .map { ResponseDescription($0, isForPrograms: isForPrograms) }
        var own = answers.isEmpty ? [.nothing()] : answers.map { $0.adding(headers(of: $0)) }
        if method == .get, takes(.ifNoneMatch), let whole = own.first { own.append(.unchanged(whole)) }
        return own.map { answer in others.first { $0.status == answer.status }.map(answer.or) ?? answer }
            + others.filter { other in !own.contains { $0.status == other.status } }
    }

    private var errors: Set<ErrorResponse> {
        var errors = ownErrors.union(ErrorResponse.always)
        if path.contains("{"), !isAlwaysFound { errors.insert(.notFound) }
        if body != nil { errors.formUnion([.tooLarge, .unsupportedMediaType]) }
        if takes(.idempotencyKey) { errors.insert(.unprocessable) }
        if takes(.ifMatch) || (method != .get && takes(.ifNoneMatch)) { errors.insert(.preconditionFailed) }
        return errors
    }

    /// The headers that follow from the callers, the parameters and the content of a response.
    private func headers(of answer: ResponseDescription) -> [ResponseDescription.Header] {
        guard !answer.content.isEmpty else { return [] }
        var headers: [ResponseDescription.Header] = []
        if access != .everybody {
            if answer.hasCacheControl { headers.append(.cacheControl) }
            // Owners get more of what is on the map than others.
            if answer.isGeoJSON { headers.append(.vary) }
        }
        if takes(.idempotencyKey) { headers.append(.idempotencyReplayed) }
        if (method == .get && takes(.ifNoneMatch)) || (method == .patch && takes(.ifMatch)) { headers.append(.eTag) }
        return headers
    }

    private func takes(_ header: Parameter) -> Bool {
        parameters.contains { $0.place == .header && $0.name == header.name }
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

    package static func json(
        _ schema: Schema,
        example: JSONValue,
        isRequired: Bool = true
    ) -> RequestBodyDescription {
        RequestBodyDescription([("application/json", schema, example)], isRequired: isRequired)
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
