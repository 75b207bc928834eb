package import Credentials
package import Domain
package import Foundation
package import Hummingbird

/// The context of every request: the account that sent it, if the request has a valid token, and the peer's address.
package struct ServiceContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The signed-in account; nil if the request has no valid token.
    package var caller: Caller?
    /// The reason why the token of the request is not valid.
    package var refusal: (any Error)?
    /// The ban, if the token in the session cookie belongs to a banned account.
    package var ban: Ban?
    /// The token in the session cookie, whether or not it is valid.
    package var cookie: Token?

    /// The address of the other end of the connection. It is `unspecified` for a Unix domain socket.
    package let peer: NetworkAddress
    /// The address of the client, which differs from `peer` behind a trusted proxy.
    package var client: NetworkAddress
    /// Whether the request is a stream of an HTTP/2 connection.
    package var isMultiplexed: Bool

    package init(source: Source) {
        coreContext = .init(source: source)
        peer = NetworkAddress(source.channel.remoteAddress) ?? .unspecified
        client = peer
        // The parent of a connection is the listening socket, and that of a stream is the connection.
        isMultiplexed = source.channel.parent?.parent != nil
    }
}

/// A signed-in account, and the digest of the token that the request was authenticated with.
package struct Caller: Sendable {
    package let account: Account
    package let tokenHash: Data
    /// The permissions of the API key with this token; nil for the token of a session, which permits all.
    package let scopes: Set<APIKey.Scope>?

    package init(account: Account, tokenHash: Data, scopes: Set<APIKey.Scope>? = nil) {
        (self.scopes, self.account, self.tokenHash) = (scopes, account, tokenHash)
    }

    /// The caller as it may change something; see `Account.writing`.
    package var writing: Caller { Caller(account: account.writing, tokenHash: tokenHash, scopes: scopes) }
}

/// The context of routes that require a signed-in account.
package struct SignedInContext: ChildRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let caller: Caller
    /// The address of the client.
    package let client: NetworkAddress

    package var account: Account { caller.account }

    package init(context: ServiceContext) throws {
        guard let caller = context.caller else {
            if let ban = context.ban { throw BannedError(ban: ban) }
            throw ServiceError(.unauthenticated, "Authorization: expected a token, like \"Bearer 3q2-7w...\"")
        }
        coreContext = context.coreContext
        self.caller = caller
        client = context.client
    }
}

/// The error that a request of a banned account gets. The response states the reason for the ban and when it ends.
package struct BannedError: Error {
    package let ban: Ban

    package init(ban: Ban) {
        self.ban = ban
    }
}
