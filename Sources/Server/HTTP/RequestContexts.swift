import Credentials
import Domain
import Foundation
import Hummingbird

/// What every request carries: who sent it, if they told.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Set where a valid token came with the request.
    var caller: Caller?
    /// Why the token that came is not valid.
    var refusal: (any Error)?
    /// Set where the token of the browser's cookie is of an account that is banned.
    var ban: Ban?
    /// The token of the browser's cookie, known or not.
    var cookie: Token?

    /// The other end of the connection; nil for a socket of this machine's own.
    let peer: NetworkAddress?

    init(source: Source) {
        coreContext = .init(source: source)
        peer = NetworkAddress(source.channel.remoteAddress)
    }
}

/// Somebody signed in, and the digest of the token they did it with.
struct Caller: Sendable {
    let account: Account
    let tokenHash: Data
}

/// A request that cannot exist without a caller.
struct SignedInContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let caller: Caller
    /// The other end of the connection; nil for a socket of this machine's own.
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
