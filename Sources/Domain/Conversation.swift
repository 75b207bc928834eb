package import Foundation

/// A conversation between a person and the owner of a listing, as one of the two parties sees it.
package struct Conversation: Equatable, Sendable {
    package enum Role: String, CaseIterable, Sendable {
        /// Wrote the first message, about another account's listing.
        case writer
        /// Owns the listing.
        case owner
    }

    /// The listing that the conversation is about, with the fields that both parties may see.
    package struct Subject: Equatable, Sendable {
        package let id: UUID
        /// Nil if the listing has no name, or if a moderator has hidden it from this party.
        package let name: String?
        package let species: Species
        package let status: Listing.Status
        /// Whether a moderator has hidden the listing. The conversation then accepts no more messages.
        package let isHidden: Bool
        /// Whether the writer must still describe the mark that the owner keeps secret.
        package let asksForMark: Bool

        package init(
            id: UUID,
            name: String?,
            species: Species,
            status: Listing.Status,
            isHidden: Bool,
            asksForMark: Bool
        ) {
            (self.id, self.name, self.species) = (id, name, species)
            (self.status, self.isHidden, self.asksForMark) = (status, isHidden, asksForMark)
        }
    }

    /// The primary key in the database; never published.
    package let key: Int64
    package let id: UUID
    package let subject: Subject
    package let role: Role
    /// The name that the other party stated last; nil if they never stated one.
    package let correspondent: String?
    package let unread: Int
    /// Whether this party has blocked the other.
    package let isBlocked: Bool
    package let createdAt: Timestamp
    /// The last message that this party may see.
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
        (self.key, self.id, self.subject) = (key, id, subject)
        (self.role, self.correspondent, self.unread) = (role, correspondent, unread)
        (self.isBlocked, self.createdAt, self.last) = (isBlocked, createdAt, last)
    }
}
