import Credentials
import Domain
import Foundation
import Hummingbird

/// The context of every request: the account that sent it, if the request has a valid token, and the peer's address.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The signed-in account; nil if the request has no valid token.
    var caller: Caller?
    /// The reason why the token of the request is not valid.
    var refusal: (any Error)?
    /// The ban, if the token in the session cookie belongs to a banned account.
    var ban: Ban?
    /// The token in the session cookie, whether or not it is valid.
    var cookie: Token?

    /// The address of the other end of the connection; nil for a Unix domain socket.
    let peer: NetworkAddress?

    init(source: Source) {
        coreContext = .init(source: source)
        peer = NetworkAddress(source.channel.remoteAddress)
    }
}

/// A signed-in account, and the digest of the token that the request was authenticated with.
struct Caller: Sendable {
    let account: Account
    let tokenHash: Data
}

/// The context of routes that require a signed-in account.
struct SignedInContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let caller: Caller
    /// The address of the other end of the connection; nil for a Unix domain socket.
    let peer: NetworkAddress?

    var account: Account { caller.account }

    init(context: ServiceContext) throws {
        guard let caller = context.caller else {
            if let ban = context.ban { throw BannedError(ban: ban) }
            throw ServiceError(.unauthenticated, "Authorization: expected a token, like \"Bearer 3q2-7w...\"")
        }
        coreContext = context.coreContext
        self.caller = caller
        peer = context.peer
    }
}

/// The error that a request of a banned account gets. The response states the reason for the ban and when it ends.
struct BannedError: Error {
    let ban: Ban
}
