import SQL

/// The log of events in the order of their occurrence.
package struct EventStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) {
        self.database = database
    }

    package struct Event: Equatable, Sendable {
        package let id: Int64
        /// For example `listing.created`.
        package let type: String
        /// The UUID of the listing or account, or the name of the imported source.
        package let subject: String

        package var isOfListing: Bool { type.hasPrefix("listing.") }
    }

    /// The first and the last id of the log; nil if it is empty.
    package func bounds() throws -> ClosedRange<Int64>? {
        try database.readNow { db in
            // One SELECT with both aggregates would read the whole table.
            try db.row("SELECT (SELECT min(id) FROM event), (SELECT max(id) FROM event)") { row in
                row.isNull(0) ? nil : row.integer(0)...row.integer(1)
            } ?? nil
        }
    }

    /// Returns the events after the given one, oldest first.
    package func events(after id: Int64, limit: Int) throws -> [Event] {
        try database.readNow { db in try Self.events(after: id, limit: limit, db) }
    }

    /// The combined effect of a sequence of events on one listing.
    package struct Change: Sendable {
        /// The id of the first of these events.
        package let event: Int64
        /// The UUID of the listing.
        package let listing: String
        /// Whether one of the events is the creation of the listing.
        package fileprivate(set) var isPosted = false
        /// Whether there are events other than the creation; if so, clients may know the listing already.
        package fileprivate(set) var isChanged = false

        fileprivate mutating func add(_ event: Event) {
            if event.type == "listing.created" { isPosted = true } else { isChanged = true }
        }
    }

    /// Passes every listing that the events concern to `body` once, in its present state; the row is nil if the listing
    /// no longer exists. All rows are read from one snapshot.
    ///
    /// - Returns: the id of the last event that was read; nil if there were none.
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

    private static func events(after id: Int64, limit: Int, _ db: SQLConnection) throws -> [Event] {
        try db.rows("SELECT id, type, subject FROM event WHERE id > ? ORDER BY id LIMIT ?", [id, limit]) { row in
            try Event(id: row[0], type: row[1], subject: row[2])
        }
    }
}
