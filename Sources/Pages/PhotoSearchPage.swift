/// Search by photo.
package struct PhotoSearchPage: Page {
    package let template = "photo-search"
    package let section = PageSection.board
    /// The key of a text.
    let problem: String?

    package init(problem: String? = nil) {
        self.problem = problem
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        ["title": compose.wording("photo.title"), "problem": problem.map { compose.wording($0) } ?? ""]
    }
}
