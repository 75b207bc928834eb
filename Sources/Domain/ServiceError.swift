/// What went wrong, in words for the one who asked.
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
        /// The account keeps as much as it may.
        case quotaExceeded
        case tooManyRequests
        case unavailable
        case diskFull
        case diskFailing
    }

    package let code: Code
    package let message: String
    /// The input it is about, where there is one.
    package let field: String?
    /// Seconds to wait before asking again, where that is known.
    package let retryAfter: Int?

    package init(_ code: Code, _ message: String, field: String? = nil, retryAfter: Int? = nil) {
        self.code = code
        self.message = message
        self.field = field
        self.retryAfter = retryAfter
    }

    /// Bad input: names the field and the form expected.
    package static func invalid(_ field: String, _ expectation: String) -> ServiceError {
        ServiceError(.invalid, "\(field): \(expectation)", field: field)
    }

    package var description: String { message }
}
