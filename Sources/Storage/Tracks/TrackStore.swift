package import Domain
import Foundation
import SQL

/// The tracks of collars and search parties of listings.
///
/// The owner of a listing sees its tracks as they are. Others see the cells of those that the owner shows to everyone.
package struct TrackStore: Sendable {
    /// Checks the precondition of a change. It receives the tag of the present track; nil if there is none.
    package typealias Check = @Sendable (String?) throws -> Void

    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Returns the tracks of a listing that the reader may see, in the order of their numbers.
    ///
    /// - Parameter reader: nil for a client without an account.
    package func findTracks(of listing: Listing, seenBy reader: Account?) throws -> [Track] {
        try database.readNow { db in try Self.find(listing, reader, "", [], db) }
    }

    /// Returns what the page of a listing tells of the tracks that the reader may see, in the order of their numbers.
    ///
    /// - Parameter reader: nil for a client without an account.
    package func findSummaries(of listing: Listing, seenBy reader: Account?) throws -> [TrackSummary] {
        let isOwner = reader?.key == listing.owner
        return try database.readNow { db in
            try db.rows(
                """
                SELECT track.*, CASE WHEN ?2 THEN (SELECT count(*) FROM track_point WHERE track_id = track.id) ELSE 0 END
                        AS points,
                    CASE WHEN ?2 THEN (SELECT max(position) FROM track_point WHERE track_id = track.id AND is_timed) END
                        AS last
                \(Self.visible) ORDER BY number
                """,
                [listing.key, isOwner]
            ) { row in
                let track = try TrackRow(row)
                return TrackSummary(
                    number: track.number,
                    kind: track.kind,
                    name: track.name,
                    device: isOwner ? track.device : nil,
                    visibility: track.visibility,
                    isOpen: track.closedAt == nil,
                    pointCount: try row["points"],
                    lastPointAt: (try row["last"] as Int64?).map(Timestamp.init(milliseconds:))
                )
            }
        }
    }

    /// The tracks of the listing `?1` that a reader may see; `?2` tells whether the reader is its owner.
    private static let visible = """
        FROM track JOIN listing ON listing.id = listing_id JOIN account ON account.id = account_id
        WHERE listing_id = ?1 AND (?2 OR visibility = 'everyone' AND NOT disabled)
        """

    /// Throws `notFound` if the reader sees no such track.
    package func getTrack(_ number: Int, of listing: Listing, seenBy reader: Account?) throws -> Track {
        try database.readNow { db in try Self.get(number, of: listing, seenBy: reader, db) }
    }

    /// Returns the newest place of a collar, for its owner.
    package func findNewestCollarPlace(of listing: Listing) throws -> (coordinate: Coordinate, time: Timestamp)? {
        try database.readNow { db in
            let keys: [Int64] = try db.values(
                "SELECT id FROM track WHERE listing_id = ? AND kind = 'collar'",
                [listing.key]
            )
            return try keys.flatMap { key in
                // The last point of each line by its primary key, so that the others are not read.
                try (db.values("SELECT DISTINCT segment FROM track_point WHERE track_id = ?", [key]) as [Int])
                    .compactMap { segment in
                        try db.row(
                            """
                            SELECT lon, lat, position FROM track_point
                            WHERE track_id = ? AND segment = ? AND is_timed ORDER BY position DESC LIMIT 1
                            """,
                            [key, segment]
                        ) { row in
                            Coordinate(lon: row.real(0), lat: row.real(1)).map {
                                ($0, Timestamp(milliseconds: row.integer(2)))
                            }
                        } ?? nil
                    }
            }.max { $0.1 < $1.1 }
        }
    }

    static func get(
        _ number: Int,
        of listing: Listing,
        seenBy reader: Account?,
        _ db: SQLConnection
    ) throws -> Track {
        guard let track = try find(listing, reader, "AND number = ?", [number], db).first else { throw missing }
        return track
    }

    private static func find(
        _ listing: Listing,
        _ reader: Account?,
        _ condition: String,
        _ values: [any SQLBindable],
        _ db: SQLConnection
    ) throws -> [Track] {
        let isOwner = reader?.key == listing.owner
        let rows = try db.rows(
            "SELECT track.* \(visible) \(condition) ORDER BY number",
            [listing.key, isOwner] + values,
            TrackRow.init
        )
        return try rows.map { row in
            let track = row.track(try segments(of: row.key, db))
            return isOwner ? track : track.inCells
        }
    }

    private static func segments(of track: Int64, _ db: SQLConnection) throws -> [[TrackPoint]] {
        var segments: [[TrackPoint]] = []
        var last: Int64 = -1
        let points = try db.rows(
            "SELECT segment, position, is_timed, lon, lat FROM track_point WHERE track_id = ? ORDER BY segment, position",
            [track]
        ) { row in
            guard let point = Coordinate(lon: row.real(3), lat: row.real(4)) else {
                throw UnreadableRow("track \(track): point")
            }
            return (row.integer(0), TrackPoint(point, at: row.integer(2) == 0 ? nil : row.integer(1)))
        }
        for (segment, point) in points {
            if segment != last { segments.append([]) }
            segments[segments.count - 1].append(point)
            last = segment
        }
        return segments
    }

    static let missing = ServiceError(.notFound, "no such track")
}

/// A row of `track`.
struct TrackRow {
    let key: Int64
    let number: Int
    let kind: Track.Kind
    let name: String?
    let device: String?
    let visibility: Track.Visibility
    let openedAt: Timestamp
    let closedAt: Timestamp?
    let version: Int

    init(_ row: StatementRow) throws {
        key = try row["id"]
        number = try row["number"]
        kind = try row["kind"]
        name = try row["name"]
        device = try row["device"]
        visibility = try row["visibility"]
        openedAt = try row["opened_at"]
        closedAt = try row["closed_at"]
        version = try row["version"]
    }

    func track(_ segments: [[TrackPoint]]) -> Track {
        Track(
            number: number,
            kind: kind,
            name: name,
            device: device,
            visibility: visibility,
            openedAt: openedAt,
            closedAt: closedAt,
            version: version,
            segments: segments,
            isExact: true
        )
    }

    var tag: String { Track.tag(openedAt: openedAt, version: version) }
}
