import Domain
package import Formats
package import Hummingbird

/// Rejects forms that come from other sites: a page of another site can make the browser send a form with the session
/// cookie (cross-site request forgery).
package struct SameOriginMiddleware: RouterMiddleware {
    private let baseURL: BaseURL

    package init(baseURL: BaseURL) {
        self.baseURL = baseURL
    }

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard request.isSafe || request.comes(from: baseURL) else {
            throw ServiceError(.forbidden, "Origin: expected a form of this site", field: "Origin")
        }
        return try await next(request, context)
    }
}

extension Request {
    /// Whether the method is a safe one (RFC 9110, 9.2.1).
    package var isSafe: Bool { [.get, .head, .options].contains(method) }

    /// Returns whether a page of this site sent the request, according to headers that pages cannot set:
    /// `Sec-Fetch-Site`, or `Origin` if the browser is old or the site has no TLS.
    package func comes(from baseURL: BaseURL) -> Bool {
        if let site = headers[.secFetchSite] { return site == "same-origin" || site == "none" }
        guard let origin = headers[.origin] else { return false }
        guard origin != baseURL.origin else { return true }
        // The site may be reached by another host name than that of the base URL, for example in a local network.
        return head.authority.map { origin == "http://\($0)" || origin == "https://\($0)" } ?? false
    }
}
