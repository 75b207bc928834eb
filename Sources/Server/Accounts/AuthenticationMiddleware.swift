import Credentials
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// Finds the account of the bearer token or of the session cookie. An invalid bearer token is an error. An invalid
/// cookie is ignored, because cookies can outlive their sessions.
struct AuthenticationMiddleware: RouterMiddleware {
    let sessions: SessionStore
    let organisations: OrganisationStore
    let uses: SessionUses
    let now: @Sendable () -> Timestamp
    let moderation: ModerationStore
    let cookie: SessionCookie
    let baseURL: BaseURL

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if request.headers.contains(.authorization) {
            do {
                context.caller = try bearer(of: request)
            } catch let error as ServiceError where error.code == .unauthenticated {
                context.refusal = error
            } catch let error as BannedError {
                context.refusal = error
            }
        } else if let token = cookie.token(in: request), request.isSafe || request.comes(from: baseURL) {
            // Pages of other sites can make a browser send its cookie, but cannot pretend to be this site.
            context.cookie = token
            context.caller = try caller(token)
            if context.caller == nil { context.ban = try moderation.findBan(tokenHash: token.digest) }
        }
        if !request.isSafe { context.caller = context.caller?.writing }
        return try await next(request, context)
    }

    private func bearer(of request: Request) throws -> Caller {
        guard let token = request.bearerToken else {
            throw ServiceError(.unauthenticated, "Authorization: expected the form \"Bearer TOKEN\"")
        }
        if token.text.hasPrefix(APIKey.prefix) { return try caller(key: token) }
        guard let caller = try caller(token) else {
            if let ban = try moderation.findBan(tokenHash: token.digest) { throw BannedError(ban: ban) }
            throw ServiceError(.unauthenticated, "Authorization: the token is unknown or was revoked")
        }
        return caller
    }

    private func caller(key token: Token) throws -> Caller {
        let (digest, now) = (token.digest, now())
        guard let (account, scopes, last) = try organisations.findCaller(tokenHash: digest, now: now) else {
            throw ServiceError(.unauthenticated, "Authorization: the key is unknown, has expired or was revoked")
        }
        if let ban = try moderation.findBan(account: account.key) { throw BannedError(ban: ban) }
        guard !account.disabled else {
            throw ServiceError(.unauthenticated, "Authorization: the account of the key is disabled")
        }
        uses.note(digest, last: last ?? account.createdAt, now: now)
        return Caller(account: account, tokenHash: digest, scopes: scopes)
    }

    private func caller(_ token: Token) throws -> Caller? {
        let digest = token.digest
        let now = now()
        guard let (account, last) = try sessions.findCaller(tokenHash: digest, now: now) else { return nil }
        uses.note(digest, last: last, now: now)
        return Caller(account: account, tokenHash: digest)
    }
}

extension APIKey.Scope {
    /// The routes that keys may use, each with the scope that it needs. All other routes refuse keys.
    static let routes: [String: APIKey.Scope] = [
        "GET /v1/listings": .listingsRead, "GET /v1/listings/count": .listingsRead,
        "GET /v1/listings/clusters": .listingsRead, "GET /v1/listings.csv": .listingsRead,
        "GET /v1/listings.geojson": .listingsRead, "GET /v1/listings/stream": .listingsRead,
        "GET /v1/listings/{id}": .listingsRead, "GET /v1/listings/{id}/matches": .listingsRead,
        "GET /v1/listings/{id}/timeline": .listingsRead, "GET /v1/me/listings": .listingsRead,
        "GET /v1/organisations/{id}": .listingsRead, "GET /v1/breeds": .listingsRead,
        "GET /v1/organisations/{id}/animals/{reference}": .listingsRead,
        "GET /v1/organisations/{id}/animals.csv": .listingsRead,
        "GET /v1/organisations/{id}/matches": .listingsRead,
        "PUT /v1/organisations/{id}/animals/{reference}": .listingsWrite,
        "DELETE /v1/organisations/{id}/animals/{reference}": .listingsWrite,
        "GET /v1/search/suggestions": .listingsRead,
        "POST /v1/listings": .listingsWrite, "POST /v1/listings/bulk": .listingsWrite,
        "PATCH /v1/listings/{id}": .listingsWrite, "DELETE /v1/listings/{id}": .listingsWrite,
        "GET /v1/listings/{id}/record": .listingsRead, "PUT /v1/listings/{id}/record": .listingsWrite,
        "POST /v1/listings/{id}/renewal": .listingsWrite, "PUT /v1/listings/{id}/photos/{number}": .listingsWrite,
        "DELETE /v1/listings/{id}/photos/{number}": .listingsWrite,
        "PUT /v1/listings/{id}/photos/order": .listingsWrite, "GET /v1/imports": .importsWrite,
        "POST /v1/imports": .importsWrite, "GET /v1/imports/{id}": .importsWrite,
        "DELETE /v1/imports/{id}": .importsWrite, "GET /v1/imports/{id}/rows": .importsWrite,
        "GET /v1/import-feeds": .importsWrite, "POST /v1/import-feeds": .importsWrite,
        "DELETE /v1/import-feeds/{id}": .importsWrite, "POST /v1/import-feeds/{id}/run": .importsWrite,
        "GET /v1/statistics": .statisticsRead,
    ]

    /// Throws `forbidden` unless a key with these scopes may use the route.
    ///
    /// - Parameter route: the path with its parameters in braces; nil if there is no such route.
    static func check(_ scopes: Set<APIKey.Scope>, _ request: Request, route: String?) throws {
        guard let route else { return }
        let method = request.method == .head ? "GET" : request.method.rawValue
        guard let needed = routes["\(method) \(route)"] else {
            throw ServiceError(.forbidden, "Authorization: API keys are not accepted here")
        }
        guard scopes.contains(needed) else {
            throw ServiceError(.forbidden, "Authorization: expected a key with the scope \(needed.rawValue)")
        }
    }
}

/// Rejects requests with an invalid token or outside the scopes of a key, except those that ask for a new one: a client whose session has ended may
/// still send its old token. It runs after the rate limits have counted the request, so that a client that tries many
/// tokens is slowed down.
struct ValidTokenMiddleware: RouterMiddleware {
    /// These give a token, or lead to one.
    private static let signIns: Set<String> = [
        "POST /v1/accounts", "POST /v1/guests", "POST /v1/sessions", "POST /v1/verifications",
        "POST /v1/password-resets", "PUT /v1/password-resets",
    ]

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        if let scopes = context.caller?.scopes {
            try APIKey.Scope.check(scopes, request, route: context.endpointPath)
        }
        if let refusal = context.refusal {
            // Bans hold for every request.
            let isSignIn = Self.signIns.contains("\(request.method.rawValue) \(request.uri.path)")
            // The token may be that of a device, which has no account.
            let isDevice = request.method == .post && context.endpointPath == "/v1/listings/{id}/tracks/{number}/points"
            guard isSignIn || isDevice, refusal is ServiceError else { throw refusal }
        }
        return try await next(request, context)
    }
}

extension Request {
    /// The token in the `Authorization` header (RFC 6750, 2.1); nil if there is none, or if it has another scheme.
    var bearerToken: Token? {
        let parts = (headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 200 else { return nil }
        return Token(String(parts[1]))
    }
}
