import Domain
import SQL

extension MatchStore {
    /// Returns what the timeline of a listing tells of its possible matches: reunions to everybody, and answers to its
    /// owner. The answer of the other owner is told as far as the list of matches tells it: not if one of the two has said
    /// no or blocks the other, and while both listings can be seen and are open or linked.
    static func timelineEntries(of listing: Listing, isOwner: Bool, _ db: SQLConnection) throws -> [TimelineEntry] {
        let isShown = listing.content.isOpen && !listing.hidden
        return try db.rows(
            """
            SELECT other.uuid, other.name, other.species, other.hidden, own_answer, own_at, other_answer, other_at, linked_at,
                (linked_at IS NOT NULL OR ?3 AND other.status IN ('lost', 'found', 'sighted')) AND NOT other.hidden
                    AND own_answer IS DISTINCT FROM 'no' AND other_answer <> 'no' AND NOT EXISTS (
                        SELECT 1 FROM block
                        WHERE (blocker_id = ?4 AND blocked_id = other.account_id)
                            OR (blocker_id = other.account_id AND blocked_id = ?4)) AS is_told
            FROM (
                SELECT found_id AS other_id, lost_answer AS own_answer, lost_answered_at AS own_at,
                    found_answer AS other_answer, found_answered_at AS other_at, linked_at
                FROM match_answer WHERE lost_id = ?1
                UNION ALL
                SELECT lost_id, found_answer, found_answered_at, lost_answer, lost_answered_at, linked_at
                FROM match_answer WHERE found_id = ?1) AS pair
            JOIN listing AS other ON other.id = other_id
            WHERE linked_at IS NOT NULL OR ?2
            ORDER BY max(coalesce(own_at, ''), coalesce(other_at, '')) DESC LIMIT \(TimelineEntry.maxAnswered)
            """,
            [listing.key, isOwner, isShown, listing.owner]
        ) { row in try AnswerRow(row).entries(isOwner: isOwner) }.flatMap(\.self)
    }

    /// The answers to one possible match.
    private struct AnswerRow {
        private let other: Sighting.AttachedListing?
        private let answers: MatchAnswers
        private let ownAt: Timestamp?
        private let otherAt: Timestamp?

        init(_ row: StatementRow) throws {
            let isHidden: Bool = try row["hidden"]
            other =
                isHidden
                ? nil
                : Sighting.AttachedListing(id: try row["uuid"], name: try row["name"], species: try row["species"])
            let isTold: Bool? = try row["is_told"]
            answers = MatchAnswers(
                own: try row["own_answer"],
                other: isTold == true ? try row["other_answer"] : nil,
                linkedAt: try row["linked_at"]
            )
            (ownAt, otherAt) = (try row["own_at"], try row["other_at"])
        }

        func entries(isOwner: Bool) -> [TimelineEntry] {
            var entries: [TimelineEntry] = []
            if isOwner, let answer = answers.own, let ownAt {
                entries.append(TimelineEntry(at: ownAt, kind: .answer, answer: answer, other: other))
            }
            if isOwner, let answer = answers.other, let otherAt {
                entries.append(TimelineEntry(at: otherAt, kind: .otherAnswer, answer: answer, other: other))
            }
            if isOwner, answers.own == .yes, answers.other == .yes, let ownAt, let otherAt {
                entries.append(TimelineEntry(at: max(ownAt, otherAt), kind: .agreement, other: other))
            }
            if let linkedAt = answers.linkedAt {
                entries.append(TimelineEntry(at: linkedAt, kind: .reunion, other: other))
            }
            return entries
        }
    }
}
