import Concurrency
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// The rate limits of each caller. Signed-in callers are identified by account, others by network address.
package struct RateLimits: Sendable {
    /// The factor that all quotas are multiplied with; 0 disables the limits.
    let factor: Double
    let proxies: TrustedProxies
    /// The maximum delay of a read.
    let maxDelay: Duration
    /// The debt of a caller, in milliseconds of work, above which further pages of a list are refused too.
    let maxDebtOfPages: Double

    package static let standard = RateLimits(factor: 1, proxies: .none)

    package init(
        factor: Double,
        proxies: TrustedProxies,
        maxDelay: Duration = .seconds(5),
        maxDebtOfPages: Double = 10_000
    ) {
        self.factor = factor
        self.proxies = proxies
        self.maxDelay = maxDelay
        self.maxDebtOfPages = maxDebtOfPages
    }

    enum Kind: Int, CaseIterable {
        case read
        case write
        /// A new listing by a guest, in addition to the limit of the request itself. Guest accounts are free, so these
        /// are limited by address.
        case guestListing
        case photo
        case signIn
        case report

        fileprivate var limit: RateLimit {
            switch self {
            // On average, a caller can use a sixth of a core. A page of 20 listings takes 0.05 ms.
            case .read: RateLimit(name: "read", quota: 10_000, window: 60, unit: "milliseconds")
            case .write: RateLimit(name: "write", quota: 300, window: 3600, unit: nil)
            // Families and offices share an address; who posts for a shelter registers.
            case .guestListing: RateLimit(name: "guest-listing", quota: 30, window: 3600, unit: nil)
            // Processing a photo takes 0.2 s.
            case .photo: RateLimit(name: "photo", quota: 120, window: 3600, unit: nil)
            // Comparing a password takes 0.1 s, by design of the hash function.
            case .signIn: RateLimit(name: "sign-in", quota: 60, window: 600, unit: nil)
            case .report: RateLimit(name: "report", quota: 20, window: 3600, unit: nil)
            }
        }
    }

    func limiters() -> [RateLimiter] {
        Kind.allCases.map { kind in
            let limit = kind.limit
            return RateLimiter(self.limit(limit.name, quota: limit.quota, window: limit.window, unit: limit.unit))
        }
    }

    /// Returns a limit whose quota is multiplied with the factor.
    ///
    /// - Parameter window: the duration of the window in seconds.
    func limit(_ name: String, quota: Double, window: Double, unit: StaticString? = nil) -> RateLimit {
        RateLimit(name: name, quota: max(1, quota * factor), window: window, unit: unit)
    }
}

extension RateLimits.Kind {
    private static let photoRoutes: Set<String> = [
        "PUT /v1/listings/{id}/photos/{number}", "PUT /v1/me/picture", "POST /v1/classifications", "POST /photo-search",
        "POST /post", "POST /listings/{id}/edit", "POST /account/picture",
    ]
    private static let signInRoutes: Set<String> = [
        "POST /v1/guests", "POST /v1/accounts", "POST /v1/sessions", "POST /account/register", "POST /account/sign-in",
        "POST /account/password", "POST /v1/verifications", "POST /v1/password-resets", "PUT /v1/password-resets",
        "POST /account/email", "POST /account/link", "PUT /v1/me/link", "POST /account/verify", "POST /account/reset",
        "POST /account/new-password",
        "POST /account/sign-in/code", "POST /account/second-factor", "POST /account/second-factor/confirm",
        "POST /account/second-factor/codes", "POST /account/second-factor/remove", "POST /v1/me/second-factor",
        "PUT /v1/me/second-factor", "POST /v1/me/second-factor/recovery-codes", "POST /v1/me/second-factor/removal",
    ]
    private static let freeRoutes: Set<String> = ["/healthz", "/readyz"]
    private static let reportRoutes: Set<String> = ["POST /v1/reports", "POST /report", "POST /inbox/{id}/report"]

    static func isNewListing(_ request: Request, route: String?) -> Bool {
        request.method == .post && (route == "/v1/listings" || route == "/post")
    }

    /// Whether the limit applies to a network address instead of an account.
    var isOfAddress: Bool { self == .signIn || self == .guestListing }

    /// Returns nil for requests that are not limited.
    init?(_ request: Request, route: String?) {
        let route = route ?? ""
        switch request.method {
        case .options: return nil
        case .get, .head:
            guard !Self.freeRoutes.contains(route) else { return nil }
            self = .read
        default:
            let name = "\(request.method.rawValue) \(route)"
            self =
                Self.photoRoutes.contains(name) || request.isMultipart
                ? .photo
                : Self.signInRoutes.contains(name) ? .signIn : Self.reportRoutes.contains(name) ? .report : .write
        }
    }
}

extension Request {
    /// Whether the body is a form that can contain files.
    var isMultipart: Bool { headers[.contentType]?.lowercased().hasPrefix("multipart/") == true }
}
