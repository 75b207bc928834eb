import Foundation
import SQL

/// A piece of SQL with the values bound to its question marks, in order.
struct SQLText: ExpressibleByStringInterpolation {
    private(set) var sql: String
    private(set) var values: [SQLValue]

    init(stringLiteral sql: String) {
        self.sql = sql
        values = []
    }

    init(_ sql: String, _ values: [SQLValue] = []) {
        (self.sql, self.values) = (sql, values)
    }

    init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = SQLText("")

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ sql: String) { text.sql += sql }

        mutating func appendInterpolation(_ other: SQLText) {
            text.sql += other.sql
            text.values += other.values
        }

        mutating func appendInterpolation(_ value: SQLValue) {
            text.sql += "?"
            text.values.append(value)
        }

        mutating func appendInterpolation(sql: String) { text.sql += sql }
    }
}

extension [SQLText] {
    func joined(_ separator: String) -> SQLText {
        SQLText(map(\.sql).joined(separator: separator), flatMap(\.values))
    }
}

extension SQLValue {
    /// An array of PostgreSQL.
    static func array(_ numbers: [Int64]) -> SQLValue {
        .text("{" + numbers.map { String($0) }.joined(separator: ",") + "}")
    }

    /// An array of PostgreSQL.
    static func array(_ texts: [String]) -> SQLValue {
        let quoted = texts.map { text in
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return .text("{" + quoted.joined(separator: ",") + "}")
    }
}
