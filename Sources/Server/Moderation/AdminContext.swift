import Domain
import HTTP
import Hummingbird

/// The context of routes that require an admin account.
struct AdminContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let account: Account

    init(context: ServiceContext) throws {
        let signedIn = try SignedInContext(context: context)
        guard signedIn.account.role == .admin else { throw ServiceError(.forbidden, "this is for admins") }
        coreContext = context.coreContext
        account = signedIn.account
    }

    var actor: Audit.Actor { .account(account.id) }
}
