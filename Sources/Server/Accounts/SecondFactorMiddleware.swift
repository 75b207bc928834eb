import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird

/// Lets accounts that have to have a second factor, and have none, do nothing but set it up. Pages lead there.
struct SecondFactorMiddleware: RouterMiddleware {
    let requirement: SecondFactor.Requirement
    let baseURL: BaseURL

    static let setupPath = "/account/second-factor"

    /// The routes that are open to these accounts: those that set up the factor, sign in and out, and the files of
    /// pages.
    private static let open: Set<String> = [
        "GET \(setupPath)", "POST \(setupPath)", "POST \(setupPath)/confirm", "POST /account/sign-out",
        "POST /account/sign-in", "POST /account/sign-in/code", "GET /v1/me", "GET /v1/me/second-factor",
        "POST /v1/me/second-factor", "PUT /v1/me/second-factor", "POST /v1/sessions", "DELETE /v1/sessions",
        "GET /assets/{version}/{file}", "GET /leaflet/{file}", "GET /manifest.webmanifest", "GET /favicon.ico",
        "GET /sw.js", "GET /offline", "GET /healthz", "GET /readyz",
    ]

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard let account = context.caller?.account, requirement.restricts(account) else {
            return try await next(request, context)
        }
        let method = request.method == .head ? "GET" : request.method.rawValue
        guard !Self.open.contains("\(method) \(context.endpointPath ?? "")") else {
            return try await next(request, context)
        }
        guard method == "GET", request.wantsPage, !request.uri.path.hasPrefix("/v1/") else {
            throw ServiceError.needsSecondFactor
        }
        return Response(
            status: .seeOther,
            headers: [.location: baseURL.path + Self.setupPath, .cacheControl: CacheControl.noStore]
        )
    }
}

extension ServiceError {
    static let needsSecondFactor = ServiceError(
        .forbidden,
        """
        admins of this service need a second factor: set it up at \(SecondFactorMiddleware.setupPath), or with \
        POST /v1/me/second-factor
        """
    )
}
