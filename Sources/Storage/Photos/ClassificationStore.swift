import Domain
package import Foundation
package import Matching
package import SQL

/// The result of a model for one photo, with the name and version of the model.
package struct RecordedClassification: Equatable, Sendable {
    package struct Prediction: Equatable, Sendable {
        package let label: String
        /// From 0 to 1.
        package let probability: Double

        package init(label: String, probability: Double) {
            self.label = label
            self.probability = probability
        }
    }

    package let id: UUID
    package let model: String
    package let version: String
    /// `accepted`, `low_confidence` or `not_the_subject`.
    package let outcome: String
    /// The most probable first.
    package let predictions: [Prediction]
    /// The vector of the model's features, by which individuals are recognised; nil if the model makes none. It is personal
    /// data and in no answer.
    package let vector: [Int8]?
    /// The hash of what the photo shows; nil in results of earlier versions.
    package let hash: PictureHash?

    package init(
        id: UUID,
        model: String,
        version: String,
        outcome: String,
        predictions: [Prediction],
        vector: [Int8]? = nil,
        hash: PictureHash? = nil
    ) {
        (self.id, self.model, self.version, self.outcome) = (id, model, version, outcome)
        (self.predictions, self.vector, self.hash) = (predictions, vector, hash)
    }
}

extension RecordedClassification {
    /// The vector, if matches compare it: by the model of `PhotoPrototypes`, of a photo in which it sees a dog.
    package var comparedVector: [Int8]? {
        (model, version) == PhotoPrototypes.model && outcome != "not_the_subject" ? vector : nil
    }
}

/// Results of models for photos. Results for photos of listings are kept as long as the photo, others for a day.
package struct ClassificationStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Stores the result for a photo that was only classified, not attached to a listing.
    package func add(_ classification: RecordedClassification) async throws {
        try await database.write { db in
            try db.execute(
                "DELETE FROM classification WHERE photo_id IS NULL AND created_at < ?",
                [Timestamp.now.adding(seconds: -24 * 3600)]
            )
            try Self.insert(classification, ofPhoto: nil, db)
        }
    }

    package func findClassification(id: UUID) throws -> RecordedClassification? {
        try find("uuid = ?", [id])
    }

    /// Returns the result that was stored with a photo of a listing.
    package func findClassification(ofPhoto id: UUID) throws -> RecordedClassification? {
        try find("photo_id = (SELECT id FROM photo WHERE uuid = ?)", [id])
    }

    /// A photo of a listing.
    package struct Photo: Sendable {
        package let key: Int64
        package let id: UUID
    }

    /// Returns photos of listings that the model has not described, in the order of their keys.
    package func findUndescribed(by model: String, _ version: String, after key: Int64, limit: Int) throws -> [Photo] {
        try database.readNow { db in
            try db.rows(
                "SELECT photo.id, photo.uuid \(Self.undescribed) AND photo.id > ? ORDER BY photo.id LIMIT ?",
                [model, version, key, limit]
            ) { row in Photo(key: try row[0], id: try row[1]) }
        }
    }

    package func countUndescribed(by model: String, _ version: String) throws -> Int {
        try database.readNow { db in try db.value("SELECT count(*) \(Self.undescribed)", [model, version]) } ?? 0
    }

    private static let undescribed = """
        FROM photo LEFT JOIN classification ON classification.photo_id = photo.id
        WHERE photo.listing_id IS NOT NULL AND (
            classification.id IS NULL OR hash IS NULL OR model <> ? OR model_version <> ?)
        """

    /// Replaces what a model found in photos of listings. Photos that were removed meanwhile are left out.
    package func replace(_ found: [(photo: Photo, classification: RecordedClassification)]) async throws {
        try await database.write { db in
            for (photo, classification) in found where try db.exists("SELECT 1 FROM photo WHERE id = ?", [photo.key]) {
                try db.execute("DELETE FROM classification WHERE photo_id = ?", [photo.key])
                try Self.insert(classification, ofPhoto: photo.id, db)
                try db.execute(Self.forgettingSubject, [photo.key])
            }
        }
    }

    /// Matches read the listing of the photo again. The primary key of the table begins with side and cell.
    private static let forgettingSubject = """
        UPDATE match_candidate SET subject = NULL
        FROM photo JOIN listing_match ON listing_match.listing_id = photo.listing_id
        WHERE photo.id = ? AND match_candidate.side = listing_match.side AND match_candidate.cell = listing_match.cell
            AND match_candidate.listing_id = listing_match.listing_id
        """

    private func find(_ condition: String, _ values: [any SQLBindable]) throws -> RecordedClassification? {
        try database.readNow { db in
            try db.row(
                "SELECT uuid, model, model_version, outcome, predictions, vector, hash FROM classification WHERE \(condition)",
                values,
                RecordedClassification.init
            )
        }
    }

    static func insert(_ classification: RecordedClassification, ofPhoto photo: UUID?, _ db: SQLConnection) throws {
        let predictions = Dictionary(classification.predictions.map { ($0.label, $0.probability) }) { first, _ in first
        }
        try db.execute(
            """
            INSERT INTO classification (uuid, photo_id, model, model_version, outcome, predictions, vector, hash)
            VALUES (?, (SELECT id FROM photo WHERE uuid = ?), ?, ?, ?, ?, ?, ?)
            """,
            [
                classification.id, photo, classification.model, classification.version, classification.outcome,
                try predictions.json, classification.vector.map { $0.map(UInt8.init(bitPattern:)) },
                classification.hash,
            ]
        )
    }
}

extension RecordedClassification {
    fileprivate init(_ row: StatementRow) throws {
        let predictions = try JSONDecoder().decode([String: Double].self, from: row[4])
        try self.init(
            id: row[0],
            model: row[1],
            version: row[2],
            outcome: row[3],
            predictions: predictions.map(Prediction.init).sorted {
                ($1.probability, $0.label) < ($0.probability, $1.label)
            },
            vector: row.isNull(5) ? nil : row.blob(5).map { Int8(bitPattern: $0) },
            hash: row[6]
        )
    }
}

extension PictureHash: SQLBindable, SQLReadable {
    package var sqlValue: SQLValue { .integer(Int64(bitPattern: bits)) }

    package init?(_ row: StatementRow, _ column: CInt) {
        guard let bits = Int64(row, column) else { return nil }
        self.init(bits: UInt64(bitPattern: bits))
    }
}
