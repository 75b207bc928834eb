import HTTPTypes
package import Hummingbird

/// Lets web pages of any origin read public data, and write with a bearer token (Fetch Standard,
/// 3.2). Cross-origin requests never use the session cookie.
///
/// The headers are in every response, whether or not the request names an origin, so that caches need only one copy for
/// all origins. Hummingbird's own CORS middleware is not used because it answers preflight requests for paths that do
/// not exist, and does not expose any response headers.
package struct CrossOriginMiddleware: RouterMiddleware {

    package init() {}

    private static let exposed = [
        "Content-Disposition", "ETag", "Link", "Location", "Retry-After", "RateLimit", "RateLimit-Policy",
        "Idempotency-Replayed", "X-Request-Id",
    ].joined(separator: ", ")
    private static let accepted = [
        "Accept", "Accept-Language", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match",
        "Last-Event-ID",
    ].joined(separator: ", ")
    /// The lifetime of a preflight response in seconds. Browsers shorten it to two hours or a day.
    private static let lifetime = "86400"

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.accessControlAllowOrigin] = "*"
        guard request.method == .options else {
            response.headers[.accessControlExposeHeaders] = Self.exposed
            return response
        }
        if request.headers.contains(.accessControlRequestMethod), let methods = response.headers[.allow] {
            response.headers[.accessControlAllowMethods] = methods
            response.headers[.accessControlAllowHeaders] = Self.accepted
            response.headers[.accessControlMaxAge] = Self.lifetime
        }
        return response
    }
}
