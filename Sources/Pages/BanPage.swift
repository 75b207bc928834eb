package import Domain
import Localization

extension PageBuilder {
    /// The page that tells users that their account is banned.
    package func ban(_ ban: Ban) -> MessageView {
        MessageView(
            heading: localizer("ban.title"), explanation: localizer.explanation(of: ban), signIn: nil, isBanned: true
        )
    }
}

extension Localizer {
    /// The reason for a ban and its end.
    package func explanation(of ban: Ban) -> String {
        let reason = self("reason.\(ban.reason.rawValue)")
        guard let until = ban.until else { return self("ban.forGood", ["reason": reason]) }
        return self("ban.until", ["reason": reason, "until": moment(until)])
    }
}
