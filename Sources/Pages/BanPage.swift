package import Domain
import Localization
package import Mustache

/// The page that tells users that their account is banned.
package struct BanPage: Page {
    package let template = "message"
    package let section = PageSection.none
    let ban: Ban

    package init(_ ban: Ban) {
        self.ban = ban
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "title": localizer("ban.title"), "heading": localizer("ban.title"),
            "explanation": localizer.explanation(of: ban),
            "isBanned": true,
        ]
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
