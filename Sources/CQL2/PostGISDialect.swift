/// Needs the functions of Migrations/postgis.
///
/// PostgreSQL takes the type of a parameter from its use. Two parameters side by side have none, so that each is cast.
struct PostGISDialect: Dialect {
    func text(_ value: String) -> Fragment { "CAST(\(.text(value)) AS text)" }

    func number(_ value: Double) -> Fragment { "CAST(\(.real(value)) AS double precision)" }

    func number(column: Fragment) -> Fragment { "CAST(\(column) AS double precision)" }

    /// PostgreSQL's own operators end the statement with an error if a result is too large or undefined.
    func arithmetic(_ name: Operator, _ left: Fragment, _ right: Fragment) -> Fragment {
        "real_arithmetic(\(left), '\(sql: name.rawValue)', \(right))"
    }

    func between(_ value: Operand, _ low: Operand, _ high: Operand) -> Fragment {
        // PostgreSQL converts BETWEEN to two comparisons. Only conditions can be inside each other.
        if case .boolean(let value) = value { return "is_between(\(value), \(low.sql), \(high.sql))" }
        return "(\(value.sql) BETWEEN \(low.sql) AND \(high.sql))"
    }

    /// PostgreSQL converts IN with columns in the list to comparisons, each with a copy of the value.
    func isMember(_ value: Operand, of members: [Operand]) -> Fragment {
        "(\(value.sql) = ANY (ARRAY[\(Fragment.list(members.map(\.sql)))]))"
    }

    func like(_ text: Fragment, _ pattern: String) -> Fragment { "(\(text) LIKE \(self.text(pattern)))" }

    func compare(_ name: Operator, _ a: Fragment, _ b: Fragment) -> Fragment {
        let (a, b): (Fragment, Fragment) = ("CAST(\(a) AS jsonb)", "CAST(\(b) AS jsonb)")
        return switch name {
        case .arrayContains: "(\(a) @> \(b))"
        case .arrayContainedBy: "(\(a) <@ \(b))"
        case .arrayEquals: "(\(a) @> \(b) AND \(a) <@ \(b))"
        default: "jsonb_exists_any(\(a), ARRAY(SELECT jsonb_array_elements_text(\(b))))"
        }
    }

    func geometry(_ shape: Shape) -> Fragment { "CAST(\(.text(shape.postGISText)) AS geometry)" }

    func spatial(_ name: Operator, _ a: Fragment, _ b: Fragment) -> Fragment {
        "\(sql: name.spatialFunction)(\(a), \(b))"
    }
}
