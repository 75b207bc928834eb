package import Domain
package import SpatiaLite

/// A filter in the OGC's Common Query Language (CQL2, 21-065r2).
///
/// A text is read in linear time and refused beyond 16 KiB, 64 levels, 1000 values and operators, or 10,000 corners.
package struct CQL2Filter: Equatable, Sendable {
    private let expression: Expression

    /// Reads CQL2 text. Complaints name the character, counted from 1.
    package init(text: String) throws(ServiceError) {
        try Self.checkSize(of: text)
        expression = try TextParser.parse(text)
    }

    /// Reads CQL2 JSON. Complaints name the place as a path from `$`.
    package init(json: String) throws(ServiceError) {
        try Self.checkSize(of: json)
        expression = try JSONParser.parse(json)
    }

    private static func checkSize(of text: String) throws(ServiceError) {
        if text.utf8.count > Limit.bytes { throw .invalid("filter", "expected at most \(Limit.bytes) bytes") }
    }

    /// The filter as a condition of SQL, true for what it lets through. Needs a connection of `Configuration.spatiaLite`,
    /// and a statement that is not kept (`PreparedStatement`).
    ///
    /// - Parameter queryables: what it may ask about. Of geometries one, whatever the names it goes by.
    package func condition(over queryables: [Queryable]) throws(ServiceError) -> SQLCondition {
        let fragment = try ConditionBuilder(queryables).condition(expression)
        return SQLCondition(sql: fragment.sql, values: fragment.values, box: expression.box)
    }
}

/// A property that filters may ask about.
package struct Queryable: Sendable {
    package enum Kind: String, Sendable {
        case text
        case integer
        case number
        case boolean
        /// Text as `Timestamp` writes it.
        case timestamp
        /// Text like `2026-05-01`.
        case date
        /// SpatiaLite's, in WGS 84.
        case geometry
    }

    package let name: String
    package let type: Kind
    /// An expression, of columns alone.
    package let sql: String

    package init(name: String, type: Kind, sql: String) {
        self.name = name
        self.type = type
        self.sql = sql
    }
}

/// What stands behind WHERE.
package struct SQLCondition: Equatable, Sendable {
    /// In parentheses where it needs them.
    package var sql: String
    /// For its question marks, in their order.
    package var values: [SQLValue]
    /// What the geometry of every row that is let through has a part in, nil where it may lie anywhere: for an R*Tree.
    package var box: BoundingBox?

    package init(sql: String, values: [SQLValue], box: BoundingBox?) {
        self.sql = sql
        self.values = values
        self.box = box
    }
}
