package import Domain
package import Foundation

/// The form that tells moderators of something, or asks them to look at one's own listing again.
package struct ReportPage: Page {
    package let template = "report"
    package let section = PageSection.none
    let subject: Report.Subject
    let id: UUID
    let isAppeal: Bool
    /// Where it is about one.
    let listing: Listing?
    let typed: [String: String]
    let problem: ServiceError?

    package init(
        _ subject: Report.Subject,
        _ id: UUID,
        isAppeal: Bool,
        listing: Listing?,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) {
        self.subject = subject
        self.id = id
        self.isAppeal = isAppeal
        self.listing = listing
        self.typed = typed
        self.problem = problem
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        let heading = wording(isAppeal ? "report.appeal" : "report.\(subject.rawValue)")
        return [
            "title": heading, "heading": heading, "isAppeal": isAppeal,
            "lead": wording(isAppeal ? "report.appealLead" : "report.lead"),
            "subject": subject.rawValue, "id": id.uuidString.lowercased(),
            "name": listing.map { wording.name($0.content) } ?? "", "text": typed["text"] ?? "",
            "back": listing.map { compose.path("/listings/\($0.id.uuidString.lowercased())") }
                ?? compose.path("/board"),
            "photo": subject == .photo ? compose.path("/photos/\(id.uuidString.lowercased())-320.jpg") : "",
            "photos": photos(compose), "hasPhotos": !photos(compose).isEmpty,
            "reasons": compose.options(
                Report.Reason.self,
                "reason",
                selected: typed["reason"].flatMap(Report.Reason.init),
                among: Report.Reason.ofModerators
            ),
            "longest": Report.Longest.text, "problem": problem.map { complaint($0, wording) } ?? "",
        ]
    }

    private func complaint(_ problem: ServiceError, _ wording: Wording) -> String {
        problem.code == .conflict ? wording("report.own") : wording.problem(problem)
    }

    /// Each may be reported by itself.
    private func photos(_ compose: Composer) -> [[String: any Sendable]] {
        guard let listing, subject == .listing, !isAppeal else { return [] }
        let name = compose.wording.name(listing.content)
        return listing.photos.map { photo in
            var content = photo.content(compose, name: name, of: 2)
            content["report"] = compose.path("/report?subject=photo&id=\(photo.id)")
            return content
        }
    }
}

extension ListingPhoto {
    /// As its addresses name it.
    fileprivate var id: String { String((url.split(separator: "/").last ?? "").prefix(36)) }
}
