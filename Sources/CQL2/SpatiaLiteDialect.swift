/// Needs a connection of `Configuration.spatiaLite`.
struct SpatiaLiteDialect: Dialect {
    func text(_ value: String) -> Fragment { "\(.text(value))" }

    func number(_ value: Double) -> Fragment { "\(.real(value))" }

    func number(column: Fragment) -> Fragment { column }

    func arithmetic(_ name: Operator, _ left: Fragment, _ right: Fragment) -> Fragment {
        switch name {
        case .over: "(\(left) * 1.0 / \(right))"
        case .div: "trunc(\(left) * 1.0 / \(right))"
        case .modulo: "mod(\(left), \(right))"
        case .power: "pow(\(left), \(right))"
        default: "(\(left) \(sql: name.rawValue) \(right))"
        }
    }

    func between(_ value: Operand, _ low: Operand, _ high: Operand) -> Fragment {
        // BETWEEN is not converted to two comparisons, because the value would then be written twice at each level of
        // nesting.
        "(\(value.sql) BETWEEN \(low.sql) AND \(high.sql))"
    }

    func isMember(_ value: Operand, of members: [Operand]) -> Fragment {
        "(\(value.sql) IN (\(Fragment.list(members.map(\.sql)))))"
    }

    func like(_ text: Fragment, _ pattern: String) -> Fragment { "(\(text) GLOB \(.text(Self.glob(pattern))))" }

    /// Converts `%` and `_` to SQLite's GLOB, which is case-sensitive, unlike its LIKE.
    private static func glob(_ pattern: String) -> String {
        var glob = ""
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "%" where !isEscaped: glob += "*"
            case "_" where !isEscaped: glob += "?"
            case "*", "?", "[": glob += "[\(scalar)]"
            default: glob.unicodeScalars.append(scalar)
            }
            isEscaped = false
        }
        return glob
    }

    func compare(_ name: Operator, _ a: Fragment, _ b: Fragment) -> Fragment {
        func lacks(_ container: Fragment, _ contained: Fragment) -> Fragment {
            "EXISTS (SELECT 1 FROM json_each(\(contained)) WHERE value NOT IN (SELECT value FROM json_each(\(container))))"
        }
        let answer: Fragment =
            switch name {
            case .arrayContains: "NOT \(lacks(a, b))"
            case .arrayContainedBy: "NOT \(lacks(b, a))"
            case .arrayEquals: "NOT (\(lacks(a, b)) OR \(lacks(b, a)))"
            default: "EXISTS (SELECT 1 FROM json_each(\(a)) WHERE value IN (SELECT value FROM json_each(\(b))))"
            }
        return "CASE WHEN \(a) IS NOT NULL AND \(b) IS NOT NULL THEN \(answer) END"
    }

    func geometry(_ shape: Shape) -> Fragment { "\(.blob(shape.spatiaLiteBlob))" }

    /// Compares the bounding boxes first, because SpatiaLite reads them from the headers of the geometries, whereas it
    /// parses a literal again for each row. SpatiaLite returns -1 for an unknown result, for example for NULL.
    func spatial(_ name: Operator, _ a: Fragment, _ b: Fragment) -> Fragment {
        let apart: Fragment = name == .disjoint ? "1" : "0"
        let answer: Fragment = "NULLIF(\(sql: name.spatialFunction)(\(a), \(b)), -1)"
        return "CASE MbrIntersects(\(a), \(b)) WHEN 0 THEN \(apart) ELSE \(answer) END"
    }
}
