import Credentials
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Storage

/// The pages for the second factor of an account.
struct SecondFactorPages {
    let site: Site
    let accountService: AccountService
    let requirement: SecondFactor.Requirement

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/account/second-factor", use: show)
        router.post("/account/second-factor", use: begin)
        router.post("/account/second-factor/confirm", use: confirm)
        router.post("/account/second-factor/codes", use: renewRecoveryCodes)
        router.post("/account/second-factor/remove", use: remove)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let caller = try SignedInContext(context: context).caller
        guard caller.account.role != .guest else { return site.page.redirect("/account") }
        return page(try await state(of: caller), caller, request)
    }

    private func state(of caller: Caller) async throws -> SecondFactorView.State {
        guard let factor = try await accountService.secondFactors.find(of: caller.account),
            let since = factor.confirmedAt
        else { return .off }
        return .on(since: since, recoveryCodesLeft: factor.recoveryCodesLeft)
    }

    private func page(
        _ state: SecondFactorView.State,
        _ caller: Caller,
        _ request: Request,
        rejection: (SecondFactorView.Form, ServiceError)? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        site.page.show(request, caller.account, status: status, isPrivate: true) {
            $0.secondFactor(
                state,
                isRequired: requirement.restricts(caller.account),
                email: caller.account.email ?? "",
                rejection: rejection
            )
        }
    }

    @Sendable private func begin(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await handle(.begin, request, context) { caller, form in
            let password = form["current_password"].map(JSONValue.string)
            let enrolment = try await accountService.beginSecondFactor(of: caller, password)
            return page(Self.state(of: enrolment), caller, request)
        }
    }

    private static func state(of enrolment: AccountService.Enrolment) -> SecondFactorView.State {
        .enrolment(
            secret: enrolment.totp.secretText,
            address: enrolment.address,
            sealed: Base64URL.text(enrolment.sealed)
        )
    }

    @Sendable private func confirm(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await handle(.confirm, request, context) { caller, form in
            let language = site.page.pageLanguage(request)
            let codes = try await accountService.confirmSecondFactor(of: caller, code: form.code, language)
            return show(codes, caller, request)
        }
    }

    @Sendable private func renewRecoveryCodes(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await handle(.codes, request, context) { caller, form in
            show(try await accountService.renewRecoveryCodes(of: caller, form.proofs), caller, request)
        }
    }

    private func show(_ codes: [RecoveryCode], _ caller: Caller, _ request: Request) -> Response {
        site.page.show(request, caller.account, isPrivate: true) {
            $0.recoveryCodes(
                codes.map(\.text),
                email: caller.account.email ?? "",
                siteName: accountService.siteName
            )
        }
    }

    @Sendable private func remove(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await handle(.remove, request, context) { caller, form in
            try await accountService.removeSecondFactor(of: caller, form.proofs, site.page.pageLanguage(request))
            return site.page.redirect("/account", done: "account.factorRemoved")
        }
    }

    /// Runs `body`, and shows the page again if it throws an error that the user can correct.
    private func handle(
        _ name: SecondFactorView.Form,
        _ request: Request,
        _ context: ServiceContext,
        _ body: (Caller, FormReader.SubmittedForm) async throws -> Response
    ) async throws -> Response {
        let caller = try SignedInContext(context: context).caller
        let form = try await site.page.forms.read(request)
        return try await site.page.handleForm {
            try await body(caller, form)
        } orShow: { error, status in
            // The secret is shown again to the browser that it was shown to.
            if name == .confirm, let sealed = form["enrolment"].flatMap(Base64URL.bytes),
                let enrolment = try await accountService.enrolment(of: caller, sealed: Data(sealed))
            {
                return page(Self.state(of: enrolment), caller, request, rejection: (name, error), status: status)
            }
            let state = try await state(of: caller)
            let shown: SecondFactorView.Form = if case .off = state { .begin } else { name }
            return page(state, caller, request, rejection: (shown, error), status: status)
        }
    }
}

extension FormReader.SubmittedForm {
    fileprivate var proofs: [String: JSONValue] {
        ["current_password": .string(self["current_password"] ?? ""), "code": .string(code)]
    }
}
