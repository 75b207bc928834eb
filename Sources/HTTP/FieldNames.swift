package import HTTPTypes

/// Header fields that `HTTPTypes` has no names for.
extension HTTPField.Name {
    package static let forwarded = known("Forwarded")
    package static let forwardedFor = known("X-Forwarded-For")
    /// The `Host` field is present only if the client sent it twice: the first one becomes the request's authority.
    package static let host = known("Host")
    package static let idempotencyKey = known("Idempotency-Key")
    package static let idempotencyReplayed = known("Idempotency-Replayed")
    package static let lastEventID = known("Last-Event-ID")
    package static let link = known("Link")
    package static let permissionsPolicy = known("Permissions-Policy")
    package static let rateLimit = known("RateLimit")
    package static let rateLimitPolicy = known("RateLimit-Policy")
    package static let referrerPolicy = known("Referrer-Policy")
    static let requestID = known("X-Request-Id")
    static let secFetchSite = known("Sec-Fetch-Site")
    package static let xAccelBuffering = known("X-Accel-Buffering")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no name of a field") }
        return name
    }
}
