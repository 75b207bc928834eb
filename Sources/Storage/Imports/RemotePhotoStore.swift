package import Domain
import Foundation
import SQL

/// The addresses of photos that imports named, and what became of them.
package struct RemotePhotoStore: Sendable {
    let database: any Database
    private let photos: PhotoStore

    package init(_ database: any Database, quota: Quota = .none) {
        self.database = database
        photos = PhotoStore(database, quota: quota)
    }

    // MARK: - Imports

    /// Makes these addresses those of the photos of a listing, within the transaction that writes the listing. New ones are
    /// fetched. The photos of addresses that the row no longer has are removed.
    ///
    /// - Parameters:
    ///   - listing: its `Listing.key`.
    ///   - listingImport: the `ListingImport.key`; nil for an import on the command line.
    static func set(
        _ urls: [String],
        ofListing listing: Int64,
        account: Int64,
        import listingImport: Int64?,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        let known = try db.rows("SELECT id, url, photo_uuid FROM remote_photo WHERE listing_id = ?", [listing]) { row in
            (key: try row["id"] as Int64, url: try row["url"] as String, photo: try row["photo_uuid"] as String?)
        }
        for old in known where !urls.contains(old.url) {
            if let photo = old.photo {
                try db.execute("DELETE FROM photo WHERE uuid = ? AND listing_id = ?", [photo, listing])
            }
            try db.execute("DELETE FROM remote_photo WHERE id = ?", [old.key])
        }
        for (index, url) in urls.prefix(ListingPhoto.maxCount).enumerated() {
            guard let host = RemotePhoto.host(of: url) else { continue }
            try db.execute(
                """
                INSERT INTO remote_photo (listing_id, account_id, import_id, url, host, position, due_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (listing_id, url) DO UPDATE SET import_id = excluded.import_id, position = excluded.position,
                    -- What failed is tried again.
                    state = CASE WHEN remote_photo.state = 'failed' THEN 'waiting' ELSE remote_photo.state END,
                    attempt_count = CASE WHEN remote_photo.state = 'failed' THEN 0 ELSE remote_photo.attempt_count END,
                    due_at = CASE WHEN remote_photo.state = 'failed' THEN excluded.due_at ELSE remote_photo.due_at END
                """,
                [listing, account, listingImport, url, host, index + 1, now]
            )
        }
    }

    /// Returns how many photos of imports were fetched, by the `ListingImport.key`. Imports without photos are left out.
    package func counts(ofImports imports: [Int64]) throws -> [Int64: RemotePhoto.Counts] {
        guard !imports.isEmpty else { return [:] }
        let list = imports.map(String.init).joined(separator: ", ")
        let rows = try database.readNow { db in
            try db.rows(
                """
                SELECT import_id, state, count(*) AS number, count(problem) AS problems FROM remote_photo
                WHERE import_id IN (\(list)) GROUP BY import_id, state
                """
            ) { row in
                (
                    key: try row["import_id"] as Int64, state: try row["state"] as RemotePhoto.State,
                    count: Int(try row["number"] as Int64), problems: Int(try row["problems"] as Int64)
                )
            }
        }
        return rows.reduce(into: [:]) { counts, row in
            switch row.state {
            case .waiting:
                counts[row.key, default: .init()].waiting = row.count
                counts[row.key, default: .init()].retried = row.problems
            case .stored: counts[row.key, default: .init()].stored = row.count
            case .failed: counts[row.key, default: .init()].failed = row.count
            }
        }
    }

    /// Returns why photos of an import were not fetched, the most frequent reasons first. Those that are tried again are
    /// among them.
    package func failures(of listingImport: ListingImport, limit: Int) throws -> [RemotePhoto.Failure] {
        try database.readNow { db in
            try db.rows(
                """
                SELECT problem, host, count(*) AS number, min(url) AS url FROM (
                    SELECT problem, host, url FROM remote_photo
                    WHERE import_id = ? AND state IN ('waiting', 'failed') AND problem IS NOT NULL
                    LIMIT \(ListingImportStore.maxGroupedRows)) AS failure
                GROUP BY problem, host ORDER BY count(*) DESC, problem, host LIMIT ?
                """,
                [listingImport.key, limit]
            ) { row in
                RemotePhoto.Failure(
                    problem: try row["problem"],
                    host: try row["host"],
                    count: Int(try row["number"] as Int64),
                    url: try row["url"]
                )
            }
        }
    }

    // MARK: - Fetching

    /// Returns the photo that has been due for the longest time, of the next account that has one, and leases it: if nothing
    /// becomes of it, it is due again after `RemotePhoto.lease`.
    ///
    /// - Parameters:
    ///   - account: the account of the photo before, by its `Account.key`.
    ///   - hosts: those that are left out.
    package func takeDue(
        after account: Int64,
        without hosts: [String],
        at now: Timestamp
    ) async throws -> RemotePhoto? {
        guard let key = try findDue(after: account, without: hosts, at: now) else { return nil }
        return try await database.write { db in
            try db.execute(
                """
                UPDATE remote_photo SET attempt_count = attempt_count + 1, due_at = ?
                WHERE id = ? AND state = 'waiting' AND due_at <= ?
                """,
                [now.adding(seconds: RemotePhoto.lease), key, now]
            )
            let photo = try db.row(
                """
                SELECT remote_photo.*, language FROM remote_photo
                    LEFT JOIN listing_import ON listing_import.id = import_id
                WHERE remote_photo.id = ? AND remote_photo.state = 'waiting'
                """,
                [key],
                RemotePhoto.init
            )
            // The process was killed at each attempt: perhaps by this photo.
            guard let photo, photo.attempts > RemotePhoto.pauses.count + 1 else { return photo }
            try Self.fail(photo, .timedOut, state: .failed, dueAt: now, db)
            return nil
        }
    }

    private func findDue(after account: Int64, without hosts: [String], at now: Timestamp) throws -> Int64? {
        let excluded = String(decoding: try JSONEncoder().encode(hosts), as: UTF8.self)
        return try database.readNow { db in
            func first(_ condition: String) throws -> Int64? {
                try db.value(
                    """
                    SELECT id FROM remote_photo
                    WHERE state = 'waiting' AND account_id \(condition) ? AND due_at <= ?
                        AND host NOT IN (SELECT value FROM json_each(?))
                    ORDER BY account_id, due_at, id LIMIT 1
                    """,
                    [account, now, excluded]
                )
            }
            return try first(">") ?? first("<=")
        }
    }

    /// Records that a photo was not fetched. It is tried again unless that would fail likewise, or was tried often enough.
    ///
    /// - Parameter wait: the seconds for which the server asks.
    package func fail(
        _ photo: RemotePhoto,
        _ problem: RemotePhoto.Problem,
        waiting wait: Double = 0,
        at now: Timestamp
    ) async throws {
        let isLast = problem.isFinal || photo.attempts > RemotePhoto.pauses.count
        let pause = isLast ? 0 : max(RemotePhoto.pauses[max(0, photo.attempts - 1)], wait)
        try await database.write { db in
            let dueAt = now.adding(seconds: pause)
            try Self.fail(photo, problem, state: isLast ? .failed : .waiting, dueAt: dueAt, db)
        }
    }

    private static func fail(
        _ photo: RemotePhoto,
        _ problem: RemotePhoto.Problem,
        state: RemotePhoto.State,
        dueAt: Timestamp,
        _ db: SQLConnection
    ) throws {
        try db.execute(
            "UPDATE remote_photo SET state = ?, problem = ?, due_at = ? WHERE id = ? AND state = 'waiting'",
            [state.rawValue, problem.rawValue, dueAt, photo.key]
        )
    }

    /// Makes a photo due again, and does not count the attempt: the reason is this service's own.
    package func postpone(_ photo: RemotePhoto, at now: Timestamp) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE remote_photo SET attempt_count = ?, due_at = ? WHERE id = ? AND state = 'waiting'",
                [photo.attempts - 1, now.adding(seconds: RemotePhoto.lease), photo.key]
            )
        }
    }

    /// Adds a photo that was fetched to its listing, at its place among the addresses if that is free. The files must be on the
    /// disk already.
    ///
    /// - Throws: `conflict` if another attempt added it or its address was removed, and `quotaExceeded` if there is no room.
    package func store(
        _ entry: StoredPhoto,
        for remote: RemotePhoto,
        _ classification: RecordedClassification?,
        breed: PhotoStore.Breed?
    ) async throws {
        try await database.write { db in
            let wanted: Int64? = try db.value(
                """
                UPDATE remote_photo SET state = 'stored', problem = NULL, photo_uuid = ?
                WHERE id = ? AND state = 'waiting' RETURNING position
                """,
                [entry.id, remote.key]
            )
            guard let wanted else { throw ServiceError(.conflict, "the photo was added or removed meanwhile") }
            try photos.add(
                entry,
                toListing: remote.listing,
                number: Int(wanted),
                classification,
                breed: breed,
                db
            )
        }
    }
}

extension RemotePhoto {
    fileprivate init(_ row: StatementRow) throws {
        self.init(
            key: try row["id"],
            listing: try row["listing_id"],
            account: try row["account_id"],
            url: try row["url"],
            host: try row["host"],
            attempts: Int(try row["attempt_count"] as Int64),
            language: (try row["language"] as Language?) ?? .english
        )
    }
}
