package import Domain
package import Formats
package import HTTPTypes
package import Hummingbird
import Logging

/// Converts every error into RFC 9457 problem details, or into an HTML page if a browser requested a page. Sets the
/// request ID of every response, and logs one line per request.
package struct ProblemMiddleware: RouterMiddleware {
    /// Renders the page that reports an error.
    package typealias ErrorPage = @Sendable (ErrorPageReason, Request) -> Response

    private let routes: RouteIndex
    private let baseURL: BaseURL
    /// Returns the error to report for an error of a lower layer, such as a full disk; nil if it is unexpected.
    private let serviceError: @Sendable (any Error) -> ServiceError?
    private let page: ErrorPage
    private let requests = RequestLog()

    package init(
        routes: RouteIndex,
        baseURL: BaseURL,
        serviceError: @escaping @Sendable (any Error) -> ServiceError?,
        page: @escaping ErrorPage
    ) {
        (self.routes, self.baseURL) = (routes, baseURL)
        (self.serviceError, self.page) = (serviceError, page)
    }

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let clock = ContinuousClock()
        let start = clock.now
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = problem(for: error, request, context)
        }
        response.headers[.requestID] = context.id
        response.headers[.xContentTypeOptions] = "nosniff"
        // One year. After the first visit over HTTPS, nobody on the network path can redirect the browser to plain
        // HTTP.
        if baseURL.isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        requests.log(
            request.method,
            route: context.endpointPath,
            response.status,
            took: clock.now - start,
            to: context.logger
        )
        return response
    }

    private func problem(for error: any Error, _ request: Request, _ context: ServiceContext) -> Response {
        switch error {
        case let error as ServiceError: return answer(error, request)
        case let refusal as BannedError:
            return request.isForPage
                ? page(.ban(refusal.ban), request) : Self.response(refusal.ban.error, in: request.preferredLanguage)
        case let refusal as RateLimitExceededError:
            var response = answer(refusal.error, request)
            for field in refusal.headers { response.headers[field.name] = field.value }
            return response
        case let error as HTTPError where error.status == .notFound:
            let answer = responseWithoutRoute(request)
            // The router removes the body from responses to HEAD only for requests that match a route.
            return request.method == .head ? answer.createHeadResponse() : answer
        case let error as HTTPError:
            let detail = ErrorMessage(verbatim: error.body ?? error.status.reasonPhrase)
            return Self.response(error.status, detail, .english)
        default:
            if let known = serviceError(error) { return answer(known, request) }
            // This is the only place where unexpected errors arrive. The log contains the details, the response does
            // not.
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            if request.isForPage { return page(.failure, request) }
            return Self.response(.internalServerError, "Internal error", request.preferredLanguage)
        }
    }

    private func answer(_ error: ServiceError, _ request: Request) -> Response {
        let language = request.preferredLanguage
        guard !request.isForPrograms else { return Self.response(error, in: language) }
        var response =
            request.wantsPage ? page(.error(error, error.code.status), request) : Self.response(error, in: language)
        response.vary(by: "Accept")
        return response
    }

    private func responseWithoutRoute(_ request: Request) -> Response {
        let allowed = request.head.path == "*" ? routes.methods : routes.methods(for: request.uri.path)
        guard !allowed.isEmpty else { return answer(ServiceError(.notFound, "Nothing is found here"), request) }
        let names = (allowed + [.options]).map(\.rawValue).joined(separator: ", ")
        guard request.method != .options else { return Response(status: .noContent, headers: [.allow: names]) }
        var response = Self.response(.methodNotAllowed, "expected one of \(names)", request.preferredLanguage)
        response.headers[.allow] = names
        return response
    }

    private static func response(_ error: ServiceError, in language: Language) -> Response {
        var response = response(
            error.code.status,
            error.message,
            language,
            field: error.field,
            candidates: error.candidates
        )
        switch error.code {
        case .unauthenticated: response.headers[.wwwAuthenticate] = "Bearer"
        case .tooManyRequests, .unavailable: response.headers[.retryAfter] = String(error.retryAfter ?? 2)
        // One minute: somebody has to free space on the disk or repair it first.
        case .diskFull, .diskFailing: response.headers[.retryAfter] = "60"
        default: break
        }
        return response
    }

    private static func response(
        _ status: HTTPResponse.Status,
        _ detail: ErrorMessage,
        _ language: Language,
        field: String? = nil,
        candidates: [Place] = []
    ) -> Response {
        var json = JSONWriter()
        json.problem(status, detail.text(in: language), field: field, candidates: candidates)
        var response = Response(json, status: status, type: JSONWriter.problemType)
        response.headers[.contentLanguage] = language.code
        response.vary(by: "Accept-Language")
        return response
    }
}

/// The reason that an error page reports.
package enum ErrorPageReason {
    case error(ServiceError, HTTPResponse.Status)
    case ban(Ban)
    /// An internal error. The page does not show any details.
    case failure
}

extension Request {
    /// Whether the client asks for an HTML page. Browsers do so in `Accept`.
    package var wantsPage: Bool { headers[.accept]?.contains("text/html") == true }

    /// Whether errors are reported as an HTML page. Paths below `/v1/` always answer with JSON, for browsers too.
    fileprivate var isForPage: Bool { wantsPage && !isForPrograms }

    fileprivate var isForPrograms: Bool { uri.path.hasPrefix("/v1/") }
}

extension JSONWriter {
    package static let problemType = "application/problem+json"

    /// Problem details (RFC 9457).
    package mutating func problem(
        _ status: HTTPResponse.Status,
        _ detail: String,
        field: String? = nil,
        candidates: [Place] = []
    ) {
        object { json in
            json.field("title", status.reasonPhrase)
            json.field("status", status.code)
            json.field("detail", detail)
            if let field { json.field("field", field) }
            guard !candidates.isEmpty else { return }
            json.array("candidates", candidates) { json, place in
                json.object { json in
                    json.field("place", place.fullName)
                    json.field("lon", place.coordinate.lon)
                    json.field("lat", place.coordinate.lat)
                }
            }
        }
    }
}

extension HTTPResponse.Status {
    /// 507 (RFC 4918, 11.5).
    package static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension ServiceError.Code {
    package var status: HTTPResponse.Status {
        switch self {
        case .invalid: .badRequest
        case .unauthenticated: .unauthorized
        case .forbidden, .quotaExceeded: .forbidden
        case .notFound: .notFound
        case .conflict: .conflict
        case .preconditionFailed: .preconditionFailed
        case .tooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .unprocessable: .unprocessableContent
        case .tooSlow: .requestTimeout
        case .longAddress: .uriTooLong
        case .tooManyRequests: .tooManyRequests
        case .unavailable, .diskFailing: .serviceUnavailable
        case .diskFull: .insufficientStorage
        }
    }
}
