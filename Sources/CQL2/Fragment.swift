import SQL

/// A fragment of SQL with the values bound to its question marks, in order.
///
/// Only SQL in this module and in a `Queryable` is inserted as SQL. Values from a filter can only be interpolated as
/// bound values.
struct Fragment: ExpressibleByStringInterpolation {
    var sql: String
    var values: [SQLValue]

    init(stringLiteral sql: String) {
        self.sql = sql
        values = []
    }

    init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.fragment
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = Fragment(stringLiteral: "")

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ sql: String) {
            fragment.sql += sql
        }

        mutating func appendInterpolation(_ other: Fragment) {
            fragment.sql += other.sql
            fragment.values += other.values
        }

        mutating func appendInterpolation(_ value: SQLValue) {
            fragment.sql += "?"
            fragment.values.append(value)
        }

        mutating func appendInterpolation(sql: String) {
            fragment.sql += sql
        }
    }

    /// Writes commas between the fragments.
    static func list(_ parts: [Fragment]) -> Fragment {
        var list: Fragment = ""
        for (index, part) in parts.enumerated() {
            list.sql += index == 0 ? part.sql : ", \(part.sql)"
            list.values += part.values
        }
        return list
    }

    /// Joins the fragments as a balanced tree, because SQLite limits the depth of an expression to 1000.
    static func joined(_ parts: some RandomAccessCollection<Fragment>, _ separator: String) -> Fragment {
        guard parts.count > 1 else { return parts.first ?? "" }
        let middle = parts.index(parts.startIndex, offsetBy: parts.count / 2)
        let (left, right) = (joined(parts[..<middle], separator), joined(parts[middle...], separator))
        return "(\(left) \(sql: separator) \(right))"
    }
}
