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
    func notify(_ notice: MessageNotice) {
        notify(
            notice.recipient,
            "message",
            notice.hasPhoto,
            of: notice.name,
            "/inbox/\(notice.conversation.lowercased)"
        )
    }

    /// Notifies the owner of a listing of a sighting, in the same way as of a message.
    func notify(_ notice: SightingNotice) {
        notify(
            notice.recipient,
            "sighting",
            notice.hasPhoto,
            of: notice.name,
            "/listings/\(notice.listing.lowercased)#sightings"
        )
    }

    /// - Parameters:
    ///   - text: the name of the mail's texts.
    ///   - hasPhoto: whether the mail says that there is a photo.
    ///   - name: that of the animal.
    ///   - path: the page that the mail links to.
    private func notify(_ recipient: UUID, _ text: String, _ hasPhoto: Bool, of name: String?, _ path: String) {
        guard isAllowed(messages, recipient) else { return }
        mailer.post {
            guard let account = try await accounts.findAccount(id: recipient), let email = account.email,
                !account.disabled
            else { return nil }
            let language = account.language ?? .english
            let photo = hasPhoto ? words.localization.localizer(language)("\(text).photoMailed") : ""
            return words.message(
                text,
                to: email,
                language,
                path,
                [("photo", photo), ("name", words.name(name, language))]
            )?.belonging(to: recipient)
        }
    }

    /// Sends each owner one mail about all of the owner's listings that expire soon.
    func notify(_ warnings: [RetentionStore.Warning]) {
        for (owner, warnings) in Dictionary(grouping: warnings, by: \.owner) where isAllowed(endings, owner) {
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
        )?.belonging(to: first.owner)
    }

    func notifyHidden(_ owner: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        notify("hidden", owner, reason)
    }

    func notifyPhotoRemoved(_ owner: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        notify("photo", owner, reason)
    }

    private func notify(_ key: String, _ owner: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        guard let email = owner.email, let listing = owner.listing else { return }
        let language = owner.language ?? .english
        let reason = words.localization.localizer(language)("reason.\(reason.rawValue)")
        let name = words.name(owner.name, language)
        mailer.post {
            words.message(
                key,
                to: email,
                language,
                "/listings/\(listing.lowercased)",
                [("reason", reason), ("name", name)]
            )?.belonging(to: owner.account)
        }
    }

    func notifyBanned(_ owner: ModerationStore.AffectedOwner, _ ban: Ban) {
        guard let email = owner.email else { return }
        let language = owner.language ?? .english
        let explanation = words.localization.localizer(language).explanation(of: ban)
        mailer.post {
            words.message("banned", to: email, language, "/my", [("explanation", explanation)])?
                .belonging(to: owner.account)
        }
    }

    /// Tells the owner of a webhook that it was disabled.
    func notify(_ webhook: DisabledWebhook) {
        mailer.post {
            guard let account = try await accounts.findAccount(id: webhook.owner), let email = account.email,
                !account.disabled
            else { return nil }
            return words.message(
                "webhook",
                to: email,
                account.language ?? .english,
                "/account",
                [("host", webhook.host)]
            )?.belonging(to: webhook.owner)
        }
    }

    private func isAllowed(_ limit: RateLimiter, _ account: UUID) -> Bool {
        if case .success = limit.take(account.hashValue, now: MonotonicClock.seconds) { true } else { false }
    }
}
