package import Domain
package import Foundation
import Localization
import Mustache

/// The page of the account with its profile and sessions; without an account, the forms to sign in and register.
package struct AccountView: PageView {
    package static let template = "account"
    let email, next, picture: String?
    let isUnconfirmed, hasSecondFactor, hasOthers: Bool
    let profileForm, pictureForm, passwordForm, emailForm, linkForm, sessionsForm, signInForm, registerForm: FormView
    let sessions: [SessionView]

    /// The forms of the page. The raw value is the last part of the path that receives it.
    package enum Form: String, CaseIterable, Sendable {
        case signIn = "sign-in"
        case register
        case profile
        case picture
        case password
        case email
        /// The private link of a guest.
        case link
        case sessions
    }

    /// A form that was rejected, with the values that were entered, without passwords.
    package typealias Rejection = (form: Form, typed: [String: String], problem: ServiceError)

    struct FormView: TemplateView {
        let problem: String?
        let email, password, passwordRepeat, currentPassword, firstName, lastName, phone, photo, whole: InputView
    }

    struct SessionView: TemplateView {
        let id, client, used, begun: String
        let isCurrent: Bool
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - current: the digest of the token of the present session.
    ///   - canConfirm: whether the service sends e-mail, so that an address can be confirmed.
    ///   - next: the path and query of the page to show after the sign-in; nil for the user's own listings.
    package func account(
        _ account: Account?,
        sessions: [Session] = [],
        current: Data? = nil,
        rejection: AccountView.Rejection? = nil,
        canConfirm: Bool = false,
        next: String? = nil
    ) -> AccountView {
        func form(_ form: AccountView.Form) -> AccountView.FormView {
            self.form(form, account?.profile, rejection?.form == form ? rejection : nil)
        }
        return AccountView(
            email: account?.email, next: next,
            // The path of a picture stored by this service, or the address of another one.
            picture: account?.profile.picture.map { $0.hasPrefix("/") ? path($0) : $0 },
            isUnconfirmed: canConfirm && account?.isEmailConfirmed == false,
            hasSecondFactor: account?.hasSecondFactor ?? false,
            hasOthers: sessions.contains { $0.tokenHash != current },
            profileForm: form(.profile), pictureForm: form(.picture), passwordForm: form(.password),
            emailForm: form(.email), linkForm: form(.link), sessionsForm: form(.sessions), signInForm: form(.signIn),
            registerForm: form(.register),
            sessions: sessions.map { session in
                AccountView.SessionView(
                    id: session.id.uuidString.lowercased(), client: session.client ?? localizer("account.someDevice"),
                    used: localizer("account.usedAgo", ["ago": localizer.ago(session.lastUsedAt)]),
                    begun: localizer("account.signedInAt", ["time": localizer.moment(session.createdAt)]),
                    isCurrent: session.tokenHash == current
                )
            }
        )
    }

    private func form(
        _ form: AccountView.Form,
        _ profile: Profile?,
        _ rejection: AccountView.Rejection?
    ) -> AccountView.FormView {
        var inputs = Inputs()
        if form == .profile, let profile {
            inputs.values["first_name"] = profile.firstName
            inputs.values["last_name"] = profile.lastName
            inputs.values["phone"] = profile.phone
        }
        if let (_, typed, problem) = rejection {
            inputs.values.merge(typed) { $1 }
            inputs.problem = localizer.problem(problem)
            inputs.wrong = problem.isAboutPhoto ? "photo" : problem.field ?? "form"
        }
        return AccountView.FormView(
            problem: inputs.problem, email: inputs["email"], password: inputs["password"],
            passwordRepeat: inputs["password_repeat"], currentPassword: inputs["current_password"],
            firstName: inputs["first_name"], lastName: inputs["last_name"], phone: inputs["phone"],
            photo: inputs["photo"], whole: inputs["form"]
        )
    }
}

/// Asks guests for confirmation before they sign out and lose access to their listings.
package struct ForgetView: PageView {
    package static let template = "forget"
}

extension PageBuilder {
    package func forget() -> ForgetView { ForgetView() }
}
