import Domain
import Localization
import Storage

/// The notifications of new messages and sightings. They say nothing of their contents, because everybody who sees the
/// locked screen reads them.
struct PushTexts: Sendable {
    let localization: Localization

    func event(_ notice: MessageNotice) -> OutgoingEvent {
        event("message", notice.conversation.lowercased, notice.name, "/inbox/\(notice.conversation.lowercased)")
    }

    func event(_ notice: SightingNotice) -> OutgoingEvent {
        event("sighting", notice.listing.lowercased, notice.name, "/listings/\(notice.listing.lowercased)#sightings")
    }

    private func event(_ kind: String, _ id: String, _ name: String?, _ path: String) -> OutgoingEvent {
        let tag = "\(kind)-\(id)"
        let texts = Language.allCases.map { language in
            let localizer = localization.localizer(language)
            let name = name ?? localizer("mail.unnamed")
            let text = PushText(
                title: localizer("push.\(kind)", ["name": name]),
                body: localizer("push.\(kind)Body"),
                path: path,
                tag: tag
            )
            return (language, text)
        }
        return OutgoingEvent(
            type: "\(kind).new",
            key: tag,
            data: [:],
            push: Dictionary(uniqueKeysWithValues: texts),
            urgency: .high
        )
    }
}
