package import Mustache

/// The form to search by photo.
package struct PhotoSearchPage: Page {
    package let template = "photo-search"
    package let section = PageSection.board
    /// The key of the text of an error message.
    let problem: String?

    package init(problem: String? = nil) {
        self.problem = problem
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        ["title": compose.localizer("photo.title"), "problem": problem.map { compose.localizer($0) } ?? ""]
    }
}
