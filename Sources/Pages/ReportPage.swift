package import Domain
package import Foundation
import Localization
package import Mustache

/// The form to report something to moderators, or to appeal against the hiding of one's own listing.
package struct ReportPage: Page {
    package let template = "report"
    package let section = PageSection.none
    let subject: Report.Subject
    let id: UUID
    let isAppeal: Bool
    /// The reported listing; nil for other subjects.
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

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let heading = localizer(isAppeal ? "report.appeal" : "report.\(subject.rawValue)")
        return [
            "title": heading, "heading": heading, "isAppeal": isAppeal,
            "lead": localizer(isAppeal ? "report.appealLead" : "report.lead"),
            "subject": subject.rawValue, "id": id.uuidString.lowercased(),
            "name": listing.map { localizer.name($0.content) } ?? "", "text": typed["text"] ?? "",
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
            "longest": Report.MaxLength.text, "problem": problem.map { complaint($0, localizer) } ?? "",
        ]
    }

    private func complaint(_ problem: ServiceError, _ localizer: Localizer) -> String {
        problem.code == .conflict ? localizer("report.own") : localizer.problem(problem)
    }

    /// The photos of the listing with links to report each of them.
    private func photos(_ compose: PageBuilder) -> [[String: any TemplateValue]] {
        guard let listing, subject == .listing, !isAppeal else { return [] }
        let name = compose.localizer.name(listing.content)
        return listing.photos.map { photo in
            var content = photo.content(compose, name: name, of: 2)
            content["report"] = compose.path("/report?subject=photo&id=\(photo.id)")
            return content
        }
    }
}

extension ListingPhoto {
    /// The photo's id, taken from its URL.
    fileprivate var id: String { String((url.split(separator: "/").last ?? "").prefix(36)) }
}
