import Domain
package import Foundation
import GRDB
import SpatiaLite

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
    private let database: DatabaseFile

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    /// Stores the result for a photo that was only classified, not attached to a listing.
    package func add(_ classification: RecordedClassification) async throws {
        try await database.write { db in
            try PreparedStatement.run(
                db,
                "DELETE FROM classification WHERE photo_id IS NULL AND created_at < ?",
                [.text(Timestamp.now.adding(seconds: -24 * 3600).text)]
            )
            try Self.insert(classification, ofPhoto: nil, db)
        }
    }

    package func findClassification(id: UUID) throws -> RecordedClassification? {
        try find("uuid = ?", [.text(id.lowercased)])
    }

    /// Returns the result that was stored with a photo of a listing.
    package func findClassification(ofPhoto id: UUID) throws -> RecordedClassification? {
        try find("photo_id = (SELECT id FROM photo WHERE uuid = ?)", [.text(id.lowercased)])
    }

    private func find(_ condition: String, _ values: [SQLValue]) throws -> RecordedClassification? {
        try database.readNow { db in
            let scan = try PreparedStatement(
                db,
                "SELECT uuid, model, model_version, outcome, predictions FROM classification WHERE \(condition)",
                values
            )
            guard try scan.next() else { return nil }
            return try RecordedClassification(scan.row)
        }
    }

    static func insert(_ classification: RecordedClassification, ofPhoto photo: UUID?, _ db: Database) throws {
        let predictions = Dictionary(classification.predictions.map { ($0.label, $0.probability) }) { first, _ in first
        }
        let json = try JSONEncoder().encode(predictions)
        try PreparedStatement.run(
            db,
            """
            INSERT INTO classification (uuid, photo_id, model, model_version, outcome, predictions)
            VALUES (?, (SELECT id FROM photo WHERE uuid = ?), ?, ?, ?, ?)
            """,
            [
                .text(classification.id.lowercased), photo.map { .text($0.lowercased) } ?? .null,
                .text(classification.model),
                .text(classification.version), .text(classification.outcome),
                .text(String(decoding: json, as: UTF8.self)),
            ]
        )
    }
}

extension RecordedClassification {
    fileprivate init(_ row: StatementRow) throws {
        guard let id = row.string(0).flatMap(UUID.init(uuidString:)), let json = row.string(4) else {
            throw DatabaseError(message: "classification: not readable")
        }
        let predictions = try JSONDecoder().decode([String: Double].self, from: Data(json.utf8))
        self.init(
            id: id,
            model: row.string(1) ?? "",
            version: row.string(2) ?? "",
            outcome: row.string(3) ?? "",
            predictions: predictions.map(Prediction.init).sorted {
                ($1.probability, $0.label) < ($0.probability, $1.label)
            }
        )
    }
}
