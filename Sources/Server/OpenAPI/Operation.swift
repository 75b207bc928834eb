import Domain
import HTTPTypes

/// What a method of a path does. Said once: the document and its page show it, and what a request may ask is held against it.
struct Operation: Sendable {
    /// What belongs together, in the order in which it is shown.
    enum Tag: String, CaseIterable, Sendable {
        case accounts
        case listings
        case messages
        case photos
        case moderation
        case help
        case places
        case geocoders
        case features
        case tiles
        case feeds
        case operations
        case pages
    }

    /// Who may ask.
    enum Access: Sendable {
        /// Everybody gets the same.
        case everybody
        /// Everybody, and some see more.
        case known
        /// Who is signed in, be it as a guest.
        case signedIn
        case admin
    }

    let method: HTTPRequest.Method
    /// With `{name}` for what varies.
    let path: String
    let id: String
    let tag: Tag
    let summary: String
    let description: String?
    let access: Access
    private(set) var parameters: [Parameter]
    let body: RequestBodyDescription?
    let responses: [ResponseDescription]
    /// The query of the example.
    let exampleQuery: String?
    /// Whether parameters that are not among these are errors, and not left alone.
    let isStrict: Bool

    /// - Parameters:
    ///   - responses: what it gives; errors that any operation gives are added.
    ///   - errors: the errors that it gives besides.
    init(
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
        self.method = method
        self.path = path
        self.id = id
        self.tag = tag
        self.summary = summary
        self.description = description
        self.access = access
        self.parameters = parameters
        self.body = body
        self.exampleQuery = exampleQuery
        self.isStrict = isStrict
        let isForPrograms = path.hasPrefix("/v1/")
        let others = Set(errors).union(ErrorResponse.always).sorted { $0.rawValue < $1.rawValue }
            .map { ResponseDescription($0, isForPrograms: isForPrograms) }
        self.responses =
            responses.map { answer in others.first { $0.status == answer.status }.map(answer.or) ?? answer }
            + others.filter { other in !responses.contains { $0.status == other.status } }
    }

    func with(parameters: [Parameter]) -> Operation {
        var operation = self
        operation.parameters = parameters
        return operation
    }

    func names(of place: Parameter.Place) -> Set<String> {
        Set(parameters.filter { $0.place == place }.map(\.name))
    }

    var json: JSONValue {
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

/// What is sent along.
struct RequestBodyDescription: Sendable {
    /// Media types, each with what it holds and how that looks.
    let content: [(type: String, schema: Schema, example: JSONValue?)]
    /// The fields of a form that are photos.
    let files: [String]
    let isRequired: Bool
    let description: String?

    init(
        _ content: [(type: String, schema: Schema, example: JSONValue?)],
        files: [String] = [],
        isRequired: Bool = true,
        description: String? = nil
    ) {
        self.content = content
        self.files = files
        self.isRequired = isRequired
        self.description = description
    }

    static func json(_ schema: Schema, example: JSONValue) -> RequestBodyDescription {
        RequestBodyDescription([("application/json", schema, example)])
    }

    var json: JSONValue {
        let types = content.map { type, schema, example in
            var fields: [String: JSONValue] = ["schema": schema.json]
            if let example { fields["example"] = example }
            if type == "multipart/form-data", !files.isEmpty {
                let encoding = files.map { ($0, ["contentType": "image/jpeg, image/png, image/webp"] as JSONValue) }
                fields["encoding"] = .object(Dictionary(encoding) { $1 })
            }
            return (type, JSONValue.object(fields))
        }
        var fields: [String: JSONValue] = ["content": .object(Dictionary(types) { $1 })]
        fields["required"] = .bool(isRequired)
        if let description { fields["description"] = .string(description) }
        return .object(fields)
    }
}
