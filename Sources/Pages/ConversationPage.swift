package import Domain
package import Foundation
import Localization
import MessageWarnings
import Mustache

/// A conversation about a listing, with the form to reply.
package struct ConversationView: PageView {
    package static let template = "conversation"
    let heading, with, listing, own, status, statusLabel: String
    let older: String?
    /// The page of the match that both parties have confirmed.
    let meeting: LinkView?
    let warnings: [String]
    let messages: [LetterView]
    let isHidden, isBlocked, canWrite: Bool
    let form: MessageFormView

    struct LetterView: TemplateView {
        let id, text, at, when, from: String
        let name, phone, call, email, mailto, mark, markIs, report: String?
        let warning: WarningView?
        let isMine: Bool
        let photo: PhotoView?
        let spot: SpotView?
    }

    struct WarningView: TemplateView {
        let text, message: String
        /// Where the form is sent that reports the message and blocks its sender; nil if the reader has blocked them.
        let report: String?
    }

    struct SpotView: TemplateView {
        let lon, lat, geo, label: String
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - messages: the newest first.
    ///   - older: the path and query of the page with older messages.
    ///   - meeting: the match that both parties have confirmed.
    ///   - host: the host of this service. Links to it cause no warning.
    package func conversation(
        _ conversation: Conversation,
        _ messages: [Message],
        older: String?,
        meeting: (own: UUID, other: UUID)? = nil,
        _ form: MessageForm = MessageForm(),
        host: String
    ) -> ConversationView {
        let subject = conversation.subject
        return ConversationView(
            heading: localizer("inbox.about", ["name": conversation.name(localizer)]),
            with: conversation.with(localizer), listing: listingPath(subject.id),
            own: path("/inbox/\(conversation.id.uuidString.lowercased())"), status: subject.status.rawValue,
            statusLabel: localizer.status(subject.status), older: older.map(path),
            meeting: meeting.map { meeting in
                let other = "/matches/\(meeting.other.uuidString.lowercased())"
                return LinkView(name: localizer("meeting.link"), href: listingPath(meeting.own, other))
            },
            warnings: warnings,
            messages: messages.reversed().map { letter($0, conversation, host: host) },
            isHidden: subject.isHidden, isBlocked: conversation.isBlocked,
            canWrite: !subject.isHidden && !conversation.isBlocked,
            form: messageForm(form, asksForMark: subject.asksForMark)
        )
    }

    private func letter(_ message: Message, _ conversation: Conversation, host: String) -> ConversationView.LetterView {
        let (content, isMine, id) = (message.content, message.isMine, message.id.uuidString.lowercased())
        let telephone = content.contactPhone.map { TelephoneView($0, in: message.country) }
        return ConversationView.LetterView(
            id: id, text: content.text, at: message.createdAt.text, when: localizer.moment(message.createdAt),
            from: isMine ? localizer("inbox.you") : content.contactName ?? conversation.with(localizer),
            name: isMine ? content.contactName : nil, phone: telephone?.text,
            call: telephone?.link, email: content.contactEmail,
            mailto: content.contactEmail.map { "mailto:" + $0.pathEncoded },
            mark: content.mark,
            markIs: message.markMatches.map { localizer($0 ? "inbox.matches" : "inbox.differs") },
            report: isMine ? nil : path("/report?subject=message&id=\(id)"),
            warning: isMine
                ? nil : MessageWarning(in: content.text, host: host).map { warning($0, about: id, conversation) },
            isMine: isMine,
            photo: message.photo.map { photo($0, alt: "message.photoAlt") },
            spot: content.point.map { spot($0, message.place) }
        )
    }

    private func warning(
        _ warning: MessageWarning,
        about message: String,
        _ conversation: Conversation
    ) -> ConversationView.WarningView {
        ConversationView.WarningView(
            text: localizer("warning.\(warning.rawValue)"), message: message,
            report: conversation.isBlocked ? nil : path("/inbox/\(conversation.id.uuidString.lowercased())/report")
        )
    }

    /// The place of a message. It is in no address of this site, because proxies and servers log addresses.
    private func spot(_ point: Coordinate, _ place: String?) -> ConversationView.SpotView {
        let (lon, lat) = (String(point.lon), String(point.lat))
        return ConversationView.SpotView(
            lon: lon, lat: lat, geo: "geo:\(lat),\(lon)?q=\(lat),\(lon)",
            label: localizer("message.placeLink", ["place": place ?? "\(lat), \(lon)"])
        )
    }
}

extension String {
    /// The text as part of a path.
    var pathEncoded: String { addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "" }
}
