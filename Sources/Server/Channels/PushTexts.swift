import Domain
import Localization
import Storage

/// The notifications of new messages and sightings. They say nothing of their contents, because everybody who sees the
/// locked screen reads them.
struct PushTexts: Sendable {
    let localization: Localization

    func event(_ notice: Notice) -> OutgoingEvent {
        let kind = notice.kind.rawValue
        let tag = "\(kind)-\(notice.subject.lowercased)"
        let texts = Language.allCases.map { language in
            let localizer = localization.localizer(language)
            let name = localizer.mention(notice.animal)
            let text = PushText(
                title: localizer("push.\(notice.textKey)", ["name": name]),
                body: localizer("push.\(kind)Body"),
                path: notice.path,
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
