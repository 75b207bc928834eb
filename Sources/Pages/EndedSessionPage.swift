import Localization
import Mustache

/// A form that was sent after the session had ended, to be sent again.
package struct EndedSessionView: PageView {
    package static let template = "ended-session"
    let action, account: String
    let photosNote: String?
    let texts, hidden: [FieldView]

    struct FieldView: TemplateView {
        let name, value: String
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - fields: of the form. Passwords and codes are left out.
    ///   - action: the path to which it was sent, without that of the base URL.
    ///   - hasPhotos: whether it had photos, which have to be chosen again.
    package func endedSession(_ fields: [String: String], action: String, hasPhotos: Bool) -> EndedSessionView {
        let kept = fields.filter { name, _ in !["password", "code"].contains { name.contains($0) } }
            .sorted { $0.key < $1.key }
            .map { EndedSessionView.FieldView(name: $0.key, value: $0.value) }
        let isText = { (field: EndedSessionView.FieldView) in EndedSessionView.texts.contains(field.name) }
        return EndedSessionView(
            // A path that begins with two slashes would be interpreted as a host name.
            action: path("/" + action.drop { $0 == "/" }), account: path("/account"),
            photosNote: hasPhotos ? localizer("ended.photos") : nil,
            texts: kept.filter(isText), hidden: kept.filter { !isText($0) }
        )
    }
}

extension EndedSessionView {
    /// The fields that people write in their own words.
    fileprivate static let texts: Set<String> = ["text", "description"]
}
