package import Domain
import Foundation
import Localization
package import Mustache

/// A conversation about a listing, with the form to reply.
package struct ConversationPage: Page {
    package let template = "conversation"
    package let section = PageSection.inbox
    let conversation: Conversation
    /// The newest first.
    let messages: [Message]
    /// The path and query of the page with older messages.
    let older: String?
    let form: MessageForm
    /// The host of this service. Links to it cause no warning.
    let host: String

    package init(
        _ conversation: Conversation,
        _ messages: [Message],
        older: String?,
        _ form: MessageForm = MessageForm(),
        host: String
    ) {
        self.conversation = conversation
        self.messages = messages
        self.older = older
        self.form = form
        self.host = host
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let subject = conversation.subject
        let heading = localizer("inbox.about", ["name": conversation.name(localizer)])
        return [
            "title": heading, "heading": heading, "with": conversation.with(localizer), "warnings": compose.warnings,
            "listing": compose.path("/listings/\(subject.id.uuidString.lowercased())"),
            "own": compose.path("/inbox/\(conversation.id.uuidString.lowercased())"),
            "status": subject.status.rawValue, "statusLabel": localizer.status(subject.status),
            "messages": messages.reversed().map { $0.content(compose, conversation, host: host) },
            "older": older.map(compose.path) ?? "", "isHidden": subject.isHidden,
            "isBlocked": conversation.isBlocked, "canWrite": !subject.isHidden && !conversation.isBlocked,
        ].merging(form.content(asksForMark: subject.asksForMark, localizer)) { $1 }
    }
}

extension Message {
    fileprivate func content(
        _ compose: PageBuilder,
        _ conversation: Conversation,
        host: String
    ) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let warning = isMine ? nil : MessageWarning(in: content.text, host: host)
        return [
            "id": id.uuidString.lowercased(), "isMine": isMine, "text": content.text, "at": createdAt.text,
            "when": localizer.moment(createdAt),
            "from": isMine ? localizer("inbox.you") : content.contactName ?? conversation.with(localizer),
            "name": isMine ? content.contactName ?? "" : "",
            "phone": content.contactPhone ?? "",
            "call": "tel:" + (content.contactPhone ?? "").filter { $0.isNumber || $0 == "+" },
            "email": content.contactEmail ?? "",
            "mailto": "mailto:"
                + ((content.contactEmail ?? "").addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""),
            "messagePhoto": photo.map { [$0.content(compose, alt: localizer("message.photoAlt"))] } ?? [],
            "spot": content.point.map { [spot($0, localizer)] } ?? [], "mark": content.mark ?? "",
            "markIs": markMatches.map { localizer($0 ? "inbox.matches" : "inbox.differs") } ?? "",
            "warning": warning.map { localizer("warning.\($0.rawValue)") } ?? "",
            "report": isMine
                ? "" : compose.path("/report?subject=message&id=\(id.uuidString.lowercased())"),
        ]
    }

    /// The place of the message. It is in no address of this site, because proxies and servers log addresses.
    private func spot(_ point: Coordinate, _ localizer: Localizer) -> [String: any TemplateValue] {
        let (lon, lat) = (String(point.lon), String(point.lat))
        return [
            "spotLon": lon, "spotLat": lat, "geo": "geo:\(lat),\(lon)?q=\(lat),\(lon)",
            "label": localizer("message.placeLink", ["place": place ?? "\(lat), \(lon)"]),
        ]
    }
}
