package import Domain
package import SQL

/// A filter in the Common Query Language of the OGC (CQL2, 21-065r2).
///
/// A filter is parsed in linear time. It is rejected if it exceeds 16 KiB, 64 levels, 1000 values and operators, or
/// 10,000 corners.
package struct CQL2Filter: Equatable, Sendable {
    private let expression: Expression

    /// Parses CQL2 text. Errors contain the position of the character, counted from 1.
    package init(text: String) throws(ServiceError) {
        try Self.checkSize(of: text)
        expression = try TextParser.parse(text)
    }

    /// Parses CQL2 JSON. Errors contain the position as a path from `$`.
    package init(json: String) throws(ServiceError) {
        try Self.checkSize(of: json)
        expression = try JSONParser.parse(json)
    }

    private static func checkSize(of text: String) throws(ServiceError) {
        if text.utf8.count > Limit.bytes { throw .invalid("filter", "expected at most \(Limit.bytes) bytes") }
    }

    /// Returns the filter as an SQL condition that is true for accepted rows. It requires a statement that is not cached
    /// (see `PreparedStatement`).
    ///
    /// - Parameters:
    ///   - queryables: The properties that the filter may use. They may contain only one geometry, possibly under several
    ///     names.
    ///   - engine: The engine that runs the statement. The condition accepts the same rows on all.
    package func condition(
        over queryables: [Queryable],
        on engine: SQLEngine
    ) throws(ServiceError) -> SQLCondition {
        let fragment = try ConditionBuilder(queryables, engine.dialect).condition(expression)
        return SQLCondition(sql: fragment.sql, values: fragment.values, box: expression.box)
    }
}

/// A property that filters can use.
package struct Queryable: Sendable {
    package enum Kind: String, Sendable {
        case text
        /// A JSON array of texts.
        case texts
        case integer
        case number
        case boolean
        /// A text in the format of `Timestamp`.
        case timestamp
        /// A text such as `2026-05-01`.
        case date
        /// A geometry of the engine in WGS 84.
        case geometry
    }

    package let name: String
    package let type: Kind
    /// An SQL expression that contains only columns.
    package let sql: String

    package init(name: String, type: Kind, sql: String) {
        (self.name, self.type, self.sql) = (name, type, sql)
    }
}

/// A condition for a WHERE clause.
package struct SQLCondition: Equatable, Sendable {
    /// The condition, with parentheses where necessary.
    package var sql: String
    /// The values of the question marks, in order.
    package var values: [SQLValue]
    /// A box that intersects the geometry of every accepted row, for a look-up in an R*Tree; nil if there is no such
    /// box.
    package var box: BoundingBox?

    package init(sql: String, values: [SQLValue], box: BoundingBox?) {
        (self.sql, self.values, self.box) = (sql, values, box)
    }
}
