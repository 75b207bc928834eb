import Domain
import HTTPTypes

/// A request that would have to wait so long that it is refused.
struct RateLimitExceededError: Error {
    let error: ServiceError
    /// `Retry-After`, `RateLimit-Policy` and `RateLimit`.
    let headers: HTTPFields
}
