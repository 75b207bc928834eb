import Domain
import Hummingbird

/// Lets forms come from our own pages only: a page elsewhere can make a browser send one, with its cookie.
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
