package import Domain
import Foundation
import SQL

/// The meanings of the columns and values of the files of a source, and their mistakes.
extension ListingImportStore {
    /// The sources of an account whose plans are kept.
    private static let maxPlans = 50

    /// Returns the plan of the last file of a source; an empty one if there is none.
    package func plan(of account: Account, source: String) throws -> ImportPlan {
        try database.readNow { db in
            let plan: String? = try db.value(
                "SELECT plan FROM import_plan WHERE account_id = ? AND source = ?",
                [account.key, source]
            )
            return try ImportPlan(json: plan)
        }
    }

    /// Keeps a plan for the next file of a source. The oldest one leaves if the account has too many.
    package func keep(
        _ plan: ImportPlan,
        of account: Account,
        source: String,
        at now: Timestamp = .now
    ) async throws {
        var plan = plan
        // Another file has dates of its own, unless its owner knows their order.
        if plan.dates == .unclear { plan.dates = nil }
        let text = try plan.json ?? "{}"
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO import_plan (account_id, source, plan, updated_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (account_id, source) DO UPDATE SET plan = excluded.plan, updated_at = excluded.updated_at
                """,
                [account.key, source, text, now]
            )
            try db.execute(
                """
                DELETE FROM import_plan WHERE account_id = ?1 AND source IN (
                    SELECT source FROM import_plan WHERE account_id = ?1 ORDER BY updated_at DESC LIMIT 1000 OFFSET ?2)
                """,
                [account.key, Self.maxPlans]
            )
        }
    }

    /// The rejected rows of a report that are grouped: more would take longer than a request may.
    static let maxGroupedRows = 20_000

    /// Returns why rows were rejected, the most frequent reasons first, of the first rejected rows.
    package func findMistakes(of listingImport: ListingImport, limit: Int) throws -> [ImportMistake] {
        try database.readNow { db in
            try db.rows(
                """
                SELECT field, min(column_name) AS column_name,
                    CASE WHEN field = 'reference' THEN NULL ELSE value END AS value, min(message) AS message, count(*) AS number,
                    min(number) AS first, CASE WHEN ? THEN min(reference) END AS file
                FROM (
                    SELECT * FROM listing_import_row WHERE import_id = ? AND outcome = 'rejected' ORDER BY number
                    LIMIT \(Self.maxGroupedRows)) AS rejected
                GROUP BY field, CASE WHEN field = 'reference' THEN NULL ELSE value END,
                    CASE WHEN field IS NULL THEN message END
                ORDER BY count(*) DESC, min(number) LIMIT ?
                """,
                [listingImport.order.isPhotos, listingImport.key, limit]
            ) { row in
                try ImportMistake(
                    field: row["field"],
                    column: row["column_name"],
                    value: row["value"],
                    message: row["message"],
                    count: Int(row["number"] as Int64),
                    first: Int(row["first"] as Int64),
                    file: row["file"]
                )
            }
        }
    }
}

extension ImportPlan {
    /// - Parameter json: nil for an empty plan.
    init(json: String?) throws {
        guard let json else {
            self.init()
            return
        }
        self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    }

    /// The plan as JSON; nil if it is empty.
    var json: String? {
        get throws {
            guard self != Self() else { return nil }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}
