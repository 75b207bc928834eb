package import Domain
import SQL

/// The events of listings: the changes that triggers record, the sightings, and the answers to possible matches.
package struct TimelineStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// A row of `listing_history`.
    private struct Change {
        let at: Timestamp
        let kind: TimelineEntry.Kind
        let former: Listing.Status?
        let status: Listing.Status?

        init(_ row: StatementRow) throws {
            at = try row["at"]
            kind = try row["type"]
            former = try row["former"]
            status = try row["status"]
        }

        var entry: TimelineEntry {
            let isUndone = kind == .status && former == .reunited && status?.isOpen == true
            return TimelineEntry(at: at, kind: isUndone ? .reunionUndone : kind, status: status)
        }
    }

    /// Returns the newest `TimelineEntry.maxCount` entries, in the order of time. Dismissed sightings are left out, and
    /// others only if the reader may see them. Answers to possible matches are entries for the owner alone; everybody
    /// sees that two listings were reunited.
    ///
    /// - Parameter reader: nil for a client without an account.
    package func entries(of listing: Listing, seenBy reader: Account?) throws -> [TimelineEntry] {
        let (changes, sightings, answers) = try database.readNow { db in
            (
                try db.rows(
                    "SELECT at, type, former, status FROM listing_history WHERE listing_id = ? ORDER BY id",
                    [listing.key],
                    Change.init
                ),
                try SightingStore.find(listing.key, reader?.key, db),
                try MatchStore.timelineEntries(of: listing, isOwner: reader?.key == listing.owner, db)
            )
        }
        // The status of a listing that has never changed is the present one.
        let first = changes.first { $0.status != nil }.map(\.former) ?? listing.content.status
        let entries =
            [
                TimelineEntry(at: listing.seenAt, kind: .seen, status: first),
                TimelineEntry(at: listing.createdAt, kind: .posted, status: first),
            ] + changes.map(\.entry) + answers
            + sightings.filter { $0.state != .dismissed }.reversed()
            .map { TimelineEntry(at: $0.seenAt, kind: .sighting, sighting: $0) }
        // Entries of the same time stay in this order.
        return entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element).suffix(TimelineEntry.maxCount)
    }
}
