import HTTPTypes

/// Header fields that `HTTPTypes` has no names for.
extension HTTPField.Name {
    static let forwarded = known("Forwarded")
    static let forwardedFor = known("X-Forwarded-For")
    /// The `Host` field is present only if the client sent it twice: the first one becomes the request's authority.
    static let host = known("Host")
    static let idempotencyKey = known("Idempotency-Key")
    static let idempotencyReplayed = known("Idempotency-Replayed")
    static let lastEventID = known("Last-Event-ID")
    static let link = known("Link")
    static let permissionsPolicy = known("Permissions-Policy")
    static let rateLimit = known("RateLimit")
    static let rateLimitPolicy = known("RateLimit-Policy")
    static let referrerPolicy = known("Referrer-Policy")
    static let requestID = known("X-Request-Id")
    static let secFetchSite = known("Sec-Fetch-Site")
    static let xAccelBuffering = known("X-Accel-Buffering")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no name of a field") }
        return name
    }
}
