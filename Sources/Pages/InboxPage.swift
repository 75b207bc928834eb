package import Domain
package import Foundation
import Localization
package import Mustache

/// The list of the user's conversations.
package struct InboxPage: Page {
    package let template = "inbox"
    package let section = PageSection.inbox
    let conversations: [Conversation]
    /// The listing that all conversations are about; nil if the list is not restricted to one listing.
    let listing: Listing?
    /// The user's listings with sightings to decide on.
    let sightings: [(listing: UUID, name: String?, species: Species, count: Int)]
    /// The user's blocks: the id, the name of the listing that the conversation was about, and the time.
    let blocks: [(id: UUID, about: String?, since: Timestamp)]
    /// The path and query of the next page.
    let next: String?

    package init(
        _ conversations: [Conversation],
        about listing: Listing? = nil,
        sightings: [(listing: UUID, name: String?, species: Species, count: Int)] = [],
        blocks: [(id: UUID, about: String?, since: Timestamp)] = [],
        next: String?
    ) {
        self.conversations = conversations
        self.listing = listing
        self.sightings = sightings
        self.blocks = blocks
        self.next = next
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let heading =
            listing.map { localizer("inbox.about", ["name": localizer.name($0.content)]) } ?? localizer("inbox.title")
        return [
            "title": heading, "heading": heading, "items": conversations.map { $0.content(compose) },
            "sightings": sightings.map { waiting -> [String: any TemplateValue] in
                let name = waiting.name ?? localizer("listing.unnamed.\(waiting.species.rawValue)")
                let key = waiting.count == 1 ? "sighting.oneWaiting" : "sighting.waiting"
                return [
                    "href": compose.path("/listings/\(waiting.listing.uuidString.lowercased())#sightings"),
                    "label": localizer(key, ["n": String(waiting.count), "name": name]),
                ]
            },
            "hasItems": !conversations.isEmpty, "hasBlocks": !blocks.isEmpty,
            "blocks": blocks.map { block in
                [
                    "about": block.about ?? localizer("inbox.writer"), "ago": localizer.ago(block.since),
                    "unblock": compose.path("/inbox/\(block.id.uuidString.lowercased())/unblock"),
                ]
            }, "next": next.map(compose.path) ?? "", "warnings": compose.warnings,
            "listing": listing.map { compose.path("/listings/\($0.id.uuidString.lowercased())") } ?? "",
        ]
    }
}

extension Conversation {
    func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        return [
            "href": compose.path("/inbox/\(id.uuidString.lowercased())#m-\(last.id.uuidString.lowercased())"),
            "about": name(localizer),
            "status": subject.status.rawValue, "statusLabel": localizer.status(subject.status), "with": with(localizer),
            "unreadCount": unread == 0 ? "" : String(unread), "isMine": last.isMine,
            "snippet": String(last.content.text.prefix(160)), "at": last.createdAt.text,
            "ago": localizer.ago(last.createdAt),
        ]
    }

    /// The name of the listing.
    func name(_ localizer: Localizer) -> String {
        subject.name ?? localizer("listing.unnamed.\(subject.species.rawValue)")
    }

    func with(_ localizer: Localizer) -> String {
        correspondent ?? localizer(role == .writer ? "inbox.owner" : "inbox.writer")
    }
}
