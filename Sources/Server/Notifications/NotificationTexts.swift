import Domain
import Formats
import Localization
import Pages
import Storage

/// Creates the mails that tell readers what their alerts have found.
struct NotificationTexts: Sendable {
    let words: MailTexts
    let pages: Pages

    /// Returns nil if no mail can be sent to the reader.
    func mail(_ news: ReaderNews, picture: MailPicture?) -> MailMessage? {
        guard let address = news.reader.email.flatMap({ MailAddress($0) }) else { return nil }
        let language = news.reader.language ?? .english
        let content = NotificationMail(
            news.items.map { item in
                .init(item.listing, item.alert, probability: item.probability, distance: item.distance)
            },
            count: news.count,
            isSummary: news.isSummary,
            unsubscribe: unsubscribe(news),
            hasPicture: picture != nil
        )
        let texts = pages.render(content, language, origin: words.baseURL.origin)
        var mail = MailMessage(
            to: address,
            subject: texts.subject,
            text: texts.text + "\n\n-- \n" + words.footer(language) + "\n",
            language: language
        )
        mail.html = texts.html
        mail.picture = picture
        mail.account = news.reader.id
        mail.isBulk = true
        let link = words.baseURL.link(unsubscribe(news))
        // RFC 8058 allows https only.
        if link.hasPrefix("https://") { mail.unsubscribe = link }
        return mail
    }

    /// The path of the page that ends such mails: those of the alert, or all of them.
    private func unsubscribe(_ news: ReaderNews) -> String {
        let path = "/unsubscribe/\(news.unsubscribeToken)"
        guard !news.isSummary, let alert = news.items.first?.alert else { return path }
        return "\(path)?alert=\(alert.id.lowercased)"
    }
}
