package import Domain
import Matching
import SQL

extension MatchStore {
    /// The number of listings whose texts one step reads.
    package static let batchSize = 500

    /// The number of listings that are read without a pause for other tasks.
    private static let readTogether = 25

    private struct UnreadListing: Sendable {
        let key, side, cell: Int64
        let day: Int
    }

    private struct ReadSubject: Sendable {
        let candidate: UnreadListing
        let subject: MatchSubject
        let stamp: Stamp
    }

    /// The properties by which a change of a listing shows.
    private struct Stamp: Equatable, Sendable {
        let version: Int64
        let breedTables: Int64?
        let vectors: [[Int8]]

        init?(_ key: Int64, _ db: SQLConnection) throws {
            let row = try db.row("SELECT version, breed_tables FROM listing WHERE id = ?", [key]) { row in
                (row.integer(0), row.isNull(1) ? nil : row.integer(1))
            }
            guard let row else { return nil }
            (version, breedTables) = row
            vectors = try MatchStore.vectors(of: key, db)
        }
    }

    /// Reads the texts of listings that were posted or changed, so that searches for matches need not read them again
    /// and again. Returns the number of listings, at most `batchSize`.
    ///
    /// Nothing is read in the transaction that writes, for which posts would wait. What changes meanwhile is read next time.
    package func readSubjects(at now: Timestamp = .now) async throws -> Int {
        let unread = try database.readNow { db in
            try db.rows(
                "SELECT listing_id, side, cell, day FROM match_candidate WHERE subject IS NULL LIMIT ?",
                [Self.batchSize]
            ) { row in
                UnreadListing(key: row.integer(0), side: row.integer(1), cell: row.integer(2), day: Int(row.integer(3)))
            }
        }
        guard !unread.isEmpty else { return 0 }
        var found: [ReadSubject] = []
        for start in stride(from: 0, to: unread.count, by: Self.readTogether) {
            let some = unread[start..<min(start + Self.readTogether, unread.count)]
            found += try database.readNow { db in try some.compactMap { try readSubject($0, db) } }
            await Task.yield()
        }
        let subjects = found
        try await database.write { db in
            for read in subjects { try Self.write(read, at: now, db) }
        }
        return unread.count
    }

    private func readSubject(_ candidate: UnreadListing, _ db: SQLConnection) throws -> ReadSubject? {
        guard let stamp = try Stamp(candidate.key, db), let listing = try Listing.fetch(db, key: candidate.key) else {
            return nil
        }
        let description = MatchDescription(listing, day: candidate.day, vectors: stamp.vectors)
        return ReadSubject(candidate: candidate, subject: reader.subject(description), stamp: stamp)
    }

    private static func write(_ read: ReadSubject, at now: Timestamp, _ db: SQLConnection) throws {
        let candidate = read.candidate
        guard try Stamp(candidate.key, db) == read.stamp else { return }
        let isUnread =
            try db.execute(
                """
                UPDATE match_candidate SET subject = ?
                WHERE side = ? AND cell = ? AND listing_id = ? AND day = ? AND subject IS NULL
                """,
                [read.subject.encoded, candidate.side, candidate.cell, candidate.key, candidate.day]
            ) > 0
        guard isUnread else { return }
        try MatchPhotos.write(read.subject.photos, candidate.key, db)
        try noteAnimal(candidate.key, at: now, db)
    }

    /// Forgets what was read with other tables of breeds and words, as an earlier version of the program had, so that it
    /// is read again. Returns the number of listings, at most `batchSize`.
    package func forgetOutdatedSubjects() async throws -> Int {
        let outdated = try database.readNow { db in try outdatedSubjects(db) }
        guard !outdated.isEmpty else { return 0 }
        try await database.write { db in
            for entry in outdated {
                try db.execute(
                    "UPDATE match_candidate SET subject = NULL WHERE side = ? AND cell = ? AND listing_id = ?",
                    [entry.side, entry.cell, entry.key]
                )
            }
        }
        return outdated.count
    }

    private func outdatedSubjects(_ db: SQLConnection) throws -> [(side: Int64, cell: Int64, key: Int64)] {
        let current = MatchSubject.beginning(tables: reader.fingerprint)
        return try db.rows(
            "SELECT side, cell, listing_id FROM match_candidate WHERE substr(subject, 1, ?) <> ? LIMIT ?",
            [current.count, current, Self.batchSize]
        ) { row in (row.integer(0), row.integer(1), row.integer(2)) }
    }

    static func subject(of key: Int64, day: Int, _ reader: MatchReader, _ db: SQLConnection) throws -> MatchSubject? {
        try Listing.fetch(db, key: key).map { listing in
            reader.subject(MatchDescription(listing, day: day, vectors: try vectors(of: key, db)))
        }
    }

    /// The vectors of the photos of a listing, in their order, by the model whose vectors are compared.
    static func vectors(of key: Int64, _ db: SQLConnection) throws -> [[Int8]] {
        try db.rows(
            """
            SELECT vector FROM photo JOIN classification ON classification.photo_id = photo.id
            WHERE photo.listing_id = ? AND vector IS NOT NULL AND model = ? AND model_version = ?
                AND outcome <> 'not_the_subject'
            ORDER BY number
            """,
            [key, PhotoPrototypes.model.id, PhotoPrototypes.model.version]
        ) { row in row.blob(0).map(Int8.init(bitPattern:)) }
    }
}
