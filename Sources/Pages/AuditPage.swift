package import Domain
import Localization
package import Mustache

/// The audit of admins' actions, newest first.
package struct AuditPage: Page {
    package let template = "audit"
    package let section = PageSection.none
    let entries: [Audit.Entry]
    let action: Audit.Action?
    let actor: String
    let subject: String
    /// The path and query of the next page.
    let next: String?

    package init(_ entries: [Audit.Entry], action: Audit.Action?, actor: String, subject: String, next: String?) {
        self.entries = entries
        self.action = action
        self.actor = actor
        self.subject = subject
        self.next = next
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "title": compose.localizer("audit.title"),
            "entries": entries.map { entry in
                [
                    "number": String(entry.id), "at": entry.at,
                    "when": compose.localizer.moment(Timestamp(stored: entry.at)), "actor": entry.actor,
                    "what": compose.localizer("audit.\(entry.action)"), "subject": entry.subject ?? "",
                    "note": entry.note ?? "",
                ]
            },
            "hasEntries": !entries.isEmpty, "actions": compose.options(Audit.Action.self, "audit", selected: action),
            "actor": actor, "subject": subject, "next": next.map(compose.path) ?? "",
        ]
    }
}
