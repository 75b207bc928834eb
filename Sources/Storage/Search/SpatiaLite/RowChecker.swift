import CQL2
import SQL

/// Decides whether single listings fulfil a query, by their rows. Statements are prepared on first use, once per search.
final class RowChecker {
    private let check: ListingMatcher
    private let rows: RowStatement
    private let filter: RowStatement?

    init(_ db: SQLConnection, _ check: ListingMatcher) {
        self.check = check
        rows = RowStatement(db, ListingRow.checked)
        filter = check.query.rowCondition.map { condition in
            let sql = "SELECT 1 FROM listing WHERE listing.id = ? AND (\(condition.sql))"
            return RowStatement(db, sql, condition.values, isKept: false)
        }
    }

    /// Returns nil if the listing does not fulfil the query.
    func hit(_ key: Int64) throws -> ListingHit? {
        let distance = try rows.read(key) { try check.distance(of: ListingRow($0)) }
        guard let distance = distance ?? nil, try fulfilsRowCondition(key) else { return nil }
        return ListingHit(key: key, distance: distance)
    }

    /// Whether the listing fulfils the conditions on columns that no index contains.
    func fulfilsRowCondition(_ key: Int64) throws -> Bool {
        try filter.map { try $0.read(key) { _ in true } ?? false } ?? true
    }
}

/// A statement that reads one row by its key, the first parameter.
private final class RowStatement {
    private final class Prepared {
        let scan: PreparedStatement

        init(_ scan: consuming PreparedStatement) { self.scan = scan }
    }

    private let prepare: () throws -> Prepared
    private var prepared: Prepared?

    init(_ db: SQLConnection, _ sql: String, _ values: [SQLValue] = [], isKept: Bool = true) {
        prepare = { Prepared(try PreparedStatement(db, sql, [.integer(0)] + values, isKept: isKept)) }
    }

    /// Returns nil if there is no such row.
    func read<Value>(_ key: Int64, _ body: (StatementRow) throws -> Value) throws -> Value? {
        let prepared = try prepared ?? prepare()
        self.prepared = prepared
        try prepared.scan.restart(key)
        return try prepared.scan.next() ? body(prepared.scan.row) : nil
    }
}
