package import Domain
package import Foundation

/// One's conversations.
package struct InboxPage: Page {
    package let template = "inbox"
    package let section = PageSection.inbox
    let conversations: [Conversation]
    /// The one that all of them are about; nil for those about any.
    let listing: Listing?
    /// Whom one has blocked: for each an id, the name of the listing that it was about, and when.
    let blocks: [(id: UUID, about: String?, since: Timestamp)]
    /// The path and query of the next page.
    let next: String?

    package init(
        _ conversations: [Conversation],
        about listing: Listing? = nil,
        blocks: [(id: UUID, about: String?, since: Timestamp)] = [],
        next: String?
    ) {
        self.conversations = conversations
        self.listing = listing
        self.blocks = blocks
        self.next = next
    }

    package func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        let heading =
            listing.map { wording("inbox.about", ["name": wording.name($0.content)]) } ?? wording("inbox.title")
        return [
            "title": heading, "heading": heading, "items": conversations.map { $0.content(compose) },
            "hasItems": !conversations.isEmpty, "hasBlocks": !blocks.isEmpty,
            "blocks": blocks.map { block in
                [
                    "about": block.about ?? wording("inbox.writer"), "ago": wording.ago(block.since),
                    "unblock": compose.path("/inbox/\(block.id.uuidString.lowercased())/unblock"),
                ]
            }, "next": next.map(compose.path) ?? "", "warnings": compose.warnings,
            "listing": listing.map { compose.path("/listings/\($0.id.uuidString.lowercased())") } ?? "",
        ]
    }
}

extension Conversation {
    func content(_ compose: Composer) -> [String: any Sendable] {
        let wording = compose.wording
        return [
            "href": compose.path("/inbox/\(id.uuidString.lowercased())#m-\(last.id.uuidString.lowercased())"),
            "about": name(wording),
            "status": subject.status.rawValue, "statusLabel": wording.status(subject.status), "with": with(wording),
            "unreadCount": unread == 0 ? "" : String(unread), "isMine": last.isMine,
            "snippet": String(last.content.text.prefix(160)), "at": last.createdAt.text,
            "ago": wording.ago(last.createdAt),
        ]
    }

    /// Of the listing.
    func name(_ wording: Wording) -> String {
        subject.name ?? wording("listing.unnamed.\(subject.species.rawValue)")
    }

    func with(_ wording: Wording) -> String {
        correspondent ?? wording(role == .writer ? "inbox.owner" : "inbox.writer")
    }
}
