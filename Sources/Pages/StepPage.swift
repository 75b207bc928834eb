package import Domain

/// One step on the way into an account: a form with a button, or what to do instead.
package struct StepPage: Page {
    package enum Step: String, CaseIterable, Sendable {
        /// Shows that an address is theirs, with the password that was chosen.
        case registration
        /// Shows that an account's new address is theirs.
        case change
        /// Asks for a mail that leads to a new password.
        case address
        /// Sets it.
        case password
        /// The token cannot be used.
        case invalid
        /// The service sends none.
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

    package func content(_ compose: PageBuilder) -> [String: any Sendable] {
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
