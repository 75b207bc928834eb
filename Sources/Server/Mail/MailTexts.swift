import Domain
import Mail
import Pages

/// What mails say, from the texts of the pages.
struct MailTexts: Sendable {
    let pages: Pages
    let baseURL: BaseURL

    /// Nil for an address that no mail can be sent to.
    ///
    /// - Parameters:
    ///   - key: of the text in the group `mail`; with `Subject` behind it that of the subject.
    ///   - path: of the page that it leads to.
    ///   - blanks: what is to be filled in besides `site` and `link`. Words of people come last: nothing is filled into them.
    func message(
        _ key: String,
        subject: String? = nil,
        to email: String,
        _ language: Language,
        _ path: String,
        _ blanks: [(key: String, value: String)] = []
    ) -> MailMessage? {
        guard let address = MailAddress(email) else { return nil }
        let localizer = pages.localizer(language)
        func text(_ key: String) -> String {
            let text = localizer("mail.\(key)", ["site": baseURL.text, "link": baseURL.link(path)])
            return blanks.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
        return MailMessage(
            to: address,
            subject: text(subject ?? "\(key)Subject"),
            text: text(key) + "\n\n-- \n" + text("footer") + "\n",
            language: language
        )
    }

    /// What an animal is called.
    func name(_ name: String?, _ language: Language) -> String { name ?? pages.localizer(language)("mail.unnamed") }
}
