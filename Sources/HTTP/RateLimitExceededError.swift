package import Concurrency
package import Domain
package import HTTPTypes

/// The error of a request that is refused because it would have to wait for too long.
package struct RateLimitExceededError: Error {
    package let error: ServiceError
    /// `Retry-After`, `RateLimit-Policy` and `RateLimit`.
    package let headers: HTTPFields

    package init(error: ServiceError, headers: HTTPFields) {
        self.error = error
        self.headers = headers
    }
}

extension RateLimitExceededError {
    /// - Parameter wait: the time in seconds after which the client may retry.
    package init(wait: Double, limit: RateLimit) {
        let seconds = max(1, Int(wait.rounded(.up)))
        self.init(
            error: ServiceError(.tooManyRequests, "too much at once: try again in \(seconds) s", retryAfter: seconds),
            headers: [
                .retryAfter: String(seconds), .rateLimitPolicy: limit.policy,
                .rateLimit: limit.state(left: 0, reset: Double(seconds)),
            ]
        )
    }
}
