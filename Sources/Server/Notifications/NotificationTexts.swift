import Domain
import Formats
import Localization
import Pages
import Storage

/// Creates the mails and push messages that tell readers what their alerts have found.
struct NotificationTexts: Sendable {
    let words: MailTexts
    private var pages: Pages { words.pages }

    /// Returns nil if no mail can be sent to the recipient.
    func mail(_ news: ReaderNews, to recipient: Account, picture: MailPicture?) -> MailMessage? {
        guard let address = recipient.confirmedEmail.flatMap({ MailAddress($0) }) else { return nil }
        let language = recipient.language ?? .english
        let content = content(news, hasPicture: picture != nil)
        let footer = words.footer(language)
        let texts = pages.render(content, language, origin: words.baseURL.origin, footer: footer)
        var mail = MailMessage(
            to: address,
            subject: texts.subject,
            text: texts.text + "\n\n-- \n" + footer + "\n",
            language: language
        )
        mail.html = texts.html
        mail.picture = picture
        mail.account = recipient.id
        mail.isBulk = true
        mail.listings = news.items.map(\.listing.key)
        let link = words.baseURL.link(content.ending)
        // RFC 8058 allows https only.
        if link.hasPrefix("https://") { mail.unsubscribe = link }
        return mail
    }

    /// Returns nil if there is nothing to tell.
    func push(_ news: ReaderNews) -> OutgoingEvent? {
        guard let item = news.items.first else { return nil }
        let content = content(news, hasPicture: false)
        let isAlone = news.count == 1
        let id = isAlone ? item.listing.id.lowercased : "summary"
        let texts = Language.allCases.map { language in
            let texts = pages.pushText(content, language)
            let path = isAlone ? "/listings/\(id)" : "/my/alerts"
            return (language, PushText(title: texts.title, body: texts.body, path: path, tag: "alert-\(id)"))
        }
        var event = OutgoingEvent(
            type: "alert.listing",
            key: "alert-\(id)",
            data: [:],
            push: Dictionary(uniqueKeysWithValues: texts),
            urgency: item.probability.map { $0 >= NotificationSchedule.veryLikely } == true ? .high : .normal
        )
        event.turn = news.turn
        event.listings = news.items.map(\.listing.key)
        return event
    }

    private func content(_ news: ReaderNews, hasPicture: Bool) -> NotificationMail {
        let items = news.items.map { ($0.listing, $0.alert, $0.probability, $0.distance) }
        var mail = NotificationMail(items, count: news.count)
        mail.isSummary = news.isSummary
        mail.unsubscribe = "/unsubscribe/\(news.unsubscribeToken)"
        mail.hasPicture = hasPicture
        return mail
    }
}
