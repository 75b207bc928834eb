package import Domain
package import Foundation
import Localization
package import Mustache

/// The page of the account with its profile and sessions; without an account, the forms to sign in and register.
package struct AccountPage: Page {
    package let template = "account"
    package let section = PageSection.account
    let account: Account?
    let sessions: [Session]
    /// The digest of the token of the present session.
    let current: Data?
    /// The values of a form that was rejected.
    let typed: [String: String]
    let problem: ServiceError?
    /// Whether the service sends e-mail.
    let hasMail: Bool

    package init(
        _ account: Account?,
        sessions: [Session] = [],
        current: Data? = nil,
        typed: [String: String] = [:],
        problem: ServiceError? = nil,
        hasMail: Bool = false
    ) {
        self.account = account
        self.sessions = sessions
        self.current = current
        self.typed = typed
        self.problem = problem
        self.hasMail = hasMail
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let profile = account?.profile
        let kept = [
            "first_name": profile?.firstName, "last_name": profile?.lastName, "phone": profile?.phone,
        ].compactMapValues(\.self)
        return [
            "title": compose.localizer("account.title"), "isUser": account.map { $0.role != .guest } ?? false,
            "email": account?.email ?? "", "picture": profile?.picture.map(address(compose)) ?? "",
            "f": kept.merging(typed) { $1 }.templateValues,
            "problem": problem.map(compose.localizer.problem) ?? "",
            "hasMail": hasMail, "sessions": sessions.map { row($0, compose.localizer) },
            "hasOthers": sessions.contains { $0.tokenHash != current },
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
