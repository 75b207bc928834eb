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
    private let messages: MailLimit
    private let endings: MailLimit

    init(mailer: Mailer, accounts: AccountStore, words: MailTexts, counters: any LimitCounters) {
        self.mailer = mailer
        self.accounts = accounts
        self.words = words
        messages = MailLimit("message-mail", quota: 4, counters)
        endings = MailLimit("ending-mail", quota: 4, counters)
    }

    /// Notifies the recipient of a message or a sighting. It returns at once and looks up the recipient later, so that the
    /// response time does not show the sender whether the recipient receives it.
    func notify(_ notice: Notice) {
        let kind = notice.textKey
        post(toReadersOf: notice.recipient, messages) { email, language in
            let localizer = words.localization.localizer(language)
            let photo = notice.hasPhoto ? localizer("\(kind).photoMailed") : ""
            let name = localizer.mention(notice.animal)
            return words.message(kind, to: email, language, notice.shortPath, [("photo", photo), ("name", name)])
        }
    }

    /// Posts a mail to the account, or to each manager of the organisation that it is.
    private func post(
        toReadersOf account: UUID,
        _ limit: MailLimit? = nil,
        _ message: @escaping @Sendable (String, Language) -> MailMessage?
    ) {
        let draft: Mailer.Draft = {
            let mails = try await accounts.findReaders(of: account).compactMap { reader in
                reader.confirmedEmail.flatMap { message($0, reader.language ?? .english) }?.belonging(to: reader.id)
            }
            for mail in mails.dropFirst() { mailer.post(mail) }
            return mails.first
        }
        mailer.post(limit?.apply(to: account.lowercased, draft) ?? draft)
    }

    /// Sends each owner one mail about all of the owner's listings that expire soon.
    func notify(_ warnings: [RetentionStore.Warning]) {
        for (owner, warnings) in Dictionary(grouping: warnings, by: \.owner) {
            post(toReadersOf: owner, endings) { message(warnings, to: $0, $1) }
        }
    }

    private func message(_ warnings: [RetentionStore.Warning], to email: String, _ language: Language) -> MailMessage? {
        guard let first = warnings.first else { return nil }
        let localizer = words.localization.localizer(language)
        let lines = warnings.map { warning in
            let blanks: KeyValuePairs = [
                "when": localizer.moment(warning.expiresAt),
                "page": words.baseURL.link(warning.listing.path),
                "name": localizer.mention(warning.animal),
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
                ("name", localizer.mention(first.animal)),
            ]
        )
    }

    func notifyHidden(_ owner: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        notify("hidden", owner, reason)
    }

    func notifyPhotoRemoved(_ owner: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        notify("photo", owner, reason)
    }

    private func notify(_ key: String, _ owner: ModerationStore.AffectedOwner, _ reason: Report.Reason) {
        guard let account = owner.account, let listing = owner.listing, let animal = owner.animal else { return }
        post(toReadersOf: account) { email, language in
            let localizer = words.localization.localizer(language)
            return words.message(
                key,
                to: email,
                language,
                listing.path,
                [
                    ("reason", localizer("reason.\(reason.rawValue)")),
                    ("name", localizer.mention(animal)),
                ]
            )
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
        post(toReadersOf: webhook.owner) { words.message("webhook", to: $0, $1, "/account", [("host", webhook.host)]) }
    }
}
