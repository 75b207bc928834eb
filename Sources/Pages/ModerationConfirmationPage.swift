package import Domain
package import Foundation
import Localization
import Mustache

/// Asks a moderator for confirmation before an action that others notice.
package struct ModerationConfirmationView: PageView {
    package static let template = "moderation-confirmation"
    let question, action, back, button: String
    /// The fields of the form, which are sent again with the confirmation.
    let fields: [FieldView]

    package enum Action: String, Sendable {
        case hide, remove, ban
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - report: the id of the report.
    ///   - listing: the reported listing, or the listing of the reported photo.
    package func moderationConfirmation(
        _ action: ModerationConfirmationView.Action,
        of subject: Report.Subject,
        listing: Listing?,
        report: UUID,
        fields: [String: String]
    ) -> ModerationConfirmationView {
        let reason = fields["reason"].flatMap(Report.Reason.init).map { localizer("reason.\($0.rawValue)") } ?? ""
        let days = fields["days"] ?? ""
        // A sighting and a photo are removed in the same way.
        let key = action == .remove && subject == .sighting ? "removeSighting" : action.rawValue
        let query = BoardFilters.query(fields.filter { ["status", "sort"].contains($0.key) })
        return ModerationConfirmationView(
            question: localizer(
                "moderation.confirm.\(key)",
                [
                    "name": listing.map { localizer.name($0.content) } ?? "", "reason": reason,
                    "days": localizer(days.isEmpty ? "moderation.forGood" : "moderation.days\(days)"),
                ]
            ),
            action: path("/moderation/reports/\(report.uuidString.lowercased())"), back: path("/moderation" + query),
            button: localizer("moderation.\(key)"), fields: fields.fieldViews
        )
    }
}
