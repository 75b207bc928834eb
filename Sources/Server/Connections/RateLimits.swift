import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// How much one caller may ask for: who is signed in by account, others by address.
package struct RateLimits: Sendable {
    /// Multiplies all of them; 0 is without limits.
    let factor: Double
    let proxies: TrustedProxies
    /// How long a read waits at most.
    let patience: Duration

    package static let standard = RateLimits(factor: 1, proxies: .none)

    package init(factor: Double, proxies: TrustedProxies, patience: Duration = .seconds(5)) {
        self.factor = factor
        self.proxies = proxies
        self.patience = patience
    }

    enum Kind: Int, CaseIterable {
        case read
        case write
        case photo
        case signIn
        case report

        fileprivate var limit: RateLimit {
            switch self {
            // A sixth of a core for as long as one likes. A page of 20 listings takes a twentieth of a millisecond.
            case .read: RateLimit(name: "read", quota: 10_000, window: 60, unit: "milliseconds")
            case .write: RateLimit(name: "write", quota: 300, window: 3600, unit: nil)
            // A photo takes a fifth of a second.
            case .photo: RateLimit(name: "photo", quota: 120, window: 3600, unit: nil)
            // A password takes a tenth of a second to compare, on purpose.
            case .signIn: RateLimit(name: "sign-in", quota: 60, window: 600, unit: nil)
            case .report: RateLimit(name: "report", quota: 20, window: 3600, unit: nil)
            }
        }
    }

    func limiters() -> [RateLimiter] {
        Kind.allCases.map { kind in
            let limit = kind.limit
            return RateLimiter(
                RateLimit(name: limit.name, quota: max(1, limit.quota * factor), window: limit.window, unit: limit.unit)
            )
        }
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
        "POST /account/email", "POST /account/verify", "POST /account/reset", "POST /account/new-password",
    ]
    private static let freeRoutes: Set<String> = ["/healthz", "/readyz"]
    private static let reportRoutes: Set<String> = ["POST /v1/reports", "POST /report"]

    /// Nil for what is not limited.
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
                Self.photoRoutes.contains(name)
                ? .photo
                : Self.signInRoutes.contains(name) ? .signIn : Self.reportRoutes.contains(name) ? .report : .write
        }
    }
}
