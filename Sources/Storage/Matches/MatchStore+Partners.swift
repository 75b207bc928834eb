package import Domain
package import Foundation
import SQL

/// Another listing that an owner has said to be of the same animal.
package struct MatchPartner: Sendable {
    package let listing: Listing
    package let answers: MatchAnswers
}

/// A confirmed match between the two parties of a conversation.
package struct MatchMeeting: Equatable, Sendable {
    /// The listing of the reader.
    package let own: UUID
    package let other: UUID
}

extension MatchStore {
    /// The maximum number of partners of a listing.
    package static let maxPartners = 20
    /// Strangers can say yes with any number of listings, of which some are hidden or closed.
    private static let maxRead = 100

    /// Returns the listings of which an owner has said that they are of the same animal as one's own listing, and no owner
    /// the contrary: those of confirmed matches first, then those whose owners wait for an answer. Hidden listings,
    /// those of accounts that block each other, and closed ones are left out, unless their animal came home; and so are
    /// joined listings of the same side.
    package func findPartners(of listing: Listing) throws -> [MatchPartner] {
        try database.readNow { db in
            let told = try Self.answers(of: listing.key, db)
                .filter { Self.order[$0.value.state] != nil && !($0.value.isSameSide && $0.value.state == .agreed) }
                .sorted { (Self.order[$0.value.state] ?? 0, -$0.key) < (Self.order[$1.value.state] ?? 0, -$1.key) }
            var partners: [MatchPartner] = []
            for (key, answers) in told.prefix(Self.maxRead) {
                guard let other = try Listing.fetch(db, key: key), !other.hidden,
                    answers.linkedAt != nil || other.content.isOpen && listing.content.isOpen,
                    try !Self.areBlocked(listing.owner, other.owner, db)
                else { continue }
                partners.append(MatchPartner(listing: other, answers: answers))
                if partners.count == Self.maxPartners { break }
            }
            return partners
        }
    }

    private static let order: [MatchState: Int] = [.agreed: 0, .asked: 1, .home: 2, .waiting: 3]

    /// Returns what both owners have said of a pair of listings.
    package func findAnswers(of listing: Listing, other: Listing) throws -> MatchAnswers {
        try database.readNow { db in
            guard try !Self.areBlocked(listing.owner, other.owner, db) else {
                throw ServiceError(.notFound, "no such listing")
            }
            return try Self.answers(of: listing.key, db)[other.key] ?? MatchAnswers()
        }
    }

    /// Returns the confirmed match that a conversation is about; nil if there is none. A conversation that began from a sighting
    /// has none, because it would tell who its author is.
    package func findMeeting(in conversation: Conversation) throws -> MatchMeeting? {
        let pairs = [("lost", "found"), ("found", "lost")].map { subject, partner in
            """
            SELECT CASE WHEN own.is_owner THEN subject.uuid ELSE partner.uuid END AS mine,
                CASE WHEN own.is_owner THEN partner.uuid ELSE subject.uuid END AS theirs
            FROM conversation_party AS own CROSS JOIN conversation_party AS other
            CROSS JOIN match_answer CROSS JOIN listing AS subject CROSS JOIN listing AS partner
            WHERE own.conversation_id = ?1 AND own.is_owner = ?2
                AND other.conversation_id = own.conversation_id AND other.is_owner <> own.is_owner
                AND NOT same_side AND \(subject)_id = own.listing_id AND lost_answer = 'yes' AND found_answer = 'yes'
                AND subject.id = \(subject)_id AND partner.id = \(partner)_id
                AND partner.account_id = CASE WHEN own.is_owner THEN other.account_id ELSE own.account_id END
                AND NOT subject.hidden AND NOT partner.hidden
                AND NOT EXISTS (SELECT 1 FROM sighting WHERE sighting.uuid = ?3)
            """
        }
        return try database.readNow { db in
            try db.row(
                pairs.joined(separator: " UNION ALL ") + " LIMIT 1",
                [conversation.key, conversation.role == .owner, conversation.id]
            ) { row in MatchMeeting(own: try row["mine"], other: try row["theirs"]) }
        }
    }

    /// Tells the owners of the other listings of an animal that it is home, if the last change of its listing was that it
    /// became `reunited`. Returns the notices.
    package func tellHome(of listing: Listing, push: ChannelStore.Push?) async throws -> [Notice] {
        guard listing.content.status == .reunited else { return [] }
        return try await database.write { db in
            try Self.tellHome(of: listing, at: listing.updatedAt, push, db)
        }
    }
}
