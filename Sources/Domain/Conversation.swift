package import Foundation

/// Somebody who writes about a listing and its owner, as one of the two sees it.
package struct Conversation: Equatable, Sendable {
    package enum Role: String, CaseIterable, Sendable {
        /// Wrote first, about a listing of somebody else.
        case writer
        /// Of the listing.
        case owner
    }

    /// The listing that it is about, as far as both may know it.
    package struct Subject: Equatable, Sendable {
        package let id: UUID
        /// Nil where it has none, or a moderator hid it from the one who looks.
        package let name: String?
        package let species: Species
        package let status: Listing.Status
        /// Taken off the board by a moderator: nothing more is written about it.
        package let isHidden: Bool
        /// Whether the writer still has to say the mark that the owner keeps secret.
        package let asksForMark: Bool

        package init(
            id: UUID,
            name: String?,
            species: Species,
            status: Listing.Status,
            isHidden: Bool,
            asksForMark: Bool
        ) {
            self.id = id
            self.name = name
            self.species = species
            self.status = status
            self.isHidden = isHidden
            self.asksForMark = asksForMark
        }
    }

    /// The database's own key; never shown.
    package let key: Int64
    package let id: UUID
    package let subject: Subject
    package let role: Role
    /// As the other one called themselves last; nil where they never did.
    package let correspondent: String?
    package let unread: Int
    /// Whether whoever looks wants no more messages of the other one.
    package let isBlocked: Bool
    package let createdAt: Timestamp
    /// The last one that whoever looks may see.
    package let last: Message

    package init(
        key: Int64,
        id: UUID,
        subject: Subject,
        role: Role,
        correspondent: String?,
        unread: Int,
        isBlocked: Bool,
        createdAt: Timestamp,
        last: Message
    ) {
        self.key = key
        self.id = id
        self.subject = subject
        self.role = role
        self.correspondent = correspondent
        self.unread = unread
        self.isBlocked = isBlocked
        self.createdAt = createdAt
        self.last = last
    }
}
