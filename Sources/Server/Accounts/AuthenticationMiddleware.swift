import Credentials
import Domain
import HTTPTypes
import Hummingbird
import Storage

/// Finds out who holds the bearer token, or the token of the browser's cookie. A bearer token that is not valid is an error,
/// not a guest; a cookie may have outlived its session.
struct AuthenticationMiddleware: RouterMiddleware {
    let sessions: SessionStore
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
            // Other sites' pages can make a browser send its cookie, but not say that they are ours.
            context.cookie = token
            context.caller = try caller(token)
            if context.caller == nil { context.ban = try moderation.findBan(tokenHash: token.digest) }
        }
        return try await next(request, context)
    }

    private func bearer(of request: Request) throws -> Caller {
        guard let token = request.bearerToken else {
            throw ServiceError(.unauthenticated, "Authorization: expected the form \"Bearer TOKEN\"")
        }
        guard let caller = try caller(token) else {
            if let ban = try moderation.findBan(tokenHash: token.digest) { throw BannedError(ban: ban) }
            throw ServiceError(.unauthenticated, "Authorization: the token is unknown or was revoked")
        }
        return caller
    }

    private func caller(_ token: Token) throws -> Caller? {
        let digest = token.digest
        let now = now()
        guard let (account, last) = try sessions.findCaller(tokenHash: digest, now: now) else { return nil }
        uses.note(digest, last: last, now: now)
        return Caller(account: account, tokenHash: digest)
    }
}

/// Refuses who came with a token that is not valid, after that was counted as what was asked for: whoever tries many is slowed.
struct ValidTokenMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        if let refusal = context.refusal { throw refusal }
        return try await next(request, context)
    }
}

extension Request {
    /// That of `Authorization` (RFC 6750, 2.1); nil where there is none, or something else.
    var bearerToken: Token? {
        let parts = (headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 200 else { return nil }
        return Token(String(parts[1]))
    }

    /// Whether it changes nothing (RFC 9110, 9.2.1).
    var isSafe: Bool { [.get, .head, .options].contains(method) }

    /// Whether a page of this very site sent it, by what browsers do not let pages write: `Sec-Fetch-Site`, or where an older
    /// browser or an address without TLS sends none, `Origin`.
    func comes(from baseURL: BaseURL) -> Bool {
        if let site = headers[.secFetchSite] { return site == "same-origin" || site == "none" }
        guard let origin = headers[.origin] else { return false }
        guard origin != baseURL.origin else { return true }
        // Reached by another name than the one for links, as on a local network.
        return head.authority.map { origin == "http://\($0)" || origin == "https://\($0)" } ?? false
    }
}
