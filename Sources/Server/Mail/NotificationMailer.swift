import Concurrency
import Domain
import Formats
import Foundation
import Localization
import Mail
import Storage

/// Sends mails about messages, expiring listings and decisions of moderators. The web pages show the same information,
/// so nobody waits for these mails, and a mail that the queue does not accept is dropped without an error.
struct NotificationMailer: Sendable {
    let mailer: Mailer
    let accounts: AccountStore
    let words: MailTexts
    /// The limits on mails to one account.
    private let messages = RateLimiter(RateLimit(name: "message mails", quota: 4, window: 3600, unit: nil))
    private let endings = RateLimiter(RateLimit(name: "ending mails", quota: 4, window: 3600, unit: nil))

    init(mailer: Mailer, accounts: AccountStore, words: MailTexts) {
        self.mailer = mailer
        self.accounts = accounts
        self.words = words
    }

    /// Notifies the recipient of a message. It returns at once and looks up the recipient later, so that the response
    /// time does not show the sender whether the recipient receives it.
    func tell(_ notice: MessageNotice) {
        guard isLeft(messages, notice.recipient) else { return }
        mailer.post {
            guard let account = try await accounts.findAccount(id: notice.recipient), let email = account.email,
                !account.disabled
            else { return nil }
            let language = account.language ?? .english
            let path = "/inbox/\(notice.conversation.lowercased)"
            return words.message("message", to: email, language, path, [("name", words.name(notice.name, language))])
        }
    }

    /// Sends each owner one mail about all of the owner's listings that expire soon.
    func tell(_ warnings: [RetentionStore.Warning]) {
        for (owner, warnings) in Dictionary(grouping: warnings, by: \.owner) where isLeft(endings, owner) {
            mailer.post { message(warnings) }
        }
    }

    private func message(_ warnings: [RetentionStore.Warning]) -> MailMessage? {
        guard let first = warnings.first, let email = first.email else { return nil }
        let language = first.language ?? .english
        let localizer = words.localization.localizer(language)
        let lines = warnings.map { warning in
            let blanks: KeyValuePairs = [
                "when": localizer.moment(warning.expiresAt),
                "page": words.baseURL.link("/listings/\(warning.listing.lowercased)"),
                "name": words.name(warning.name, language),
            ]
            return localizer("mail.endingLine", blanks)
        }
        return words.message(
            "ending",
            subject: warnings.count == 1 ? "endingSubject" : "endingsSubject",
            to: email,
            language,
            "/my",
            [
                ("count", String(warnings.count)), ("listings", lines.joined(separator: "\n\n")),
                ("name", words.name(first.name, language)),
            ]
        )
    }

    func tellHidden(_ concerned: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        tell("hidden", concerned, reason)
    }

    func tellPhotoRemoved(_ concerned: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        tell("photo", concerned, reason)
    }

    private func tell(_ key: String, _ concerned: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        guard let email = concerned.email, let listing = concerned.listing else { return }
        let language = concerned.language ?? .english
        let reason = words.localization.localizer(language)("reason.\(reason.rawValue)")
        let name = words.name(concerned.name, language)
        mailer.post {
            words.message(
                key,
                to: email,
                language,
                "/listings/\(listing.lowercased)",
                [("reason", reason), ("name", name)]
            )
        }
    }

    func tellBanned(_ concerned: ModerationStore.AffectedOwner, _ ban: Ban) {
        guard let email = concerned.email else { return }
        let language = concerned.language ?? .english
        let explanation = words.localization.localizer(language).explanation(of: ban)
        mailer.post { words.message("banned", to: email, language, "/my", [("explanation", explanation)]) }
    }

    private func isLeft(_ limit: RateLimiter, _ account: UUID) -> Bool {
        if case .success = limit.take(account.hashValue, now: MonotonicClock.seconds) { true } else { false }
    }
}
