import Domain
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The pages that links in mails lead to. Opening a link changes nothing, because virus scanners open all links in a
/// mail; the user has to press a button.
struct EmailTokenPages {
    let site: Site
    let accountService: AccountService
    let account: AccountPages

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/account/verify", use: askToVerify)
        router.post("/account/verify", use: verify)
        router.get("/account/reset", use: askForAddress)
        router.post("/account/reset", use: sendReset)
        router.get("/account/new-password", use: askForPassword)
        router.post("/account/new-password", use: reset)
    }

    @Sendable private func askToVerify(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let token = request.uri.queryParameters["token"].map(String.init) ?? ""
        guard let purpose = try await accountService.purpose(of: token) else {
            return show(.invalid, request, context, status: .notFound)
        }
        return show(purpose.step(for: context.caller?.account), token: token, request, context)
    }

    @Sendable private func verify(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await site.page.forms.read(request)
        let token = form["token"] ?? ""
        let purpose = try await accountService.purpose(of: token)
        return try await attempt(request, context, token, purpose?.step(for: context.caller?.account)) {
            let device = accountService.device(request, context, site.page.pageLanguage(request))
            guard
                let (_, session) = try await accountService.verify(
                    token,
                    password: form["password"] ?? "",
                    from: device
                )
            else { return site.page.redirect("/account", done: "account.addressChanged") }
            return try await account.enter(session, context, to: "/my")
        }
    }

    @Sendable private func askForAddress(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard accountService.mail != nil else { return show(.noMail, request, context, status: .notFound) }
        return show(.address, request, context)
    }

    @Sendable private func sendReset(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await site.page.forms.read(request)
        guard accountService.mail != nil else { return show(.noMail, request, context, status: .notFound) }
        return try await attempt(request, context, "", .address) {
            let email = try Field("email", form["email"].map(JSONValue.string) ?? .null).requiredEmail()
            try accountService.requestPasswordReset(email, site.page.pageLanguage(request))
            return site.page.redirect("/account", done: "account.mailed")
        }
    }

    @Sendable private func askForPassword(_ request: Request, _ context: ServiceContext) async throws -> Response {
        show(.password, token: request.uri.queryParameters["token"].map(String.init) ?? "", request, context)
    }

    @Sendable private func reset(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await site.page.forms.read(request)
        let token = form["token"] ?? ""
        return try await attempt(request, context, token, .password) {
            let password = Field("password", form["password"].map(JSONValue.string) ?? .null)
            try await accountService.reset(token, password, site.page.pageLanguage(request))
            return site.page.redirect("/account", done: "account.passwordReset")
        }
    }

    /// Runs `body`, and shows the page again if it throws an error that the user can correct.
    private func attempt(
        _ request: Request,
        _ context: ServiceContext,
        _ token: String,
        _ step: VerificationView.Step?,
        _ body: () async throws -> Response
    ) async throws -> Response {
        try await site.page.handleForm(body) { error, status in
            guard error.field != "token", let step else { return show(.invalid, request, context, status: status) }
            return show(step, token: token, problem: error, request, context, status: status)
        }
    }

    /// Shows a page with the token. The headers keep the token from other sites and from caches.
    private func show(
        _ step: VerificationView.Step,
        token: String = "",
        problem: ServiceError? = nil,
        _ request: Request,
        _ context: ServiceContext,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var response = site.page.show(request, context.caller?.account, status: status, isPrivate: true) {
            $0.verification(step, token: token, problem: problem)
        }
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}

extension VerificationStore.Purpose {
    fileprivate func step(for viewer: Account?) -> VerificationView.Step {
        switch self {
        case .registration: .registration
        case .change: .change
        case .link(let guest): viewer.map { $0.role == .guest && $0.key != guest } ?? false ? .otherLink : .link
        }
    }
}
