import Domain
import HTTPTypes

/// The error of a request that is refused because it would have to wait for too long.
struct RateLimitExceededError: Error {
    let error: ServiceError
    /// `Retry-After`, `RateLimit-Policy` and `RateLimit`.
    let headers: HTTPFields
}
