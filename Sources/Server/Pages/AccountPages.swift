import Credentials
import Domain
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// Registration, sign-in and one's own profile as pages.
struct AccountPages {
    let desk: PageDesk
    let accountDesk: AccountDesk
    let photoDesk: PhotoDesk
    let photos: PhotoStore

    private var accounts: AccountStore { accountDesk.accounts }

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/account", use: show)
        router.post("/account/register", use: register)
        router.post("/account/sign-in", use: signIn)
        router.post("/account/sign-out", use: signOut)
        router.post("/account/profile", use: edit)
        router.post("/account/picture", use: setPicture)
        router.post("/account/password", use: changePassword)
        router.get("/account/delete", use: askToDelete)
        router.post("/account/delete", use: remove)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        desk.show(AccountPage(context.caller?.account), request, context.caller?.account)
    }

    @Sendable private func register(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await desk.forms.read(request)
        return try await attempt(form, request, context) {
            let fields = form.json(["email", "password", "first_name", "phone"])
            var profile = Profile()
            try profile.apply(fields, besides: ["email", "password"])
            let (email, password) = try fields.credentials()
            let (_, token) = try await accountDesk.register(email, password, profile, bringing: context.caller)
            return try await enter(token, context, to: "/my")
        }
    }

    @Sendable private func signIn(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await desk.forms.read(request)
        return try await attempt(form, request, context) {
            let guest = context.caller?.account.role == .guest ? context.caller : nil
            let (email, password) = (form["email"] ?? "", form["password"] ?? "")
            let (_, token) = try await accountDesk.signIn(email, password, bringing: guest)
            return try await enter(token, context, to: "/my")
        }
    }

    /// With a token that nobody can have known before.
    private func enter(_ token: Token, _ context: ServiceContext, to path: String) async throws -> Response {
        if let old = context.cookie { try await accounts.endSession(tokenHash: old.digest) }
        var response = desk.redirect(path, done: "account.welcome")
        desk.cookie.set(token, in: &response)
        return response
    }

    @Sendable private func signOut(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let caller = context.caller { try await accounts.endSession(tokenHash: caller.tokenHash) }
        var response = desk.redirect("/account")
        desk.cookie.clear(in: &response)
        return response
    }

    @Sendable private func edit(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let form = try await desk.forms.read(request)
        return try await attempt(form, request, context) {
            var profile = account.profile
            try profile.apply(form.json(["first_name", "last_name", "phone"]), besides: [])
            _ = try await accounts.update(account, profile: profile)
            return desk.redirect("/account", done: "account.saved")
        }
    }

    @Sendable private func setPicture(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        do {
            let form = try await desk.forms.read(request)
            if form["remove"] != nil {
                _ = try await photos.remove(.account(account.key))
                await photoDesk.sweep()
            } else if let photo = form.photos.first {
                _ = try await photoDesk.keep(photo, .account(account.key), desk.pageLanguage(request))
            }
            return desk.redirect("/account", done: "account.saved")
        } catch let error as ServiceError {
            return desk.show(AccountPage(account, problem: error), request, account, status: .badRequest)
        }
    }

    @Sendable private func changePassword(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let caller = try SignedInContext(context: context).caller
        let form = try await desk.forms.read(request)
        return try await attempt(form, request, context) {
            try await accountDesk.changePassword(of: caller, form.json(["current_password", "password"]))
            return desk.redirect("/account", done: "account.passwordChanged")
        }
    }

    @Sendable private func askToDelete(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        return desk.show(DeletePage(listing: nil), request, account)
    }

    @Sendable private func remove(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        guard try await desk.forms.read(request)["confirmed"] == "yes" else { return desk.redirect("/account/delete") }
        try await accounts.remove(account)
        await photoDesk.sweep()
        var response = desk.redirect("/board")
        desk.cookie.clear(in: &response)
        return response
    }

    /// Shows the form again where something in it is wrong, without the passwords.
    private func attempt(
        _ form: FormDesk.Filled,
        _ request: Request,
        _ context: ServiceContext,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let error as ServiceError {
            let typed = form.typed.filter { !$0.key.hasSuffix("password") }
            let page = AccountPage(context.caller?.account, typed: typed, problem: error)
            let status: HTTPResponse.Status =
                switch error.code {
                case .unauthenticated, .forbidden: .forbidden
                case .conflict: .conflict
                default: .badRequest
                }
            return desk.show(page, request, context.caller?.account, status: status)
        }
    }
}

extension FormDesk.Filled {
    /// As the fields of a request; what is left empty is cleared.
    fileprivate func json(_ names: [String]) -> [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, self[name].flatMap { $0.isEmpty ? nil : .string($0) } ?? .null)
            }
        )
    }
}
