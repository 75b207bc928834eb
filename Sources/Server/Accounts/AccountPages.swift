import Credentials
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The pages for registration, sign-in and the user's own profile.
struct AccountPages {
    let site: Site
    let accountService: AccountService

    private var accounts: AccountStore { accountService.accounts }

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/account", use: show)
        router.post("/account/register", use: register)
        router.post("/account/sign-in", use: signIn)
        router.post("/account/sign-in/code", use: signInWithCode)
        router.post("/account/sign-out", use: signOut)
        router.post("/account/profile", use: edit)
        router.post("/account/picture", use: setPicture)
        router.post("/account/password", use: changePassword)
        router.post("/account/email", use: changeAddress)
        router.post("/account/link", use: changeLink)
        router.post("/account/sessions", use: endSessions)
        router.get("/account/delete", use: askToDelete)
        router.post("/account/delete", use: remove)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        if let ban = context.ban { return site.page.show(.ban(ban), request) }
        let next = request.parameters["next"].flatMap(Self.localPath)
        return try await show(request, context, next: next)
    }

    @Sendable private func register(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await site.page.forms.read(request)
        return try await attempt(.register, form, request, context) {
            let fields = form.json(["email", "password", "first_name", "last_name", "phone"])
            var profile = Profile()
            try profile.apply(fields, besides: ["email", "password"], in: accountService.country)
            let (email, password) = try fields.credentials()
            try form.expectRepeatedPassword()
            let picture = try form.photos().first
            let device = accountService.device(request, context, site.page.pageLanguage(request))
            guard
                let (account, token) = try await accountService.register(
                    email,
                    password,
                    profile,
                    bringing: context.caller,
                    from: device
                )
            else { return site.page.redirect("/account", done: "account.mailed") }
            if let picture {
                // The account exists already, and the picture can be added later.
                _ = try? await site.photoService.store(
                    picture,
                    .account(account.key),
                    site.page.pageLanguage(request)
                )
            }
            return try await enter(token, context, to: form["next"].flatMap(Self.localPath) ?? "/my")
        }
    }

    @Sendable private func signIn(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await site.page.forms.read(request)
        return try await attempt(.signIn, form, request, context) {
            let guest = context.caller?.account.role == .guest ? context.caller : nil
            let (email, password) = (form["email"] ?? "", form["password"] ?? "")
            let next = form["next"].flatMap(Self.localPath)
            let result = try await accountService.signIn(
                email,
                password,
                bringing: guest,
                from: accountService.device(request, context, site.page.pageLanguage(request))
            )
            switch result {
            case .done(_, let token):
                return try await enter(token, context, to: next ?? "/my")
            case .needsCode(let ticket):
                let ticket = try ticket.text(accountService.secondFactorKey)
                return site.page.show(request, context.caller?.account, isPrivate: true) {
                    $0.signInCode(ticket: ticket, next: next)
                }
            }
        }
    }

    /// The second step of a sign-in.
    @Sendable private func signInWithCode(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let form = try await site.page.forms.read(request)
        let (ticket, next) = (form["ticket"] ?? "", form["next"].flatMap(Self.localPath))
        return try await site.page.handleForm {
            let guest = context.caller?.account.role == .guest ? context.caller : nil
            let device = accountService.device(request, context, site.page.pageLanguage(request))
            let (_, token) = try await accountService.signIn(ticket, code: form.code, bringing: guest, from: device)
            return try await enter(token, context, to: next ?? "/my")
        } orShow: { error, status in
            guard error.field != "ticket" else {
                return try await show(request, context, rejection: (.signIn, [:], error), next: next, status: status)
            }
            let isRecovery = form["recovery_code"]?.isEmpty == false
            return site.page.show(request, context.caller?.account, status: status, isPrivate: true) {
                $0.signInCode(ticket: ticket, next: next, problem: error, isRecovery: isRecovery)
            }
        }
    }

    /// Returns the path and query if it leads to a page of this service, and not to another site or back to this page.
    private static func localPath(_ path: String) -> String? {
        let isLocal = path.hasPrefix("/") && !path.hasPrefix("//") && !path.hasPrefix("/account")
        let isPlain = path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        return isLocal && isPlain && path.utf8.count <= 1_000 ? path : nil
    }

    /// Starts a browser session with a new token, so that nobody can have planted a known one (session fixation).
    func enter(_ token: Token, _ context: ServiceContext, to path: String) async throws -> Response {
        if let old = context.cookie { try await accounts.endSession(tokenHash: old.digest) }
        var response = site.page.redirect(path, done: "account.welcome")
        site.page.cookie.set(token, in: &response)
        return response
    }

    @Sendable private func signOut(_ request: Request, _ context: ServiceContext) async throws -> Response {
        // Nobody can sign in to a guest account again, so a guest has to confirm first.
        if let guest = context.caller?.account, guest.role == .guest,
            try await site.page.forms.read(request)["sure"] != "yes"
        {
            return site.page.show(request, guest, isPrivate: true) { $0.forget() }
        }
        if let caller = context.caller { try await accounts.endSession(tokenHash: caller.tokenHash) }
        var response = site.page.redirect("/account")
        site.page.cookie.clear(in: &response)
        return response
    }

    @Sendable private func edit(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let form = try await site.page.forms.read(request)
        return try await attempt(.profile, form, request, context) {
            var profile = account.profile
            let fields = form.json(["first_name", "last_name", "phone"])
            try profile.apply(fields, besides: [], in: accountService.country)
            _ = try await accounts.update(account, profile: profile)
            return site.page.redirect("/account", done: "account.saved")
        }
    }

    @Sendable private func setPicture(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        return try await site.page.handleForm {
            let form = try await site.page.forms.read(request)
            if form["remove"] != nil {
                _ = try await site.stores.photos.remove(.account(account.key))
                await site.photoService.removeDeletedFiles()
            } else if let photo = try form.photos().first {
                _ = try await site.photoService.store(
                    photo, .account(account.key), site.page.pageLanguage(request))
            }
            return site.page.redirect("/account", done: "account.saved")
        } orShow: { error, status in
            try await show(request, context, rejection: (.picture, [:], error), next: nil, status: status)
        }
    }

    /// Sends the private link of a guest, or ends it.
    @Sendable private func changeLink(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let caller = try SignedInContext(context: context).caller
        let form = try await site.page.forms.read(request)
        return try await attempt(.link, form, request, context) {
            if form["end"] != nil {
                try await accountService.endLink(of: caller)
                return site.page.redirect("/account", done: "guest.linkEnded")
            }
            let email = try Field("email", form["email"].map(JSONValue.string) ?? .null).requiredEmail()
            try accountService.sendLink(of: caller, to: email, site.page.pageLanguage(request))
            return site.page.redirect(form["next"].flatMap(Self.localPath) ?? "/account", done: "guest.linkSent")
        }
    }

    @Sendable private func changePassword(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let caller = try SignedInContext(context: context).caller
        let form = try await site.page.forms.read(request)
        return try await attempt(.password, form, request, context) {
            try form.expectRepeatedPassword()
            let device = accountService.device(request, context, site.page.pageLanguage(request))
            let fields = form.json(["current_password", "password"])
            try await accountService.changeCredentials(of: caller, fields, from: device)
            return site.page.redirect("/account", done: "account.passwordChanged")
        }
    }

    @Sendable private func changeAddress(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let caller = try SignedInContext(context: context).caller
        let form = try await site.page.forms.read(request)
        return try await attempt(.email, form, request, context) {
            let device = accountService.device(request, context, site.page.pageLanguage(request))
            let fields = form.json(["current_password", "email"])
            try await accountService.changeCredentials(of: caller, fields, from: device)
            return site.page.redirect("/account", done: accountService.mail == nil ? "account.saved" : "account.mailed")
        }
    }

    /// Ends the session with the given ID, or all sessions but this one if there is no ID.
    @Sendable private func endSessions(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let caller = try SignedInContext(context: context).caller
        let form = try await site.page.forms.read(request)
        return try await attempt(.sessions, form, request, context) {
            // An empty ID is an error and does not mean "all".
            if let id = form["id"] {
                guard let id = UUID(uuidString: id) else {
                    throw ServiceError(.notFound, "no such session", field: "id")
                }
                try await accountService.sessions.end(id, of: caller.account)
            } else {
                try await accountService.sessions.endOthers(of: caller.account, keeping: caller.tokenHash)
            }
            return site.page.redirect("/account", done: "account.sessionsEnded")
        }
    }

    private func show(
        _ request: Request,
        _ context: ServiceContext,
        rejection: AccountView.Rejection? = nil,
        next: String?,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        var sessions: [Session] = []
        if let account = context.caller?.account {
            sessions = try await accountService.sessions.findSessions(of: account, now: accountService.now())
        }
        return site.page.show(request, context.caller?.account, status: status, isPrivate: true) {
            $0.account(
                context.caller?.account,
                sessions: sessions,
                current: context.caller?.tokenHash,
                rejection: rejection,
                canConfirm: accountService.mail != nil,
                next: next
            )
        }
    }

    @Sendable private func askToDelete(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        return site.page.show(request, account, isPrivate: true) { $0.delete(listing: nil) }
    }

    @Sendable private func remove(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        guard try await site.page.forms.read(request)["confirmed"] == "yes" else {
            return site.page.redirect("/account/delete")
        }
        return try await site.page.handleForm {
            try await accounts.remove(account)
            await site.photoService.removeDeletedFiles()
            var response = site.page.redirect("/board")
            site.page.cookie.clear(in: &response)
            return response
        } orShow: { error, status in
            site.page.show(request, account, status: status, isPrivate: true) {
                $0.delete(listing: nil, problem: error)
            }
        }
    }

    /// Runs `body`, and shows the page again without the passwords if it throws an error that the user can correct.
    private func attempt(
        _ name: AccountView.Form,
        _ form: FormReader.SubmittedForm,
        _ request: Request,
        _ context: ServiceContext,
        _ body: () async throws -> Response
    ) async throws -> Response {
        try await site.page.handleForm(body) { error, status in
            let typed = form.typed.filter { !$0.key.contains("password") }
            let next = form["next"].flatMap(Self.localPath)
            return try await show(request, context, rejection: (name, typed, error), next: next, status: status)
        }
    }
}

extension FormReader.SubmittedForm {
    /// Browsers without scripts send a new password twice, because they cannot show it.
    fileprivate func expectRepeatedPassword() throws(ServiceError) {
        guard let repeated = typed["password_repeat"], repeated != self["password"] else { return }
        throw .invalid("password_repeat", "expected the same password twice")
    }

    /// The code of the authenticator app or, if that is empty, the recovery code.
    var code: String { [self["code"], self["recovery_code"]].compactMap(\.self).first { !$0.isEmpty } ?? "" }

    /// Returns the named fields as JSON. Empty fields become null, which clears them.
    fileprivate func json(_ names: [String]) -> [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, self[name].flatMap { $0.isEmpty ? nil : .string($0) } ?? .null)
            }
        )
    }
}
