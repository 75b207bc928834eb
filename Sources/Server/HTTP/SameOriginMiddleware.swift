import Domain
import Formats
import Hummingbird

/// Rejects forms that come from other sites: a page of another site can make the browser send a form with the session
/// cookie (cross-site request forgery).
struct SameOriginMiddleware: RouterMiddleware {
    let baseURL: BaseURL

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard request.isSafe || request.comes(from: baseURL) else {
            throw ServiceError(.forbidden, "Origin: expected a form of this site", field: "origin")
        }
        return try await next(request, context)
    }
}
