import Domain
import Localization
package import Mustache

/// Asks a moderator for confirmation before an action that others notice.
package struct ModerationConfirmationPage: Page {
    package enum Action: String, Sendable {
        case hide, remove, ban
    }

    package let template = "moderation-confirmation"
    package let section = PageSection.none
    let action: Action
    let report: ModerationPage.Item
    /// The fields of the form, which are sent again with the confirmation.
    let fields: [String: String]

    package init(_ action: Action, on report: ModerationPage.Item, fields: [String: String]) {
        self.action = action
        self.report = report
        self.fields = fields
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let reason = fields["reason"].flatMap(Report.Reason.init).map { localizer("reason.\($0.rawValue)") } ?? ""
        let days = fields["days"] ?? ""
        // A sighting and a photo are removed in the same way.
        let key = action == .remove && report.subject == .sighting ? "removeSighting" : action.rawValue
        let query = BoardFilters.query(fields.filter { ["status", "sort"].contains($0.key) })
        return [
            "title": localizer("moderation.confirmTitle"),
            "question": localizer(
                "moderation.confirm.\(key)",
                [
                    "name": report.listing.map { localizer.name($0.content) } ?? "", "reason": reason,
                    "days": localizer(days.isEmpty ? "moderation.forGood" : "moderation.days\(days)"),
                ]
            ),
            "action": compose.path("/moderation/reports/\(report.id.uuidString.lowercased())"),
            "back": compose.path("/moderation" + query), "button": localizer("moderation.\(key)"),
            "fields": fields.sorted { $0.key < $1.key }.map { ["name": $0.key, "value": $0.value] },
        ]
    }
}
