package import Domain
package import Foundation
import SQL

/// The result of receiving points from a device.
package struct ReceivedPoints: Equatable, Sendable {
    /// The number of points that were stored; the others were stored before.
    package let added: Int
    /// The number of points of the track.
    package let total: Int

    package init(added: Int, total: Int) { (self.added, self.total) = (added, total) }
}

extension TrackStore {
    /// Sets the token with which the device of an open track sends its points. It replaces the former one.
    package func setToken(_ tokenHash: Data, of number: Int, of listing: Listing) async throws {
        try await database.write { db in
            guard let known = try Self.row(number, of: listing, db) else { throw Self.missing }
            guard known.closedAt == nil else { throw ServiceError.closedTrack(number) }
            try db.execute("UPDATE track SET token_hash = ? WHERE id = ?", [tokenHash, known.key])
        }
    }

    /// Returns whether a device has this token for this track.
    package func isDevice(_ tokenHash: Data, number: Int, listing: UUID) throws -> Bool {
        try database.readNow { db in try Self.track(tokenHash, number, listing, db) != nil }
    }

    /// The tokens of banned owners are not valid.
    private static func track(
        _ tokenHash: Data,
        _ number: Int,
        _ listing: UUID,
        _ db: SQLConnection
    ) throws -> TrackRow? {
        try db.row(
            """
            SELECT track.* FROM track JOIN listing ON listing.id = listing_id JOIN account ON account.id = account_id
            WHERE token_hash = ? AND number = ? AND listing.uuid = ? AND NOT disabled
            """,
            [tokenHash, number, listing],
            TrackRow.init
        )
    }

    /// Adds points from the owner. See `add(_:tokenHash:number:listing:)`.
    package func add(_ points: [TrackPoint], to number: Int, of listing: Listing) async throws -> ReceivedPoints {
        try await database.write { db in
            guard let track = try Self.row(number, of: listing, db) else { throw Self.missing }
            return try Self.add(points, to: track, db)
        }
    }

    /// Adds points from a device, in any order. A point of a time that the track has a point of is ignored, so that
    /// points can be sent again.
    ///
    /// - Throws: `conflict` if the track is closed or full, and nothing is stored.
    package func add(
        _ points: [TrackPoint],
        tokenHash: Data,
        number: Int,
        listing: UUID
    ) async throws -> ReceivedPoints {
        try await database.write { db in
            guard let track = try Self.track(tokenHash, number, listing, db) else { throw ServiceError.unknownDevice }
            return try Self.add(points, to: track, db)
        }
    }

    private static func add(_ points: [TrackPoint], to track: TrackRow, _ db: SQLConnection) throws -> ReceivedPoints {
        guard track.closedAt == nil else { throw ServiceError.closedTrack(track.number) }
        var added = 0
        for point in points where try insert(point, position: point.time ?? 0, segment: 0, track.key, db) {
            added += 1
        }
        let total = try db.count("track_point WHERE track_id = ?", [track.key])
        guard total <= Track.maxPoints else {
            throw ServiceError(
                .conflict,
                "track \(track.number) has \(total - added) of at most \(Track.maxPoints) points: open another one"
            )
        }
        if added > 0 { try db.execute("UPDATE track SET version = version + 1 WHERE id = ?", [track.key]) }
        return ReceivedPoints(added: added, total: total)
    }
}
