package import Domain

/// What somebody is told whose account is banned.
package struct BanPage: Page {
    package let template = "message"
    package let section = PageSection.none
    let ban: Ban

    package init(_ ban: Ban) {
        self.ban = ban
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        return [
            "title": wording("ban.title"), "heading": wording("ban.title"), "explanation": wording.explanation(of: ban),
            "isBanned": true,
        ]
    }
}

extension Wording {
    /// Why, and for how long.
    package func explanation(of ban: Ban) -> String {
        let reason = self("reason.\(ban.reason.rawValue)")
        guard let until = ban.until else { return self("ban.forGood", ["reason": reason]) }
        return self("ban.until", ["reason": reason, "until": moment(until)])
    }
}
