package import Domain
import Localization
package import Mustache

/// A page that contains only a message, for errors and for use without a connection.
package struct MessagePage: Page {
    package enum Message: String, CaseIterable, Sendable {
        case missing
        case forbidden
        /// The page needs an account.
        case signIn
        case failure
        case offline
    }

    package let template = "message"
    package let section = PageSection.none
    let message: Message
    /// Replaces the explanation of the message.
    let problem: ServiceError?
    /// The path and query to show after a sign-in.
    let next: String

    package init(_ message: Message, problem: ServiceError? = nil, next: String = "") {
        self.message = message
        self.problem = problem
        self.next = next
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let title = compose.localizer("\(message.rawValue).title")
        let explanation = problem.map(compose.localizer.problem) ?? compose.localizer("\(message.rawValue).explanation")
        let signIn = compose.path("/account" + BoardFilters.query(["next": next]))
        return [
            "title": title, "heading": title, "explanation": explanation, "signIn": message == .signIn ? signIn : "",
        ]
    }
}
