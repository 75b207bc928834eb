/// An error with a message for the client.
package struct ServiceError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        case invalid
        case unauthenticated
        case forbidden
        case notFound
        case conflict
        case preconditionFailed
        case tooLarge
        case longAddress
        case unsupportedMediaType
        case unprocessable
        case tooSlow
        /// The account has reached a limit on stored data.
        case quotaExceeded
        case tooManyRequests
        case unavailable
        case diskFull
        case diskFailing
    }

    package let code: Code
    package let message: ErrorMessage
    /// The input field that caused the error, if there is one.
    package let field: String?
    /// The number of seconds to wait before a new attempt, if it is known.
    package let retryAfter: Int?
    /// The towns that an unclear name may mean, best first.
    package let candidates: [Place]
    /// A telephone number of the expected form, in the country of the refused one.
    package let example: String?

    package init(
        _ code: Code,
        _ message: ErrorMessage,
        field: String? = nil,
        retryAfter: Int? = nil,
        candidates: [Place] = [],
        example: String? = nil
    ) {
        (self.code, self.message, self.field) = (code, message, field)
        (self.retryAfter, self.candidates, self.example) = (retryAfter, candidates, example)
    }

    /// Returns an error about invalid input, with the name of the field and the expected form.
    package static func invalid(_ field: String, _ expectation: ErrorMessage) -> ServiceError {
        ServiceError(.invalid, "\(field): \(expectation)", field: field)
    }

    /// The error of a listing whose `place` is not the name of one town.
    package static func unclearTown(_ candidates: [Place]) -> ServiceError {
        let names = candidates.map(\.fullName).joined(separator: "; ")
        let expectation: ErrorMessage =
            "expected the name of one town, like Fisciano or Fisciano (SA); or give lon and lat"
        return ServiceError(
            .invalid,
            candidates.isEmpty ? "place: \(expectation)" : "place: did you mean \(names)? \(expectation)",
            field: "place",
            candidates: candidates
        )
    }

    /// The error of a post whose idempotency key belongs to another post.
    package static let usedIdempotencyKey = ServiceError(
        .unprocessable,
        "Idempotency-Key: was used for another request: expected a new one",
        field: "Idempotency-Key"
    )

    /// The message in English, for the log and the command line.
    package var description: String { message.text }
}
