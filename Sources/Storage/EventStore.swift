import GRDB
import SpatiaLite

/// The log of what happened, in the order in which it did.
package struct EventStore: Sendable {
    private let database: DatabaseFile

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    package struct Event: Equatable, Sendable {
        package let id: Int64
        /// Like `listing.created`.
        package let type: String
        /// The UUID of the listing, where it is one's.
        package let subject: String

        package var isOfListing: Bool { type.hasPrefix("listing.") }
    }

    /// The bounds of the log; nil where it is empty.
    package func bounds() throws -> ClosedRange<Int64>? {
        try database.readNow { db in
            let scan = try Scan(db, "SELECT min(id), max(id) FROM event", [])
            guard try scan.next(), scan.row.text(0) != nil else { return nil }
            return scan.row.integer(0)...scan.row.integer(1)
        }
    }

    /// What happened after an event, oldest first.
    package func events(after id: Int64, limit: Int) throws -> [Event] {
        try database.readNow { db in
            let scan = try Scan(
                db,
                "SELECT id, type, subject FROM event WHERE id > ? ORDER BY id LIMIT ?",
                [.integer(id), .integer(Int64(limit))]
            )
            var events: [Event] = []
            while try scan.next() {
                let row = scan.row
                events.append(Event(id: row.integer(0), type: row.string(1) ?? "", subject: row.string(2) ?? ""))
            }
            return events
        }
    }
}
