import Credentials
import Domain
import Hummingbird

extension AccountService {
    /// Returns the caller's account, or the guest account of the token, which is created if it does not exist.
    func account(_ request: Request, _ context: ServiceContext, _ token: Token) async throws -> Account {
        if let caller = context.caller { return caller.account }
        if let ban = context.ban { throw BannedError(ban: ban) }
        do {
            return try await makeGuest(token, client: request.clientName)
        } catch {
            // Another request with the same token may have created the account at the same time.
            guard let account = try await find(token) else { throw error }
            return account
        }
    }
}

extension PageRenderer {
    /// Sets the session cookie of a guest again, so that its lifetime of one year begins anew with each use.
    func keep(_ token: Token, of account: Account, _ context: ServiceContext, in response: inout Response) {
        let isByCookie = context.caller == nil || context.cookie != nil
        if isByCookie, account.role == .guest { cookie.set(token, in: &response) }
    }
}
