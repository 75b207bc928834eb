package import Domain
package import Foundation
import Localization
package import Mustache

/// The queue of reported subjects for moderators.
package struct ModerationPage: Page {
    package let template = "moderation"
    package let section = PageSection.none
    let items: [Item]
    let status: Report.Status
    /// Whether the subjects with the most reports come first.
    let isByCount: Bool
    /// The path and query of the next page.
    let next: String?
    let problem: Problem?

    package enum Problem: String, Sendable {
        /// Another moderator has acted already.
        case conflict
        case gone
        case note
    }

    package init(_ items: [Item], status: Report.Status, isByCount: Bool, next: String?, problem: Problem? = nil) {
        self.items = items
        self.status = status
        self.isByCount = isByCount
        self.next = next
        self.problem = problem
    }

    /// A reported subject with its reports.
    package struct Item: Sendable {
        package var id: UUID
        package var subject: Report.Subject
        package var subjectID: UUID
        package var isOpen: Bool
        package var reports: Int
        package var reasons: [(reason: Report.Reason, reports: Int)]
        package var reportedAt: Timestamp
        package var texts: [(text: String, reason: Report.Reason, at: Timestamp)]
        package var account: UUID
        package var role: Account.Role
        package var ban: Ban?
        /// Whether the subject still exists.
        package var isThere: Bool
        /// The text of a reported message, or what a reported sighting says.
        package var message: String?
        /// That of a reported message or sighting.
        package var photo: StoredPhoto?
        /// The reported listing, or the listing of the reported photo.
        package var listing: Listing?

        package init(
            id: UUID,
            subject: Report.Subject,
            subjectID: UUID,
            isOpen: Bool,
            reports: Int,
            reasons: [(reason: Report.Reason, reports: Int)],
            reportedAt: Timestamp,
            texts: [(text: String, reason: Report.Reason, at: Timestamp)],
            account: UUID,
            role: Account.Role,
            ban: Ban?,
            isThere: Bool,
            message: String? = nil,
            photo: StoredPhoto? = nil,
            listing: Listing?
        ) {
            self.id = id
            self.subject = subject
            self.subjectID = subjectID
            self.isOpen = isOpen
            self.reports = reports
            self.reasons = reasons
            self.reportedAt = reportedAt
            self.texts = texts
            self.account = account
            self.role = role
            self.ban = ban
            self.isThere = isThere
            self.message = message
            self.photo = photo
            self.listing = listing
        }
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "title": localizer("moderation.title"), "items": items.map { $0.content(compose) },
            "status": status.rawValue, "sort": isByCount ? "-reports" : "reported_at", "isByCount": isByCount,
            "statuses": compose.options(Report.Status.self, "moderation", selected: status),
            "next": next.map(compose.path) ?? "",
            "problem": problem.map { localizer("moderation.problem.\($0.rawValue)") } ?? "",
        ]
    }
}

extension ModerationPage.Item {
    fileprivate func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let isOwnHiding = listing?.hiddenReason != nil
        var item: [String: any TemplateValue] = [
            "case": id.uuidString.lowercased(), "account": account.uuidString.lowercased(),
            "action": compose.path("/moderation/reports/\(id.uuidString.lowercased())"),
            "heading": localizer("moderation.\(subject.rawValue)"), "isOpen": isOpen,
            "count": reports == 1
                ? localizer("moderation.oneReport") : localizer("moderation.reports", ["n": String(reports)]),
            "reasonCounts": reasons.map { "\(localizer("reason.\($0.reason.rawValue)")) \($0.reports)" }
                .joined(separator: " · "),
            "since": reportedAt.text, "sinceAgo": localizer.ago(reportedAt),
            "texts": texts.map { text in
                [
                    "text": text.text, "reason": localizer("reason.\(text.reason.rawValue)"), "at": text.at.text,
                    "ago": localizer.ago(text.at),
                ]
            },
            "role": localizer("moderation.role.\(role.rawValue)"), "isBanned": ban != nil, "state": state(localizer),
            "canHide": listing != nil && !isOwnHiding, "canRestore": isOwnHiding,
            "canRemove": canBeRemoved,
            "removeLabel": localizer(subject == .sighting ? "moderation.removeSighting" : "moderation.remove"),
            "canBan": ban == nil && role != .admin,
            "reasons": compose.options(
                Report.Reason.self,
                "reason",
                selected: reasons.first?.reason,
                among: Report.Reason.ofModerators
            ),
        ]
        if let listing {
            item["listing"] = ListingCard(listing).content(compose)
            item["said"] = localizer.sentences(on: listing.content).sentences.shortened(to: 400)
        }
        if let message { item["said"] = message }
        if subject == .photo, isThere {
            item["reportedPhoto"] = compose.path("/photos/\(subjectID.uuidString.lowercased())-800.jpg")
            item["reportedAlt"] = localizer("listing.alt", ["name": listing.map { localizer.name($0.content) } ?? ""])
        }
        if let photo {
            item["reportedPhoto"] = compose.path(photo.medium)
            item["reportedAlt"] = localizer("\(subject.rawValue).photoAlt")
        }
        return item
    }

    private var canBeRemoved: Bool { [.photo, .sighting].contains(subject) && isThere || photo != nil }

    /// The actions that were taken so far.
    private func state(_ localizer: Localizer) -> String {
        var words: [String] = []
        if !isThere { words.append(localizer("moderation.gone")) }
        if let reason = listing?.hiddenReason {
            words.append(localizer("moderation.hidden", ["reason": localizer("reason.\(reason.rawValue)")]))
        }
        if let ban {
            let until = ban.until.map({ localizer.moment($0) }) ?? localizer("moderation.forGood")
            let reason = localizer("reason.\(ban.reason.rawValue)")
            words.append(localizer("moderation.banned", ["reason": reason, "until": until]))
        }
        return words.joined(separator: " · ")
    }
}
