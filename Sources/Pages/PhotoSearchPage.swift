import Domain
package import Mustache

/// The form to search by photo.
package struct PhotoSearchPage: Page {
    package let template = "photo-search"
    package let section = PageSection.board
    /// The values that were entered, if the form is shown again.
    let typed: [String: String]
    /// The key of the text of an error message.
    let problem: String?

    /// The statuses among which a visitor searches. Visitors who found an animal search the lost ones.
    package static let lost = Listing.Status.lost.rawValue
    package static let foundOrSighted = [Listing.Status.found, .sighted].map(\.rawValue).joined(separator: ",")

    package init(typed: [String: String] = [:], problem: String? = nil) {
        self.typed = typed
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        [
            "title": compose.localizer("photo.title"), "problem": problem.map { compose.localizer($0) } ?? "",
            "f": typed.templateValues, "lost": Self.lost, "foundOrSighted": Self.foundOrSighted,
            "hasLost": typed["status"] == Self.foundOrSighted,
        ]
    }
}
