package import Domain
import Localization
import Mustache

/// Asks for confirmation before a deletion.
package struct DeleteView: PageView {
    package static let template = "delete"
    let question, action, back: String
    let problem: String?
}

extension PageBuilder {
    /// - Parameter listing: the listing to delete; nil for the account with all its listings.
    package func delete(listing: Listing?, problem: ServiceError? = nil) -> DeleteView {
        let back = listing.map { listingPath($0.id) } ?? path("/account")
        let question = listing.map { localizer("delete.listing", ["name": localizer.name($0.content)]) }
        return DeleteView(
            question: question ?? localizer("delete.account"), action: back + "/delete", back: back,
            problem: problem.map(localizer.problem)
        )
    }
}
