package import Domain
import Localization
import Mustache

/// A page of the registration, e-mail verification and password reset: a form with a button, or an explanation.
package struct VerificationView: PageView {
    package static let template = "step"
    let heading, lead, token: String
    let problem, action, button: String?
    let asksEmail, asksPassword, asksNewPassword: Bool

    package enum Step: String, CaseIterable, Sendable {
        /// Confirms the e-mail address of a new account, with the password that was chosen.
        case registration
        /// Confirms the new e-mail address of an existing account.
        case change
        /// Opens the private link of a guest.
        case link
        /// Opens it where another guest has listings.
        case otherLink
        /// Requests an e-mail with a link to set a new password.
        case address
        /// Sets a new password.
        case password
        /// The token is invalid, used or expired.
        case invalid
        /// The service sends no e-mail.
        case noMail

        fileprivate var action: String? {
            switch self {
            case .registration, .change, .link, .otherLink: "/account/verify"
            case .address: "/account/reset"
            case .password: "/account/new-password"
            case .invalid, .noMail: nil
            }
        }
    }
}

extension PageBuilder {
    package func verification(
        _ step: VerificationView.Step,
        token: String = "",
        problem: ServiceError? = nil
    ) -> VerificationView {
        VerificationView(
            heading: localizer("step.\(step.rawValue)Title"), lead: localizer("step.\(step.rawValue)"), token: token,
            problem: problem.map(localizer.problem), action: step.action.map(path),
            button: step.action == nil ? nil : localizer("step.\(step.rawValue)Button"), asksEmail: step == .address,
            asksPassword: step == .registration, asksNewPassword: step == .password
        )
    }
}
