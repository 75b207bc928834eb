import Domain
import Formats
import Foundation
import Localization
import Pages

/// Creates the texts of mails from the localized texts.
struct MailTexts: Sendable {
    let localization: Localization
    let pages: Pages
    let baseURL: BaseURL
    let siteName: String

    /// Returns nil if no mail can be sent to the address.
    ///
    /// - Parameters:
    ///   - key: the key of the text in the group `mail`. The subject's key is this key followed by `Subject`.
    ///   - path: the path of the page that the mail links to.
    ///   - blanks: the placeholders besides `siteName`, `site` and `link`, with their values. Text that users wrote must come last,
    ///     so that no placeholder within it is replaced.
    func message(
        _ key: String,
        subject: String? = nil,
        to email: String,
        _ language: Language,
        _ path: String,
        _ blanks: [(key: String, value: String)] = []
    ) -> MailMessage? {
        guard let address = MailAddress(email) else { return nil }
        let localizer = localization.localizer(language)
        func text(_ key: String) -> String {
            let text = localizer(
                "mail.\(key)",
                ["siteName": siteName, "site": baseURL.text, "link": baseURL.link(path)]
            )
            return blanks.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
        let (title, body, footer) = (text(subject ?? "\(key)Subject"), text(key), footer(language))
        var mail = MailMessage(
            to: address,
            subject: title,
            text: body + "\n\n-- \n" + footer + "\n",
            language: language
        )
        mail.html = pages.mailHTML(
            subject: title,
            text: body,
            footer: footer,
            language,
            origin: baseURL.origin
        )
        return mail
    }

    /// The last lines of every mail.
    func footer(_ language: Language) -> String {
        localization.localizer(language)("mail.footer", ["siteName": siteName, "site": baseURL.text])
    }
}

extension MailMessage {
    /// Returns the mail as one that is deleted together with an account.
    ///
    /// - Parameters:
    ///   - account: the `Account.id`.
    ///   - end: the time from which on the mail is useless.
    func belonging(to account: UUID?, until end: Timestamp? = nil) -> MailMessage {
        var mail = self
        mail.account = account
        mail.expiresAt = end
        return mail
    }
}
