package import Domain
import SQL
import SpatiaLite

/// Reads what statistics are computed from.
package struct StatisticsStore: Sendable {
    /// The number of listings that are read together, in a few milliseconds.
    private static let batchSize = 2_000

    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Reads all listings that are not hidden, in short reads: a long one would prevent the write-ahead log from being
    /// copied into the database.
    package func snapshot(at time: Timestamp) async throws -> StatisticsSnapshot {
        var builder = StatisticsSnapshot.Builder()
        var last = Int64.min
        while true {
            let start = last
            let cases = try database.readNow { db in try Self.cases(after: start, db) }
            for (key, one) in cases {
                builder.add(one)
                last = key
            }
            guard cases.count == Self.batchSize else { return builder.finish(at: time) }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// The first change of a listing tells what it was posted as. `former` is NULL for changes from before the history.
    /// Two linked listings count as one reunion, with the data of the listing of the lost animal.
    private static let select = """
        SELECT id, created_at, status, species, coalesce(breed_facets, '["' || breed_key || '"]', '[]'), region, last_seen_at,
            (SELECT coalesce(former, '') FROM listing_history
                WHERE listing_id = listing.id AND status IS NOT NULL ORDER BY id LIMIT 1),
            CASE WHEN status = 'reunited' THEN (SELECT max(at) FROM listing_history
                WHERE listing_id = listing.id AND status = 'reunited') END,
            CASE WHEN status = 'reunited' THEN (SELECT found_id FROM match_answer
                WHERE lost_id = listing.id AND linked_at IS NOT NULL LIMIT 1) END,
            CASE WHEN status = 'reunited' THEN EXISTS (SELECT 1 FROM match_answer JOIN listing AS lost ON lost.id = lost_id
                WHERE found_id = listing.id AND linked_at IS NOT NULL AND NOT lost.hidden AND lost.status = 'reunited') END
        FROM listing WHERE id > ? AND NOT hidden ORDER BY id LIMIT \(batchSize)
        """

    private static func cases(after key: Int64, _ db: SQLConnection) throws -> [(Int64, StatisticsCase)] {
        try db.rows(select, [key]) { row in
            let status: Listing.Status = try row[2]
            var posted: Listing.Status? = row.string(7).map { Listing.Status(rawValue: $0) } ?? status
            if posted?.isOpen != true { posted = row.isNull(9) ? nil : .lost }
            var one = StatisticsCase(
                day: Timestamp(stored: row.string(1) ?? "").dayNumber,
                posted: posted,
                species: try row[3],
                breeds: String.list(row.string(4) ?? "[]"),
                region: row.string(5)
            )
            if status == .reunited, row.integer(10) == 0 { one.reunion = try reunion(row, one, db) }
            return (row.integer(0), one)
        }
    }

    /// A listing that was reunited already when it was posted tells no time of its reunion.
    private static func reunion(
        _ row: StatementRow,
        _ one: StatisticsCase,
        _ db: SQLConnection
    ) throws -> StatisticsCase.Reunion {
        let isLinked = !row.isNull(9)
        let metres = isLinked ? try distance(row.integer(0), row.integer(9), db) : nil
        guard let time = row.string(8).map(Timestamp.init(stored:)) else {
            return StatisticsCase.Reunion(day: one.day, days: nil, metres: metres, isLinked: isLinked)
        }
        let lost = Timestamp(stored: row.string(6) ?? "").milliseconds
        let days = max(0, Int(time.milliseconds - lost) / (CalendarDay.seconds * 1_000))
        return StatisticsCase.Reunion(day: time.dayNumber, days: days, metres: metres, isLinked: isLinked)
    }

    /// Returns the distance of the public points in metres; nil if the listing of the found animal is hidden.
    private static func distance(_ lost: Int64, _ found: Int64, _ db: SQLConnection) throws -> Int? {
        let points = try db.rows(
            "SELECT ST_X(geom), ST_Y(geom) FROM listing WHERE id IN (?, ?) AND NOT hidden",
            [lost, found]
        ) { row in Coordinate(lon: row.real(0), lat: row.real(1)) }
        guard points.count == 2, let first = points[0], let second = points[1] else { return nil }
        return Int(first.distance(to: second))
    }
}

extension Timestamp {
    /// The day in UTC since 1970.
    package var dayNumber: Int {
        let seconds = milliseconds.quotientAndRemainder(dividingBy: Int64(CalendarDay.seconds) * 1_000)
        return Int(seconds.quotient) - (seconds.remainder < 0 ? 1 : 0)
    }
}
