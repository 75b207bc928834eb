import HTTPTypes
import Hummingbird

/// Lets pages of any site read what anybody may read, and write with a token that they were given (Fetch Standard, 3.2). Cookies never
/// count for them.
///
/// It says so in every answer, whoever asks: a cache then needs no copy for each site. Hummingbird's own answers preflights for
/// paths that do not exist, and exposes no headers of the answers themselves.
struct CrossOriginMiddleware: RouterMiddleware {
    private static let exposed = [
        "Content-Disposition", "ETag", "Link", "Location", "Retry-After", "RateLimit", "RateLimit-Policy",
        "Idempotency-Replayed", "X-Request-Id",
    ].joined(separator: ", ")
    private static let accepted = [
        "Accept", "Accept-Language", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match",
        "Last-Event-ID",
    ].joined(separator: ", ")
    /// Seconds; browsers cut it to two hours or a day.
    private static let lifetime = "86400"

    func handle(
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
