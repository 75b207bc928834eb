import Credentials
import Domain
import Hummingbird

extension AccountService {
    /// The caller, or the guest that the token makes.
    func account(_ request: Request, _ context: ServiceContext, _ token: Token) async throws -> Account {
        if let caller = context.caller { return caller.account }
        if let ban = context.ban { throw BannedError(ban: ban) }
        do {
            return try await makeGuest(token, client: request.clientName)
        } catch {
            // Two forms at once: the other one was first.
            guard let account = try await find(token) else { throw error }
            return account
        }
    }
}

extension PageRenderer {
    /// Gives a guest's browser its token again and again, so that a guest who comes back is not forgotten after a year.
    func keep(_ token: Token, of account: Account, _ context: ServiceContext, in response: inout Response) {
        let isByCookie = context.caller == nil || context.cookie != nil
        if isByCookie, account.role == .guest { cookie.set(token, in: &response) }
    }
}
