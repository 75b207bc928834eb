package import Domain
import Localization
import Mustache

/// The audit of admins' actions, newest first.
package struct AuditView: PageView {
    package static let template = "audit"
    let entries: [EntryView]
    let actions: [OptionView]
    let actor, subject: String
    let next: String?

    struct EntryView: TemplateView {
        let number, at, when, actor, what: String
        let subject, note: String?
    }
}

extension PageBuilder {
    package func audit(
        _ entries: [Audit.Entry],
        action: Audit.Action?,
        actor: String,
        subject: String,
        next: String?
    ) -> AuditView {
        AuditView(
            entries: entries.map { entry in
                AuditView.EntryView(
                    number: String(entry.id), at: entry.at, when: localizer.moment(Timestamp(stored: entry.at)),
                    actor: entry.actor, what: localizer("audit.\(entry.action)"), subject: entry.subject,
                    note: entry.note
                )
            },
            actions: options(Audit.Action.allCases, "audit", selected: action?.rawValue),
            actor: actor,
            subject: subject,
            next: next.map(path)
        )
    }
}
