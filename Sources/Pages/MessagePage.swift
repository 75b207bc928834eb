package import Domain
import Localization
import Mustache

/// A page that contains only a message, for errors and for use without a connection.
package struct MessageView: PageView {
    package static let template = "message"
    let heading, explanation: String
    let signIn: String?
    let isBanned: Bool

    package enum Message: String, CaseIterable, Sendable {
        case missing
        case forbidden
        /// The page needs an account.
        case signIn
        case failure
        case offline
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - problem: replaces the explanation of the message.
    ///   - next: the path and query to show after a sign-in.
    package func message(_ message: MessageView.Message, problem: ServiceError? = nil, next: String = "") -> MessageView
    {
        let signIn = path("/account" + BoardFilters.query(["next": next]))
        return MessageView(
            heading: localizer("\(message.rawValue).title"),
            explanation: problem.map(localizer.problem) ?? localizer("\(message.rawValue).explanation"),
            signIn: message == .signIn ? signIn : nil, isBanned: false
        )
    }
}
