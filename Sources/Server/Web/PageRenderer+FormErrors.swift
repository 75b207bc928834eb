import Domain
import HTTP
import HTTPTypes
import Hummingbird

extension PageRenderer {
    /// Runs `body`, which handles a submitted form, and shows the form again if it throws an error that the user can
    /// correct, or that passes. Other errors are thrown, and become a page of their own.
    ///
    /// - Parameter form: renders the form with the error.
    func handleForm(
        _ body: () async throws -> Response,
        orShow form: (ServiceError, HTTPResponse.Status) async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let error as ServiceError where error.isShownInForm {
            var response = try await form(error, error.statusOfForm)
            if [.tooManyRequests, .unavailable].contains(error.code) {
                response.headers[.retryAfter] = String(error.retryAfter ?? 2)
            }
            return response
        } catch let refusal as RateLimitExceededError {
            var response = try await form(refusal.error, .tooManyRequests)
            for field in refusal.headers { response.headers[field.name] = field.value }
            return response
        }
    }
}

extension ServiceError {
    /// Whether the form is shown again with this error. An error about one of its fields always is.
    fileprivate var isShownInForm: Bool { field != nil || ![.forbidden, .notFound, .tooSlow].contains(code) }

    /// The status of a form that is shown again with this error.
    var statusOfForm: HTTPResponse.Status {
        switch code {
        // Not 401, because that would require `WWW-Authenticate`, for which browsers ask for a password themselves.
        case .unauthenticated, .forbidden: .forbidden
        case .conflict, .preconditionFailed: .conflict
        case .notFound: .notFound
        case .diskFull, .diskFailing, .tooManyRequests, .unavailable: code.status
        default: .badRequest
        }
    }
}
