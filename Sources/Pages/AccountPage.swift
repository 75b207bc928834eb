package import Domain

/// Who one is, or the ways in.
package struct AccountPage: Page {
    package let template = "account"
    package let section = PageSection.account
    let account: Account?
    /// What was typed into a form that was refused.
    let typed: [String: String]
    let problem: ServiceError?

    package init(_ account: Account?, typed: [String: String] = [:], problem: ServiceError? = nil) {
        self.account = account
        self.typed = typed
        self.problem = problem
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let profile = account?.profile
        let kept = [
            "first_name": profile?.firstName, "last_name": profile?.lastName, "phone": profile?.phone,
        ].compactMapValues(\.self)
        return [
            "title": compose.wording("account.title"), "isUser": account.map { $0.role != .guest } ?? false,
            "email": account?.email ?? "", "picture": profile?.picture.map(address(compose)) ?? "",
            "f": kept.merging(typed) { $1 },
            "problem": problem.map(compose.wording.problem) ?? "",
        ]
    }
}

extension AccountPage {
    /// A picture kept here is told by its path, another one by its whole address.
    private func address(_ compose: Composer) -> (String) -> String {
        { $0.hasPrefix("/") ? compose.path($0) : $0 }
    }
}
