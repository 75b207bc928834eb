package import Domain
import HTTP
import HTTPTypes

/// The description of a response.
package struct ResponseDescription: Sendable {
    /// The headers of a response. Headers that all responses have are not listed.
    package enum Header: String, CaseIterable, Sendable {
        case cacheControl = "Cache-Control"
        case contentDisposition = "Content-Disposition"
        case contentLanguage = "Content-Language"
        case eTag = "ETag"
        case idempotencyReplayed = "Idempotency-Replayed"
        case lastModified = "Last-Modified"
        case link = "Link"
        case location = "Location"
        case rateLimit = "RateLimit"
        case rateLimitPolicy = "RateLimit-Policy"
        case retryAfter = "Retry-After"
        case vary = "Vary"
        case wwwAuthenticate = "WWW-Authenticate"

        package var description: String {
            switch self {
            case .cacheControl: "How long it may be kept, and by whom."
            case .contentDisposition: "The name of the file."
            case .contentLanguage: "The language it speaks."
            case .eTag: "The tag of this version, for `If-None-Match` and `If-Match`."
            case .idempotencyReplayed: "`true` where the post was done before."
            case .lastModified: "When the newest of it was changed."
            case .link: "The links of the list (RFC 8288): `self`, and `next` where there is more."
            case .location: "The address of what was made, or of where it goes on."
            case .rateLimit: "How much the caller has left, and when more (draft-ietf-httpapi-ratelimit-headers-10)."
            case .rateLimitPolicy: "How much there is at once, and in what time it comes back."
            case .retryAfter: "Seconds to wait before asking again."
            case .vary: "Which headers of the request it depends on."
            case .wwwAuthenticate: "`Bearer`."
            }
        }

        package var schema: Schema {
            switch self {
            case .retryAfter: .integer(atLeast: 0)
            case .location: .text(format: "uri-reference")
            default: .text()
            }
        }
    }

    package struct Content: Sendable {
        package let type: String
        package let schema: Schema
        package var example: JSONValue?

        package init(type: String, schema: Schema, example: JSONValue? = nil) {
            (self.type, self.schema, self.example) = (type, schema, example)
        }
    }

    package let status: Int
    package let description: String
    package private(set) var headers: [Header]
    package let content: [Content]
    /// The error that the response describes, in the words that all operations share.
    package let commonError: ErrorResponse?
    /// The name of the component with the same content.
    private let reference: String?
    /// Whether a response that depends on the caller says how it may be cached.
    private(set) var hasCacheControl = true

    package init(_ status: Int, _ description: String, headers: [Header] = [], _ content: [Content] = []) {
        (self.status, self.description) = (status, description)
        (self.headers, self.content) = (headers, content)
        commonError = nil
        reference = nil
    }

    /// Creates the description of an error response.
    ///
    /// - Parameter isForPrograms: whether the error is always JSON, even if the client asks for a page.
    package init(_ error: ErrorResponse, isForPrograms: Bool) {
        commonError = error
        status = error.rawValue
        description = error.description
        headers = error.headers
        content = error.content(isForPrograms: isForPrograms)
        reference = error.component(isForPrograms: isForPrograms)
    }

    package static func json(
        status: Int = 200,
        _ description: String,
        _ schema: Schema,
        type: String = "application/json",
        headers: [Header] = [],
        example: JSONValue? = nil
    ) -> ResponseDescription {
        ResponseDescription(
            status,
            description,
            headers: headers,
            [Content(type: type, schema: schema, example: example)]
        )
    }

    package static func geoJSON(
        status: Int = 200,
        _ description: String,
        _ schema: Schema,
        headers: [Header] = []
    ) -> ResponseDescription {
        json(status: status, description, schema, type: geoJSONType, headers: headers)
    }

    private static let geoJSONType = "application/geo+json"

    /// A response with text of a type that has no schema.
    package static func text(
        _ description: String,
        type: String,
        headers: [Header] = [],
        example: JSONValue? = nil
    ) -> ResponseDescription {
        json(description, .text(), type: type, headers: headers, example: example)
    }

    /// A response with binary content.
    package static func file(_ description: String, type: String, headers: [Header] = []) -> ResponseDescription {
        ResponseDescription(200, description, headers: headers, [Content(type: type, schema: .text(format: "binary"))])
    }

    package static func nothing(_ description: String = "It is done.", status: Int = 204) -> ResponseDescription {
        ResponseDescription(status, description)
    }

    /// The 304 response to a client that has the content of a response.
    static func unchanged(_ whole: ResponseDescription) -> ResponseDescription {
        let headers = whole.headers.filter { [.cacheControl, .eTag, .lastModified, .vary].contains($0) }
        return ResponseDescription(304, "What the client has is still right.", headers: headers)
    }

    package static func elsewhere(_ description: String, headers: [Header] = []) -> ResponseDescription {
        ResponseDescription(303, description, headers: [.location] + headers)
    }

    /// Returns the response with the content types of another response of the same status added.
    package func or(_ other: ResponseDescription) -> ResponseDescription {
        let more = other.content.filter { one in !content.contains { $0.type == one.type } }
        return ResponseDescription(status, description, headers: headers, content + more)
    }

    /// The response, without a `Cache-Control` header although it depends on the caller.
    package var withoutCacheControl: ResponseDescription {
        var response = self
        response.hasCacheControl = false
        return response
    }

    /// Returns the response with another type that the client can choose.
    package func or(type: String, _ schema: Schema = .text()) -> ResponseDescription {
        ResponseDescription(status, description, headers: headers, content + [Content(type: type, schema: schema)])
    }

    var isGeoJSON: Bool { content.contains { $0.type == Self.geoJSONType } }

    func adding(_ more: [Header]) -> ResponseDescription {
        var response = self
        response.headers += more.filter { !headers.contains($0) }
        return response
    }

    package var json: JSONValue {
        if let reference { return ["$ref": .string("#/components/responses/" + reference)] }
        return full
    }

    /// The complete JSON, without a reference to a component.
    package var full: JSONValue {
        var fields: [String: JSONValue] = ["description": .string(description)]
        if !headers.isEmpty {
            let all = headers.map {
                ($0.rawValue, ["$ref": .string("#/components/headers/\($0.rawValue)")] as JSONValue)
            }
            fields["headers"] = .object(Dictionary(all) { $1 })
        }
        if !content.isEmpty {
            let types = content.map { content in
                var fields: [String: JSONValue] = ["schema": content.schema.json]
                if let example = content.example { fields["example"] = example }
                return (content.type, JSONValue.object(fields))
            }
            fields["content"] = .object(Dictionary(types) { $1 })
        }
        return .object(fields)
    }
}

/// The error responses, with the status as the raw value. Their body is problem details (RFC 9457).
package enum ErrorResponse: Int, CaseIterable, Sendable {
    case invalid = 400
    case unauthenticated = 401
    case forbidden = 403
    case notFound = 404
    case tooSlow = 408
    case conflict = 409
    case preconditionFailed = 412
    case tooLarge = 413
    case addressTooLong = 414
    case unsupportedMediaType = 415
    case unprocessable = 422
    case tooManyRequests = 429
    case headersTooLong = 431
    case failure = 500
    case unavailable = 503
    case diskFull = 507

    /// The errors that all operations can have: invalid input, an invalid token or one of a banned account, too many
    /// requests, an internal error, a busy database, a full disk, and a request head that is too long.
    package static let always: Set<ErrorResponse> = [
        .invalid, .unauthenticated, .forbidden, .tooSlow, .addressTooLong, .tooManyRequests, .headersTooLong, .failure,
        .unavailable, .diskFull,
    ]

    package var description: String {
        switch self {
        case .invalid: "Something sent is not as expected: `field` names it, `detail` says what was expected."
        case .unauthenticated: "A token is expected, or the one sent is not valid."
        case .forbidden: "Not for this caller, or their account is banned."
        case .notFound: "There is no such thing, or not for this caller."
        case .tooSlow: "The request took too long to arrive."
        case .conflict: "It is against what is there already."
        case .preconditionFailed: "`If-Match` does not hold: it was changed meanwhile."
        case .tooLarge: "The body is larger than what is taken."
        case .addressTooLong: "The address is longer than what is read."
        case .unsupportedMediaType: "`Content-Type` is none that is read here."
        case .unprocessable: "The `Idempotency-Key` was that of another post."
        case .tooManyRequests: "More than one caller may ask for: `Retry-After` tells when to come back."
        case .headersTooLong: "The headers, or the address among them, are longer than what is read."
        case .failure: "A fault of the service."
        case .unavailable: "Not now: too much at once, the database is busy, or the disk fails."
        case .diskFull: "The disk is full: nothing was saved."
        }
    }

    package var headers: [ResponseDescription.Header] {
        switch self {
        case .unauthenticated: [.contentLanguage, .wwwAuthenticate]
        case .tooManyRequests: [.contentLanguage, .rateLimit, .rateLimitPolicy, .retryAfter]
        case .unavailable, .diskFull: [.contentLanguage, .retryAfter]
        default: [.contentLanguage]
        }
    }

    /// - Parameter isForPrograms: whether the content is always JSON; otherwise clients can also ask for a page.
    package func content(isForPrograms: Bool) -> [ResponseDescription.Content] {
        let status: HTTPResponse.Status = self == .diskFull ? .insufficientStorage : .init(integerLiteral: rawValue)
        let example: JSONValue = [
            "title": .string(status.reasonPhrase), "status": JSONValue(rawValue), "detail": .string(sample),
        ]
        let problem = ResponseDescription.Content(
            type: "application/problem+json",
            schema: .named("Problem"),
            example: example
        )
        return isForPrograms ? [problem] : [problem, ResponseDescription.Content(type: "text/html", schema: .text())]
    }

    package func component(isForPrograms: Bool) -> String { isForPrograms ? "\(self)" : "\(self)OrPage" }

    private var sample: String {
        switch self {
        case .invalid: "limit: expected a number between 1 and 200"
        case .unauthenticated: "Authorization: the token is unknown or was revoked"
        case .forbidden: "only its owner may change a listing"
        case .notFound: "no such listing"
        case .tooSlow: "body: expected to arrive faster"
        case .conflict: "email: belongs to an account already"
        case .preconditionFailed: "If-Match: this was changed meanwhile: read it again"
        case .tooLarge: "body: expected at most 64 KiB"
        case .unsupportedMediaType: "Content-Type: expected application/json"
        case .addressTooLong: "address: expected at most 16 KiB"
        case .unprocessable: "Idempotency-Key: was used for another request: expected a new one"
        case .tooManyRequests: "too much at once: try again in 12 s"
        case .headersTooLong: "headers: expected fewer and shorter ones"
        case .failure: "Internal error"
        case .unavailable: "another program is writing to the database: try again in a moment"
        case .diskFull: "the disk is full: nothing was saved"
        }
    }
}
