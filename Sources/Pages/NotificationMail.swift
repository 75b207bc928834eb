package import Domain
import Localization
import Mustache

/// An e-mail or push message that tells a reader what alerts have found.
package struct NotificationMail: Sendable {
    package struct Item: Sendable {
        let listing: Listing
        let alert: Alert
        let probability: Double?
        /// In metres from the centre of the search; nil without a centre.
        let distance: Double?

        package init(_ listing: Listing, _ alert: Alert, probability: Double?, distance: Double?) {
            (self.listing, self.alert, self.probability, self.distance) = (listing, alert, probability, distance)
        }
    }

    let items: [Item]
    /// In a summary, the number of listings can be greater than that of the items.
    let count: Int
    let isSummary: Bool
    /// The path of the page that ends such mails.
    let unsubscribe: String
    let hasPicture: Bool

    package init(_ items: [Item], count: Int, isSummary: Bool, unsubscribe: String, hasPicture: Bool) {
        (self.items, self.count, self.isSummary) = (items, count, isSummary)
        (self.unsubscribe, self.hasPicture) = (unsubscribe, hasPicture)
    }

    func subject(_ localizer: Localizer) -> String {
        guard !isSummary || count == 1, let item = items.first else {
            return localizer("alertMail.summary", ["count": localizer.number(count)])
        }
        return item.subject(localizer)
    }

    func content(_ compose: PageBuilder, lang: Language) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let more = count - items.count
        return [
            "lang": lang.rawValue, "title": subject(localizer),
            "items": items.enumerated().map { $1.content(compose, hasPicture: hasPicture && $0 == 0) },
            "more": more > 0 ? localizer("alertMail.more", ["count": localizer.number(more)]) : "",
            "unsubscribe": compose.link(unsubscribe), "settings": compose.link("/my/alerts"),
            "isSummary": isSummary,
        ]
    }
}

extension NotificationMail.Item {
    fileprivate func subject(_ localizer: Localizer) -> String {
        let blanks: KeyValuePairs = [
            "status": localizer.status(listing.content.status), "place": localizer.place(listing.location),
            "name": localizer.name(listing.content),
        ]
        return localizer(alert.subject.listing == nil ? "alertMail.subject" : "alertMail.matchSubject", blanks)
    }

    fileprivate func content(_ compose: PageBuilder, hasPicture: Bool) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let card = ListingCard(listing, distance: distance)
        return [
            "headline": subject(localizer), "breed": localizer.breed(listing.content) ?? "",
            "where": card.distanceText(localizer), "isAway": distance != nil,
            "seen": localizer.moment(card.seenAt, at: listing.location),
            "link": compose.link("/listings/\(listing.id.uuidString.lowercased())"),
            "reason": reason(localizer), "hasPicture": hasPicture,
        ]
    }

    /// The breed, the distance, and when the animal was seen, as far as they are known.
    fileprivate func summary(_ localizer: Localizer) -> String {
        let card = ListingCard(listing, distance: distance)
        return [
            localizer.breed(listing.content) ?? "", card.distanceText(localizer),
            "\(localizer("alertMail.seen")): \(localizer.moment(card.seenAt, at: listing.location))",
        ].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private func reason(_ localizer: Localizer) -> String {
        guard let probability else {
            return alert.name.map { localizer("alertMail.becauseOf", ["alert": $0]) } ?? localizer("alertMail.because")
        }
        return localizer("alertMail.becauseMatch", ["probability": localizer.percentage(probability)])
    }
}

extension Pages {
    /// Returns the texts of a push message. Everybody who sees a locked screen can read them; all is public.
    package func pushText(_ mail: NotificationMail, _ language: Language) -> (title: String, body: String) {
        let localizer = localizer(language)
        guard mail.count == 1, let item = mail.items.first else { return (mail.subject(localizer), "") }
        return (item.subject(localizer), item.summary(localizer))
    }

    /// Returns the texts of an e-mail.
    ///
    /// - Parameter origin: the scheme and host of the service.
    package func render(
        _ mail: NotificationMail,
        _ language: Language,
        origin: String
    ) -> (subject: String, text: String, html: String) {
        let compose = PageBuilder(localizer: localizer(language), base: base, origin: origin)
        var content = mail.content(compose, lang: language)
        content["t"] = texts[language] ?? [:]
        content["siteName"] = siteName
        let html = String(decoding: library.render("mail-html", content), as: UTF8.self)
        let text = String(decoding: library.render("mail-text", content), as: UTF8.self)
        return (mail.subject(compose.localizer), text, html)
    }
}
