package import Domain
package import Foundation
import Localization
import Mustache
package import SearchText

/// The queue of reported subjects for moderators.
package struct ModerationView: PageView {
    package static let template = "moderation"
    let isByCount: Bool
    let search: SearchView
    let statuses: [OptionView]
    let next, setup, problem: String?
    let nothing: String
    let items: [ReportedView]

    package enum Problem: String, Sendable {
        /// Another moderator has acted already.
        case conflict
        case gone
        case note
    }
}

/// A reported subject with its reports.
package struct ReportedView: TemplateView {
    let id, action, heading, count, reasonCounts, since, sinceAgo, role, account, state, removeLabel: String
    let said, copies, photo, photoAlt: String?
    /// The values of the filters, which the form sends back.
    let status, sort: String
    let text: String?
    let texts: [TextView]
    let reasons: [OptionView]
    let isOpen, isBanned, canHide, canRestore, canRemove, canBan: Bool
    let listing: CardView?
    /// The listings of other accounts that have a copy of the reported photo.
    let photoCopies: [CardView]

    struct TextView: TemplateView {
        let text, reason, at, ago: String
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - values: the parameters.
    ///   - reading: how the text of a search was read.
    ///   - isByCount: whether the subjects with the most reports come first.
    ///   - hasNoHelp: whether the map has no vets and shops, which the reader can import.
    ///   - searchProblem: the reason why nothing was searched.
    package func moderation(
        _ items: [ReportedView],
        values: [String: String],
        reading: SearchReading? = nil,
        status: Report.Status,
        isByCount: Bool,
        next: String?,
        hasNoHelp: Bool = false,
        problem: ModerationView.Problem? = nil,
        searchProblem: ServiceError? = nil
    ) -> ModerationView {
        ModerationView(
            isByCount: isByCount, search: search(SearchResult(reading), "/moderation", values),
            statuses: options(Report.Status.allCases, "moderation", selected: status.rawValue),
            next: next.map(path),
            setup: hasNoHelp ? localizer("moderation.setup") : nil,
            problem: problem.map { localizer("moderation.problem.\($0.rawValue)") }
                ?? searchProblem.map(localizer.problem),
            nothing: localizer(values["q"] == nil ? "moderation.nothing" : "moderation.noMatch"),
            items: items
        )
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - isThere: whether the subject still exists.
    ///   - message: the text of a reported message, or what a reported sighting says.
    ///   - copies: how many other people got the words of a reported message, among how many messages.
    ///   - photoCopies: the listings of other accounts that have a copy of a reported photo.
    ///   - photo: that of a reported message or sighting.
    ///   - listing: the reported listing, or the listing of the reported photo.
    ///   - status: that of the reports that are shown.
    ///   - sort: the order of the reports that are shown.
    ///   - text: the search by which they are shown.
    package func reported(
        id: UUID,
        _ subject: Report.Subject,
        _ subjectID: UUID,
        isOpen: Bool,
        reports: Int,
        reasons: [(reason: Report.Reason, reports: Int)],
        reportedAt: Timestamp,
        texts: [(text: String, reason: Report.Reason, at: Timestamp)],
        account: UUID,
        role: Account.Role,
        ban: Ban?,
        isThere: Bool,
        message: String?,
        copies: (count: Int, compared: Int)?,
        photoCopies: [Listing],
        photo: StoredPhoto?,
        listing: Listing?,
        status: Report.Status,
        sort: String,
        text: String?
    ) -> ReportedView {
        let isOwnHiding = listing?.hiddenReason != nil
        let shown = shownPhoto(subject, subjectID, isThere: isThere, photo, listing)
        return ReportedView(
            id: id.uuidString.lowercased(), action: path("/moderation/reports/\(id.uuidString.lowercased())"),
            heading: localizer("moderation.\(subject.rawValue)"),
            count: localizer("moderation.reports", count: reports),
            reasonCounts: reasons.map { "\(localizer("reason.\($0.reason.rawValue)")) \($0.reports)" }
                .joined(separator: " · "),
            since: reportedAt.text, sinceAgo: localizer.ago(reportedAt),
            role: localizer("moderation.role.\(role.rawValue)"), account: account.uuidString.lowercased(),
            state: state(isThere: isThere, hidden: listing?.hiddenReason, ban),
            removeLabel: localizer(subject == .sighting ? "moderation.removeSighting" : "moderation.remove"),
            said: message ?? listing.map { localizer.sentences(on: $0.content).sentences.shortened(to: 400) },
            copies: copies.flatMap(copiesText), photo: shown?.address, photoAlt: shown?.alt, status: status.rawValue,
            sort: sort, text: text,
            texts: texts.map { text in
                ReportedView.TextView(
                    text: text.text, reason: localizer("reason.\(text.reason.rawValue)"), at: text.at.text,
                    ago: localizer.ago(text.at)
                )
            },
            reasons: options(Report.Reason.ofModerators, "reason", selected: reasons.first?.reason.rawValue),
            isOpen: isOpen,
            isBanned: ban != nil,
            canHide: listing != nil && !isOwnHiding,
            canRestore: isOwnHiding,
            canRemove: [.photo, .sighting].contains(subject) && isThere || photo != nil,
            canBan: ban == nil && role != .admin,
            listing: listing.map { card(.init($0)) },
            photoCopies: photoCopies.map { card(.init($0)) }
        )
    }

    private func copiesText(_ copies: (count: Int, compared: Int)) -> String? {
        guard copies.count > 0 else { return nil }
        return localizer("moderation.copies", count: copies.count, ["of": localizer.number(copies.compared)])
    }

    private func shownPhoto(
        _ subject: Report.Subject,
        _ id: UUID,
        isThere: Bool,
        _ photo: StoredPhoto?,
        _ listing: Listing?
    ) -> (address: String, alt: String)? {
        if let photo { return (path(photo.medium), localizer("\(subject.rawValue).photoAlt")) }
        guard subject == .photo, isThere else { return nil }
        let name = listing.map { localizer.name($0.content) } ?? ""
        return (path("/photos/\(id.uuidString.lowercased())-800.jpg"), localizer("listing.alt", ["name": name]))
    }

    /// The actions that were taken so far.
    private func state(isThere: Bool, hidden: Report.Reason?, _ ban: Ban?) -> String {
        var words: [String] = []
        if !isThere { words.append(localizer("moderation.gone")) }
        if let hidden {
            words.append(localizer("moderation.hidden", ["reason": localizer("reason.\(hidden.rawValue)")]))
        }
        if let ban {
            let until = ban.until.map({ localizer.moment($0) }) ?? localizer("moderation.forGood")
            let reason = localizer("reason.\(ban.reason.rawValue)")
            words.append(localizer("moderation.banned", ["reason": reason, "until": until]))
        }
        return words.joined(separator: " · ")
    }
}
