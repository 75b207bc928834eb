package import Domain
package import Foundation
import Localization
import Mustache
package import SearchText

/// The list of the user's conversations.
package struct InboxView: PageView {
    package static let template = "inbox"
    /// The names of the parameters.
    package static let names = ["q", "listing"]
    let heading: String
    let listing, listingID, next, problem: String?
    let search: SearchView
    let hasSearch, isSearched: Bool
    let sightings: [LinkView]
    let items: [ItemView]
    let warnings: [String]
    let blocks: [BlockView]

    struct ItemView: TemplateView {
        let href, about, status, statusLabel, with, unread, snippet, at, ago: String
        let isMine: Bool
    }

    struct BlockView: TemplateView {
        let about, ago, unblock: String
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - listing: the listing that all conversations are about; nil if the list is not restricted to one listing.
    ///   - values: the parameters.
    ///   - reading: how the text of a search was read.
    ///   - problem: the reason why nothing was searched.
    ///   - sightings: the user's listings with sightings to decide on.
    ///   - blocks: the user's blocks: the id, the name of the listing that the conversation was about, and the time.
    package func inbox(
        _ conversations: [Conversation],
        about listing: Listing? = nil,
        values: [String: String] = [:],
        reading: SearchReading? = nil,
        problem: ServiceError? = nil,
        sightings: [(listing: UUID, name: String?, species: Species, count: Int)] = [],
        blocks: [(id: UUID, about: String?, since: Timestamp)] = [],
        next: String?
    ) -> InboxView {
        InboxView(
            heading: listing.map { localizer("inbox.about", ["name": localizer.name($0.content)]) }
                ?? localizer("inbox.title"),
            listing: listing.map { listingPath($0.id) },
            listingID: values["listing"],
            next: next.map(path),
            problem: problem.map(localizer.problem),
            search: search(SearchResult(reading), "/inbox", values),
            hasSearch: conversations.count >= Self.minSearched || values["q"] != nil,
            isSearched: values["q"] != nil,
            sightings: sightings.map { waiting in
                let name = waiting.name ?? localizer("listing.unnamed.\(waiting.species.rawValue)")
                return LinkView(
                    name: localizer("sighting.waiting", count: waiting.count, ["name": name]),
                    href: listingPath(waiting.listing, "#sightings")
                )
            },
            items: conversations.map(item),
            warnings: warnings,
            blocks: blocks.map { block in
                InboxView.BlockView(
                    about: block.about ?? localizer("inbox.writer"), ago: localizer.ago(block.since),
                    unblock: path("/inbox/\(block.id.uuidString.lowercased())/unblock")
                )
            }
        )
    }

    /// The number of conversations from which on the inbox has a search field.
    private static let minSearched = 5

    private func item(_ conversation: Conversation) -> InboxView.ItemView {
        let (id, last) = (conversation.id.uuidString.lowercased(), conversation.last)
        return InboxView.ItemView(
            href: path("/inbox/\(id)#m-\(last.id.uuidString.lowercased())"), about: conversation.name(localizer),
            status: conversation.subject.status.rawValue, statusLabel: localizer.status(conversation.subject.status),
            with: conversation.with(localizer), unread: conversation.unread == 0 ? "" : String(conversation.unread),
            snippet: String(last.content.text.prefix(160)), at: last.createdAt.text,
            ago: localizer.ago(last.createdAt), isMine: last.isMine
        )
    }
}

extension Conversation {
    /// The name of the listing.
    func name(_ localizer: Localizer) -> String {
        subject.name ?? localizer("listing.unnamed.\(subject.species.rawValue)")
    }

    func with(_ localizer: Localizer) -> String {
        correspondent ?? localizer(role == .writer ? "inbox.owner" : "inbox.writer")
    }
}
