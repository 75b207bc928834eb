package import Domain
import Foundation
import SQL

/// A change that an owner has made at a possible match.
package struct AnsweredMatch: Sendable {
    package let answers: MatchAnswers
    /// For the other owners.
    package var notices: [Notice] = []
}

extension MatchStore {
    /// The most matches of one listing that wait for the answers of other owners: an animal is one of them, and each tells
    /// somebody.
    package static let maxWaiting = 10

    /// Stores the answer of the owner of `listing`; nil withdraws it. Both listings stay open until one of the owners says
    /// that the animal is home. Listings of the same side are joined when both owners have said yes, and parted by another
    /// answer. Another answer than yes undoes a reunion of less than a day.
    ///
    /// Throws `notFound` if one owner blocks the other, and `conflict` if the two listings cannot be of one animal, if too
    /// many answers wait, if the animal came home earlier, or if another owner has said that there are two animals.
    ///
    /// - Parameters:
    ///   - member: who answers for an organisation.
    ///   - push: makes the notification for the browsers of the other owner.
    package func answer(
        _ answer: MatchAnswer?,
        for listing: Listing,
        other: Listing,
        by member: Account? = nil,
        push: ChannelStore.Push? = nil
    ) async throws -> AnsweredMatch {
        let now = Timestamp.now
        return try await change(listing, other) { pair, db in
            let former = try Self.answers(of: listing.key, db)[other.key] ?? MatchAnswers()
            if answer != .yes, former.linkedAt != nil { try Self.undo(pair, listing, at: now, db) }
            if answer == .yes, former.own != .yes, former.other == nil { try Self.checkWaiting(pair, db) }
            try Self.write(answer, pair, now, db)
            if answer != former.own { try OrganisationActionLog.record(answer.action, listing, by: member, db) }
            if pair.isSameSide { try Self.follow(answer, listing, other, at: now, db) }
            let answers = try Self.answers(of: listing.key, db)[other.key] ?? MatchAnswers()
            guard former.own != .yes, listing.owner != other.owner, let kind = answers.told else {
                return AnsweredMatch(answers: answers)
            }
            let notice = try Self.tell(kind, other, of: listing, push, db)
            return AnsweredMatch(answers: answers, notices: [notice].compactMap(\.self))
        }
    }

    /// Says for the owner of `listing` that the animal of a confirmed match is home, so that both listings become
    /// `reunited`; or undoes that for a day.
    ///
    /// Throws `notFound` if one owner blocks the other, and `conflict` if not both owners have said yes, or if the animal
    /// came home earlier.
    ///
    /// - Parameters:
    ///   - member: who says it for an organisation.
    ///   - push: makes the notifications for the browsers of the other owners.
    package func setHome(
        _ isHome: Bool,
        _ listing: Listing,
        other: Listing,
        by member: Account? = nil,
        push: ChannelStore.Push? = nil
    ) async throws -> AnsweredMatch {
        let now = Timestamp.now
        return try await change(listing, other) { pair, db in
            let answers = try Self.answers(of: listing.key, db)[other.key] ?? MatchAnswers()
            guard answers.own == .yes, answers.other == .yes, !pair.isSameSide else {
                throw ServiceError(
                    .conflict,
                    "expected a match of a lost with a found or sighted animal that both owners have confirmed"
                )
            }
            var notices: [Notice] = []
            if isHome, answers.linkedAt == nil {
                try ListingReunion.close(with: listing.key, setting: true, at: now, db)
                notices = try Self.tellHome(of: listing, at: now, push, db)
                try OrganisationActionLog.record(.home, listing, by: member, db)
            } else if !isHome, answers.linkedAt != nil {
                try Self.undo(pair, listing, at: now, db)
                try OrganisationActionLog.record(.notHome, listing, by: member, db)
            }
            let changed = try Self.answers(of: listing.key, db)[other.key] ?? MatchAnswers()
            return AnsweredMatch(answers: changed, notices: notices)
        }
    }

    private func change<Value: Sendable>(
        _ listing: Listing,
        _ other: Listing,
        _ body: @escaping @Sendable (MatchPair, SQLConnection) throws -> Value
    ) async throws -> Value {
        try await database.write { db in
            guard try !Self.areBlocked(listing.owner, other.owner, db) else {
                throw ServiceError(.notFound, "no such listing")
            }
            return try body(MatchPair(listing, other, db), db)
        }
    }

    private static func undo(
        _ pair: MatchPair,
        _ listing: Listing,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        try ListingReunion.undo(with: listing.key, setting: true, at: now, db)
        let isLinked = try db.exists(
            "SELECT 1 FROM match_answer WHERE lost_id = ? AND found_id = ? AND linked_at IS NOT NULL",
            [pair.lost, pair.found]
        )
        if isLinked { throw ServiceError(.conflict, "the animal came home more than a day ago") }
    }

    private static func checkWaiting(_ pair: MatchPair, _ db: SQLConnection) throws {
        let (own, other) = pair.isLost ? ("lost", "found") : ("found", "lost")
        let count = try db.count(
            "match_answer WHERE \(own)_id = ? AND \(own)_answer = 'yes' AND \(other)_answer IS NULL",
            [pair.isLost ? pair.lost : pair.found])
        guard count < maxWaiting else {
            throw ServiceError(
                .conflict, "the owners of \(maxWaiting) listings have not answered yet: take an answer back first")
        }
    }

    /// Tells the owner of `listing` something of another one, with the name that one of the two has.
    static func tell(
        _ kind: Notice.Kind,
        _ listing: Listing,
        of other: Listing,
        _ push: ChannelStore.Push?,
        _ db: SQLConnection
    ) throws -> Notice? {
        let owner: UUID? = try db.value("SELECT uuid FROM account WHERE id = ?", [listing.owner])
        var animal = AnimalName(listing.content)
        animal.name = animal.name ?? other.content.name
        let notice = owner.map { Notice(kind, listing.id, code: listing.code, to: $0, animal) }
        try ChannelStore.append(push, notice, db)
        return notice
    }

    /// Tells the owners of the other listings of an animal that it is home.
    ///
    /// - Parameter time: that of the reunion.
    static func tellHome(
        of listing: Listing,
        at time: Timestamp,
        _ push: ChannelStore.Push?,
        _ db: SQLConnection
    ) throws -> [Notice] {
        try othersHome(with: listing.key, at: time, db).compactMap { key in
            guard let other = try Listing.fetch(db, key: key), !other.hidden, other.owner != listing.owner,
                try !areBlocked(listing.owner, other.owner, db)
            else { return nil }
            return try tell(.matchHome, other, of: listing, push, db)
        }
    }

    /// Returns the other listings that became `reunited` with a listing: those of confirmed matches, and the joined ones.
    private static func othersHome(with listing: Int64, at time: Timestamp, _ db: SQLConnection) throws -> [Int64] {
        func joined(_ key: Int64) throws -> [Int64] {
            try ListingReunion.home(joinedWith: key, since: time, db).filter { $0.at == time }.map(\.key)
        }
        let own = try joined(listing) + [listing]
        let partners = try own.flatMap { key in try answers(of: key, db).filter { $0.value.linkedAt == time }.map(\.key)
        }
        return Set(try own + partners + partners.flatMap(joined)).subtracting([listing]).sorted()
    }

    /// Returns the answers to the matches of a listing by the `Listing.key` of the other listing.
    static func answers(of listing: Int64, _ db: SQLConnection) throws -> [Int64: MatchAnswers] {
        let rows = try db.rows(
            """
            SELECT found_id, lost_answer, found_answer, linked_at, same_side FROM match_answer WHERE lost_id = ?1
            UNION ALL
            SELECT lost_id, found_answer, lost_answer, linked_at, same_side FROM match_answer WHERE found_id = ?1
            """,
            [listing]
        ) { row in
            let answers = MatchAnswers(
                own: row.string(1).flatMap(MatchAnswer.init),
                other: row.string(2).flatMap(MatchAnswer.init),
                linkedAt: row.string(3).map(Timestamp.init(stored:)),
                isSameSide: try row[4]
            )
            return (row.integer(0), answers)
        }
        return Dictionary(rows) { first, _ in first }
    }

    static func write(_ answer: MatchAnswer?, _ pair: MatchPair, _ now: Timestamp, _ db: SQLConnection) throws {
        let side = pair.isLost ? "lost" : "found"
        guard let answer else {
            let other = pair.isLost ? "found" : "lost"
            try db.execute(
                "DELETE FROM match_answer WHERE lost_id = ? AND found_id = ? AND \(other)_answer IS NULL",
                [pair.lost, pair.found]
            )
            try db.execute(
                """
                UPDATE match_answer SET \(side)_answer = NULL, \(side)_answered_at = NULL WHERE lost_id = ? AND found_id = ?
                """,
                [pair.lost, pair.found]
            )
            return
        }
        try db.execute(
            """
            INSERT INTO match_answer (lost_id, found_id, \(side)_answer, \(side)_answered_at, same_side)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (lost_id, found_id)
            DO UPDATE SET \(side)_answer = excluded.\(side)_answer, \(side)_answered_at = excluded.\(side)_answered_at
            WHERE match_answer.\(side)_answer IS DISTINCT FROM excluded.\(side)_answer
            """,
            [pair.lost, pair.found, answer.rawValue, now.text, pair.isSameSide]
        )
    }
}

extension MatchAnswers {
    /// The notice to the other owner when one's own answer becomes yes.
    fileprivate var told: Notice.Kind? {
        switch state {
        case .agreed: isSameSide ? .matchJoined : .matchAgreed
        case .waiting: .matchAsked
        case .undecided, .asked, .home, .rejected: nil
        }
    }
}

/// A lost listing and one of a found or sighted animal; or two listings of the same side, of which the one that was posted first
/// stands for the lost one.
struct MatchPair: Sendable {
    let lost: Int64
    let found: Int64
    /// Whether the asker's listing is, or stands for, the lost one.
    let isLost: Bool
    let isSameSide: Bool

    /// Throws `conflict` unless the listings are visible, open and of one species, or were so at an earlier answer.
    init(_ listing: Listing, _ other: Listing, _ db: SQLConnection) throws {
        let (side, known) = (Self.side(of: listing, other), try Self.known(listing.key, other.key, db))
        if let known, known.isLinked || side == nil || known.isSameSide == (side == .same) {
            (isLost, isSameSide) = (known.isLost, known.isSameSide)
        } else {
            guard let side else { throw ServiceError(.conflict, "expected two open listings of one species") }
            // The earlier answers were about two other sides.
            if let known { try Self.forget(known.isLost ? (listing.key, other.key) : (other.key, listing.key), db) }
            isSameSide = side == .same
            isLost = isSameSide ? listing.key < other.key : listing.content.status == .lost
        }
        (lost, found) = isLost ? (listing.key, other.key) : (other.key, listing.key)
    }

    init(ofSameSide listing: Int64, _ other: Int64) {
        (isLost, isSameSide) = (listing < other, true)
        (lost, found) = isLost ? (listing, other) : (other, listing)
    }

    /// Returns nil if the listings cannot be of one animal.
    static func side(of listing: Listing, _ other: Listing) -> MatchSide? {
        let (own, others) = (listing.content, other.content)
        guard own.isOpen, others.isOpen, !listing.hidden, !other.hidden, own.species == others.species,
            listing.key != other.key
        else { return nil }
        return (own.status == .lost) == (others.status == .lost) ? .same : .other
    }

    private static func known(
        _ listing: Int64,
        _ other: Int64,
        _ db: SQLConnection
    ) throws -> (isLost: Bool, isSameSide: Bool, isLinked: Bool)? {
        try db.row(
            """
            SELECT lost_id, same_side, linked_at IS NOT NULL FROM match_answer
            WHERE lost_id = ?1 AND found_id = ?2 OR lost_id = ?2 AND found_id = ?1
            """,
            [listing, other]
        ) { row in (isLost: row.integer(0) == listing, isSameSide: try row[1], isLinked: try row[2]) }
    }

    private static func forget(_ pair: (lost: Int64, found: Int64), _ db: SQLConnection) throws {
        try db.execute("DELETE FROM match_answer WHERE lost_id = ? AND found_id = ?", [pair.lost, pair.found])
    }
}

extension MatchAnswer? {
    /// The kind of an answer in the log of an organisation.
    fileprivate var action: OrganisationAction.Kind {
        switch self {
        case .yes?: .answerYes
        case .no?: .answerNo
        case .unsure?: .answerUnsure
        case nil: .withdrawAnswer
        }
    }
}
