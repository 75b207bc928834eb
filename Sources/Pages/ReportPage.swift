package import Domain
package import Foundation
import Localization
import Mustache

/// The form to report something to moderators, or to appeal against the hiding of one's own listing.
package struct ReportView: PageView {
    package static let template = "report"
    let heading, lead, subject, id, back: String
    let name, text, photo, problem: String?
    let isAppeal: Bool
    let longest: Int
    let reasons: [OptionView]
    let photos: [ReportablePhotoView]

    /// A photo of the listing with a link to report only that.
    struct ReportablePhotoView: TemplateView {
        let report, thumbnail, alt: String
    }
}

extension PageBuilder {
    /// - Parameter listing: the reported listing; nil for other subjects.
    package func report(
        _ subject: Report.Subject,
        _ id: UUID,
        isAppeal: Bool,
        listing: Listing?,
        typed: [String: String] = [:],
        problem: ServiceError? = nil
    ) -> ReportView {
        let name = listing.map { localizer.name($0.content) }
        return ReportView(
            heading: localizer(isAppeal ? "report.appeal" : "report.\(subject.rawValue)"),
            lead: localizer(isAppeal ? "report.appealLead" : "report.lead"), subject: subject.rawValue,
            id: id.uuidString.lowercased(),
            back: listing.map { listingPath($0.id) } ?? path("/board"),
            name: name, text: typed["text"],
            photo: subject == .photo ? path("/photos/\(id.uuidString.lowercased())-320.jpg") : nil,
            problem: problem.map { $0.code == .conflict ? localizer("report.own") : localizer.problem($0) },
            isAppeal: isAppeal, longest: Report.MaxLength.text,
            reasons: options(Report.Reason.ofModerators, "reason", selected: typed["reason"]),
            photos: subject == .listing && !isAppeal ? listing.map(reportablePhotos(of:)) ?? [] : []
        )
    }

    private func reportablePhotos(of listing: Listing) -> [ReportView.ReportablePhotoView] {
        listing.photos.map { shown in
            let view = photo(shown, name: localizer.name(listing.content), of: 2)
            // A photo is named after its id.
            let id = (shown.url.split(separator: "/").last ?? "").prefix(36)
            return ReportView.ReportablePhotoView(
                report: path("/report?subject=photo&id=\(id)"), thumbnail: view.thumbnail, alt: view.alt
            )
        }
    }
}
