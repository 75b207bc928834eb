package import Domain
import Localization
package import Mustache

/// A page of the registration, e-mail verification and password reset: a form with a button, or an explanation.
package struct VerificationPage: Page {
    package enum Step: String, CaseIterable, Sendable {
        /// Confirms the e-mail address of a new account, with the password that was chosen.
        case registration
        /// Confirms the new e-mail address of an existing account.
        case change
        /// Requests an e-mail with a link to set a new password.
        case address
        /// Sets a new password.
        case password
        /// The token is invalid, used or expired.
        case invalid
        /// The service sends no e-mail.
        case noMail
    }

    package let template = "step"
    package let section = PageSection.account
    let step: Step
    let token: String
    let problem: ServiceError?

    package init(_ step: Step, token: String = "", problem: ServiceError? = nil) {
        self.step = step
        self.token = token
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let title = localizer("step.\(step.rawValue)Title")
        return [
            "title": title, "heading": title, "lead": localizer("step.\(step.rawValue)"), "token": token,
            "problem": problem.map(localizer.problem) ?? "", "action": action.map(compose.path) ?? "",
            "asksEmail": step == .address, "asksPassword": step == .registration, "asksNewPassword": step == .password,
            "button": action == nil ? "" : localizer("step.\(step.rawValue)Button"),
        ]
    }

    private var action: String? {
        switch step {
        case .registration, .change: "/account/verify"
        case .address: "/account/reset"
        case .password: "/account/new-password"
        case .invalid, .noMail: nil
        }
    }
}
