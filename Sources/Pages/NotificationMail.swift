package import Domain
import Localization
import Mustache

/// An e-mail or push message that tells a reader what alerts have found.
package struct NotificationMail: Sendable {
    /// - `distance`: in metres from the centre of the search; nil without a centre.
    package typealias Item = (listing: Listing, alert: Alert, probability: Double?, distance: Double?)

    package var items: [Item]
    /// In a summary, the number of listings can be greater than that of the items.
    package var count: Int
    package var isSummary = false
    /// The path of the page that ends all such mails.
    package var unsubscribe = ""
    package var hasPicture = false

    package init(_ items: [Item], count: Int) {
        (self.items, self.count) = (items, count)
    }

    /// The path of the page that ends, or narrows, an alert.
    package func unsubscribe(_ alert: Alert) -> String { "\(unsubscribe)?alert=\(alert.id.uuidString.lowercased())" }

    /// The path of the page that ends such mails: those of the alert, or all of them.
    package var ending: String { isSummary ? unsubscribe : items.first.map { unsubscribe($0.alert) } ?? unsubscribe }
}

struct MailView: PageView {
    static let template = "mail-html"
    static let templates = [template, "mail-text"]
    let lang, direction, title, unsubscribe, settings: String
    let more: String?
    let isSummary: Bool
    let items: [ItemView]
    let footer: [String]

    struct ItemView: TemplateView {
        let headline, place, seen, link, reason: String
        let breed: String?
        let hasPicture: Bool
        let buttons: [MailButtonView]
    }
}

/// A link that looks like a button.
struct MailButtonView: TemplateView {
    let label, href: String
    let isPrimary: Bool
}

extension PageBuilder {
    fileprivate func mail(_ mail: NotificationMail, footer: String) -> MailView {
        let more = mail.count - mail.items.count
        return MailView(
            lang: localizer.language.code, direction: localizer.language.properties.direction.rawValue,
            title: subject(of: mail), unsubscribe: link(mail.ending),
            settings: link("/my/alerts"),
            more: more > 0 ? localizer("alertMail.more", count: more) : nil,
            isSummary: mail.isSummary,
            items: mail.items.enumerated().map { number, item in
                MailView.ItemView(
                    headline: subject(of: item),
                    place: join([localizer.place(item.listing.location), item.listing.content.whereabouts]),
                    seen: localizer.seen(item.listing),
                    link: link(item.listing.code.path), reason: reason(for: item),
                    breed: localizer.breed(item.listing.content),
                    hasPicture: mail.hasPicture && number == 0, buttons: buttons(for: item, in: mail)
                )
            },
            footer: footer.components(separatedBy: "\n")
        )
    }

    /// The actions that a reader can take: tell of a sighting, call, write, and change an alert that is too wide.
    private func buttons(for item: NotificationMail.Item, in mail: NotificationMail) -> [MailButtonView] {
        let listing = item.listing
        let status = listing.content.status ?? .lost
        let page = "/listings/\(listing.id.uuidString.lowercased())"
        var buttons: [MailButtonView] = []
        func add(_ label: String, _ href: String) {
            buttons.append(MailButtonView(label: label, href: href, isPrimary: buttons.isEmpty))
        }
        if listing.origin == nil, status == .lost {
            add(localizer("sighting.button.\(listing.content.species.rawValue)"), link("\(page)/sighting"))
        }
        if let telephone = listing.telephone {
            add(localizer("listing.call", ["phone": telephone.text]), telephone.link)
        }
        if listing.origin == nil { add(localizer("inbox.write.\(status.rawValue)"), link("\(page)/write")) }
        if item.distance != nil { add(localizer("alertMail.notNear"), link(mail.unsubscribe(item.alert))) }
        return buttons
    }

    private func join(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// For example "800 m from you". The centre of most searches is where the reader lives.
    private func distance(of item: NotificationMail.Item) -> String? {
        item.distance.map { metres in
            let least = localizer.leastDistance
            let isNear = item.listing.location.approximate && metres < least
            return localizer(
                isNear ? "alertMail.within" : "alertMail.away",
                ["distance": localizer.distance(isNear ? least : metres)]
            )
        }
    }

    fileprivate func subject(of mail: NotificationMail) -> String {
        guard !mail.isSummary || mail.count == 1, let item = mail.items.first else {
            return localizer("alertMail.summary", count: mail.count)
        }
        return subject(of: item)
    }

    fileprivate func subject(of item: NotificationMail.Item) -> String {
        let status = localizer.status(item.listing.content.status)
        let blanks: KeyValuePairs = [
            "status": [status, distance(of: item)].compactMap(\.self).joined(separator: " "),
            "animal": join([localizer.name(item.listing.content), localizer.place(item.listing.location)]),
        ]
        return localizer(item.alert.subject.listing == nil ? "alertMail.subject" : "alertMail.matchSubject", blanks)
    }

    /// The breed, the street or landmark, and when the animal was seen, as far as they are known.
    fileprivate func summary(of item: NotificationMail.Item) -> String {
        let listing = item.listing
        return [
            localizer.breed(listing.content), listing.content.whereabouts,
            "\(localizer("alertMail.seen")): \(localizer.seen(listing))",
        ].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private func reason(for item: NotificationMail.Item) -> String {
        guard let probability = item.probability else {
            return item.alert.name.map { localizer("alertMail.becauseOf", ["alert": $0]) }
                ?? localizer("alertMail.because")
        }
        return localizer("alertMail.becauseMatch", ["probability": localizer.percentage(probability)])
    }
}

extension Pages {
    /// Returns the texts of a push message. Everybody who sees a locked screen can read them; all is public.
    package func pushText(_ mail: NotificationMail, _ language: Language) -> (title: String, body: String) {
        let builder = builder(language, origin: "")
        guard mail.count == 1, let item = mail.items.first else { return (builder.subject(of: mail), "") }
        return (builder.subject(of: item), builder.summary(of: item))
    }

    /// Returns the texts of an e-mail.
    ///
    /// - Parameters:
    ///   - origin: the scheme and host of the service.
    ///   - footer: what every mail ends with; the text part gets it from `MailTexts`.
    package func render(
        _ mail: NotificationMail,
        _ language: Language,
        origin: String,
        footer: String
    ) -> (subject: String, text: String, html: String) {
        let view = builder(language, origin: origin).mail(mail, footer: footer)
        let texts = MailView.templates.map { template in
            String(decoding: library.render(template, view, frame: frame(language)), as: UTF8.self)
        }
        return (view.title, texts[1], texts[0])
    }
}
