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
            let scan = try PreparedStatement(db, "SELECT min(id), max(id) FROM event", [])
            guard try scan.next(), scan.row.text(0) != nil else { return nil }
            return scan.row.integer(0)...scan.row.integer(1)
        }
    }

    /// What happened after an event, oldest first.
    package func events(after id: Int64, limit: Int) throws -> [Event] {
        try database.readNow { db in try Self.events(after: id, limit: limit, db) }
    }

    /// What some events in a row tell of one listing.
    package struct Change: Sendable {
        /// That of the first of them.
        package let event: Int64
        /// The UUID of the listing.
        package let listing: String
        /// Whether it was posted meanwhile.
        package fileprivate(set) var isPosted = false
        /// Whether anything else happened to it: then somebody may know of it.
        package fileprivate(set) var isChanged = false

        fileprivate mutating func add(_ event: Event) {
            if event.type == "listing.created" { isPosted = true } else { isChanged = true }
        }
    }

    /// Hands out every listing that events tell of, once, as it is now: nil where it is gone. All of one state of the board.
    ///
    /// - Returns: the last of the events that were read; nil where there were none.
    package func changes(
        after id: Int64,
        limit: Int,
        _ body: (Change, ListingRow?) throws -> Void
    ) throws -> Int64? {
        try database.readNow { db in
            let events = try Self.events(after: id, limit: limit, db)
            var places: [String: Int] = [:]
            var changes: [Change] = []
            for event in events where event.isOfListing {
                let place = places[event.subject] ?? changes.count
                if place == changes.count { changes.append(Change(event: event.id, listing: event.subject)) }
                places[event.subject] = place
                changes[place].add(event)
            }
            for change in changes {
                let scan = try PreparedStatement(
                    db,
                    "\(ListingRow.select) WHERE listing.uuid = ?",
                    [.text(change.listing)]
                )
                try body(change, try scan.next() ? ListingRow(scan.row) : nil)
            }
            return events.last?.id
        }
    }

    private static func events(after id: Int64, limit: Int, _ db: Database) throws -> [Event] {
        let scan = try PreparedStatement(
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
