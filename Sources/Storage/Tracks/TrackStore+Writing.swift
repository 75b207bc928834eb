package import Domain
import SQL

extension TrackStore {
    /// Stores the lines of a file as a closed track. It replaces a closed track with the same number.
    ///
    /// - Parameter number: nil for the first free one.
    /// - Throws: `conflict` if the listing is not an open one of a lost animal, or if the present track is open.
    package func put(
        _ file: TrackFile,
        as number: Int?,
        of listing: Listing,
        _ content: TrackContent,
        by owner: Account,
        _ check: @escaping Check = { _ in }
    ) async throws -> (track: Track, isNew: Bool) {
        try await database.write { db in
            try Self.checkOpen(listing, by: owner, db)
            let number = try number ?? Self.freeNumber(of: listing, db)
            let known = try Self.row(number, of: listing, db)
            try check(known?.tag)
            if let known, known.closedAt == nil { throw ServiceError.openTrack(number) }
            let now = Timestamp.now.text
            let key = try db.insert(
                """
                INSERT INTO track (listing_id, number, kind, name, visibility, opened_at, closed_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
                ON CONFLICT (listing_id, number) DO UPDATE SET kind = ?3, name = ?4, visibility = ?5, device = NULL,
                    token_hash = NULL, version = track.version + 1
                RETURNING id
                """,
                [listing.key, number, content.kind.rawValue, content.name, content.visibility.rawValue, now]
            )
            try db.execute("DELETE FROM track_point WHERE track_id = ?", [key])
            try Self.insert(file, key, db)
            return (try Self.get(number, of: listing, seenBy: owner, db), known == nil)
        }
    }

    private static func insert(_ file: TrackFile, _ key: Int64, _ db: SQLConnection) throws {
        for (segment, points) in file.segments.enumerated() {
            for (position, point) in zip(positions(points), points) {
                try insert(point, position: position, segment: segment, key, db)
            }
        }
    }

    /// The position of each point in its segment: its time, or without one the next number after that of the point
    /// before. The first points count down from the first time.
    private static func positions(_ points: [TrackPoint]) -> [Int64] {
        let start = points.firstIndex { $0.time != nil } ?? 0
        var last = (points[start].time ?? 0) - Int64(start) - 1
        return points.map { point in
            // More points without a time than there are milliseconds move those behind them.
            last = max(point.time ?? .min, last + 1)
            return last
        }
    }

    /// Returns false if there is a point of that time already.
    @discardableResult
    static func insert(
        _ point: TrackPoint,
        position: Int64,
        segment: Int,
        _ key: Int64,
        _ db: SQLConnection
    ) throws -> Bool {
        try db.execute(
            """
            INSERT INTO track_point (track_id, segment, position, is_timed, lon, lat) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [key, segment, position, point.time != nil, point.coordinate.lon, point.coordinate.lat]
        ) == 1
    }

    /// Opens a track for the points of a device. Opening it again changes its name and who sees it.
    ///
    /// - Throws: `conflict` if the listing is not an open one of a lost animal, if the device has another open track,
    ///   or if there is another track with the number.
    package func open(
        _ number: Int,
        of listing: Listing,
        _ content: TrackContent,
        device: String,
        by owner: Account,
        _ check: @escaping Check = { _ in }
    ) async throws -> (track: Track, isNew: Bool) {
        try await database.write { db in
            try Self.checkOpen(listing, by: owner, db)
            let known = try Self.row(number, of: listing, db)
            try check(known?.tag)
            if let known, known.closedAt != nil || known.device != device || known.kind != content.kind {
                throw ServiceError(.conflict, "track \(number) is another one: expected a free number", field: "number")
            }
            if known == nil { try Self.checkSession(of: device, owner, db) }
            try db.execute(
                """
                INSERT INTO track (listing_id, number, kind, name, visibility, device, opened_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (listing_id, number) DO UPDATE SET name = ?4, visibility = ?5,
                    version = track.version + 1
                """,
                [
                    listing.key, number, content.kind.rawValue, content.name, content.visibility.rawValue, device,
                    Timestamp.now.text,
                ]
            )
            return (try Self.get(number, of: listing, seenBy: owner, db), known == nil)
        }
    }

    /// Throws if the device sends points to another track of the owner.
    private static func checkSession(of device: String, _ owner: Account, _ db: SQLConnection) throws {
        let other = try db.row(
            """
            SELECT number, uuid FROM track JOIN listing ON listing.id = listing_id
            WHERE device = ? AND closed_at IS NULL AND account_id = ?
            """,
            [device, owner.key]
        ) { row in (number: try row["number"] as Int, listing: try row["uuid"] as String) }
        guard let other else { return }
        throw ServiceError(
            .conflict,
            "device: has the open track \(other.number) of listing \(other.listing): close it first",
            field: "device"
        )
    }

    /// Changes a track. Closing a closed track does nothing.
    package func edit(
        _ number: Int,
        of listing: Listing,
        _ change: TrackChange,
        by owner: Account,
        _ check: @escaping Check = { _ in }
    ) async throws -> Track {
        try await database.write { db in
            guard let known = try Self.row(number, of: listing, db) else { throw Self.missing }
            try check(known.tag)
            try db.execute(
                """
                UPDATE track SET name = ?, visibility = ?, closed_at = coalesce(closed_at, ?), version = version + 1
                WHERE id = ?
                """,
                [
                    change.name ?? known.name, (change.visibility ?? known.visibility).rawValue,
                    change.isClosed ? Timestamp.now.text : nil as String?, known.key,
                ]
            )
            return try Self.get(number, of: listing, seenBy: owner, db)
        }
    }

    package func remove(_ number: Int, of listing: Listing, _ check: @escaping Check = { _ in }) async throws {
        try await database.write { db in
            guard let known = try Self.row(number, of: listing, db) else { throw Self.missing }
            try check(known.tag)
            try db.execute("DELETE FROM track WHERE id = ?", [known.key])
        }
    }

    static func row(_ number: Int, of listing: Listing, _ db: SQLConnection) throws -> TrackRow? {
        try db.row(
            "SELECT * FROM track WHERE listing_id = ? AND number = ?",
            [listing.key, number],
            TrackRow.init
        )
    }

    private static func freeNumber(of listing: Listing, _ db: SQLConnection) throws -> Int {
        let taken = Set(try db.values("SELECT number FROM track WHERE listing_id = ?", [listing.key]) as [Int])
        guard let number = Track.numbers.first(where: { !taken.contains($0) }) else {
            throw ServiceError(.conflict, "the listing has \(Track.numbers.count) tracks, which is the maximum")
        }
        return number
    }

    /// Throws unless the listing is an open one of a lost animal and belongs to the account.
    private static func checkOpen(_ listing: Listing, by owner: Account, _ db: SQLConnection) throws {
        let isOpen = try db.exists(
            "SELECT 1 FROM listing WHERE id = ? AND account_id = ? AND status = 'lost' AND NOT hidden",
            [listing.key, owner.key]
        )
        guard isOpen else { throw ServiceError.noTracks }
    }
}

extension ServiceError {
    package static let unknownDevice = ServiceError(
        .unauthenticated,
        "Authorization: the token is unknown or was revoked"
    )
    package static let noTracks = ServiceError(
        .conflict,
        "expected an open listing of a lost animal: tracks are for those",
        field: "listing"
    )

    fileprivate static func openTrack(_ number: Int) -> ServiceError {
        ServiceError(.conflict, "track \(number) receives points from a device: close it first", field: "number")
    }

    static func closedTrack(_ number: Int) -> ServiceError {
        ServiceError(.conflict, "track \(number) is closed: open another one", field: "number")
    }
}
