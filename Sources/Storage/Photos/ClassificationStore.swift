import Domain
package import Foundation
import SQL

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

    package init(id: UUID, model: String, version: String, outcome: String, predictions: [Prediction]) {
        self.id = id
        self.model = model
        self.version = version
        self.outcome = outcome
        self.predictions = predictions
    }
}

/// Results of models for photos. Results for photos of listings are kept as long as the photo, others for a day.
package struct ClassificationStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) {
        self.database = database
    }

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

    private func find(_ condition: String, _ values: [any SQLBindable]) throws -> RecordedClassification? {
        try database.readNow { db in
            try db.row(
                "SELECT uuid, model, model_version, outcome, predictions FROM classification WHERE \(condition)",
                values,
                RecordedClassification.init
            )
        }
    }

    static func insert(_ classification: RecordedClassification, ofPhoto photo: UUID?, _ db: SQLConnection) throws {
        let predictions = Dictionary(classification.predictions.map { ($0.label, $0.probability) }) { first, _ in first
        }
        let json = try JSONEncoder().encode(predictions)
        try db.execute(
            """
            INSERT INTO classification (uuid, photo_id, model, model_version, outcome, predictions)
            VALUES (?, (SELECT id FROM photo WHERE uuid = ?), ?, ?, ?, ?)
            """,
            [
                classification.id, photo, classification.model, classification.version, classification.outcome,
                String(decoding: json, as: UTF8.self),
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
            }
        )
    }
}
