package import Domain
package import Foundation
import Localization
package import Mustache

/// The page of the account with its profile and sessions; without an account, the forms to sign in and register.
package struct AccountPage: Page {
    /// The forms of the page. The raw value is the last part of the path that receives it.
    package enum Form: String, CaseIterable, Sendable {
        case signIn = "sign-in"
        case register
        case profile
        case picture
        case password
        case email
        case sessions
    }

    /// A form that was rejected.
    package struct Rejection: Sendable {
        let form: Form
        /// The values that were entered, without passwords.
        let typed: [String: String]
        let problem: ServiceError

        package init(_ form: Form, typed: [String: String], problem: ServiceError) {
            self.form = form
            self.typed = typed
            self.problem = problem
        }
    }

    package let template = "account"
    package let section = PageSection.account
    let account: Account?
    let sessions: [Session]
    /// The digest of the token of the present session.
    let current: Data?
    let rejection: Rejection?
    /// Whether the service sends e-mail.
    let hasMail: Bool
    /// The path and query of the page to show after the sign-in; nil for the user's own listings.
    let next: String?

    package init(
        _ account: Account?,
        sessions: [Session] = [],
        current: Data? = nil,
        rejection: Rejection? = nil,
        hasMail: Bool = false,
        next: String? = nil
    ) {
        self.account = account
        self.sessions = sessions
        self.current = current
        self.rejection = rejection
        self.hasMail = hasMail
        self.next = next
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let profile = account?.profile
        let forms = Dictionary(
            uniqueKeysWithValues: Form.allCases.map { ("\($0)Form", content(of: $0, compose.localizer)) }
        )
        let own: [String: any TemplateValue] = [
            "title": compose.localizer("account.title"), "isUser": account.map { $0.role != .guest } ?? false,
            "email": account?.email ?? "", "isUnconfirmed": hasMail && account?.isEmailConfirmed == false,
            "hasSecondFactor": account?.hasSecondFactor ?? false,
            "picture": profile?.picture.map(address(compose)) ?? "",
            "next": next ?? "",
            "hasMail": hasMail, "sessions": sessions.map { row($0, compose.localizer) },
            "hasOthers": sessions.contains { $0.tokenHash != current },
        ]
        return own.merging(forms) { $1 }
    }

    /// Returns the values of a form (`f`) and, if it was rejected, the problem and the input that it is about (`e`).
    private func content(of form: Form, _ localizer: Localizer) -> [String: any TemplateValue] {
        var values: [String: String] = [:]
        if form == .profile, let profile = account?.profile {
            values["first_name"] = profile.firstName
            values["last_name"] = profile.lastName
            values["phone"] = profile.phone
        }
        guard let rejection, rejection.form == form else { return ["f": values.templateValues, "problem": ""] }
        let problem = localizer.problem(rejection.problem)
        return [
            "f": values.merging(rejection.typed) { $1 }.templateValues, "problem": problem,
            "e": [rejection.problem.isAboutPhoto ? "photo" : rejection.problem.field ?? "form": true],
        ]
    }
}

extension AccountPage {
    private func row(_ session: Session, _ localizer: Localizer) -> [String: any TemplateValue] {
        [
            "id": session.id.uuidString.lowercased(), "client": session.client ?? localizer("account.someDevice"),
            "isCurrent": session.tokenHash == current,
            "used": localizer("account.usedAgo", ["ago": localizer.ago(session.lastUsedAt)]),
            "begun": localizer("account.signedInAt", ["time": localizer.moment(session.createdAt)]),
        ]
    }

    /// Returns the path of a picture stored by this service, or the unchanged address of another one.
    private func address(_ compose: PageBuilder) -> (String) -> String {
        { $0.hasPrefix("/") ? compose.path($0) : $0 }
    }
}

/// Asks guests for confirmation before they sign out and lose access to their listings.
package struct ForgetPage: Page {
    package let template = "forget"
    package let section = PageSection.account

    package init() {}

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        ["title": compose.localizer("guest.forgetTitle")]
    }
}
