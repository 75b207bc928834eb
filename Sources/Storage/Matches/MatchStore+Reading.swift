package import Domain
import Matching
import SQL

extension MatchStore {
    /// The number of listings whose texts one step reads.
    package static let batchSize = 500

    /// Reads the texts of listings that were posted or changed, so that searches for matches need not read them again
    /// and again. Returns the number of listings, at most `batchSize`.
    package func readSubjects(at now: Timestamp = .now) async throws -> Int {
        let reader = reader
        let isPending = try database.readNow { db in
            try db.exists("SELECT 1 FROM match_candidate WHERE subject IS NULL")
        }
        guard isPending else { return 0 }
        return try await database.write { db in
            let unread = try db.rows(
                "SELECT listing_id, side, cell, day FROM match_candidate WHERE subject IS NULL LIMIT ?",
                [Self.batchSize]
            ) { row in (key: row.integer(0), side: row.integer(1), cell: row.integer(2), day: Int(row.integer(3))) }
            for entry in unread {
                guard let subject = try Self.subject(of: entry.key, day: entry.day, reader, db) else { continue }
                try db.execute(
                    "UPDATE match_candidate SET subject = ? WHERE side = ? AND cell = ? AND listing_id = ?",
                    [subject.encoded, entry.side, entry.cell, entry.key]
                )
                try MatchPhotos.write(subject.photos, entry.key, db)
                try Self.noteAnimal(entry.key, at: now, db)
            }
            return unread.count
        }
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
        try listing(key, db).map { listing in
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

    static func listing(_ key: Int64, _ db: SQLConnection) throws -> Listing? {
        try db.row("\(ListingRow.select) WHERE listing.id = ?", [key]) { row in try Listing(ListingRow(row)) }
    }
}
