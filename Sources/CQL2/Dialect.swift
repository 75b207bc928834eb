import Domain
import SQL

/// The parts of SQL conditions that the engines write differently.
protocol Dialect: Sendable {
    func text(_ value: String) -> Fragment
    func number(_ value: Double) -> Fragment
    /// The value of a column of numbers as a real number.
    func number(column: Fragment) -> Fragment
    /// The result is NULL if it is undefined, for example after a division by zero, and infinite if it is too large.
    func arithmetic(_ name: Operator, _ left: Fragment, _ right: Fragment) -> Fragment
    /// The size of the SQL and of what the engine makes of it is proportional to that of the values.
    func between(_ value: Operand, _ low: Operand, _ high: Operand) -> Fragment
    /// - Parameter members: at least one, of the type of the value. The same holds for the size.
    func isMember(_ value: Operand, of members: [Operand]) -> Fragment
    /// - Parameter pattern: a pattern with `%` and `_`, and a character behind each backslash. The case of letters counts.
    func like(_ text: Fragment, _ pattern: String) -> Fragment
    /// - Parameters:
    ///   - name: one of the operators of arrays.
    ///   - a: a JSON array of texts. The result is NULL if one is NULL.
    func compare(_ name: Operator, _ a: Fragment, _ b: Fragment) -> Fragment
    /// - Parameter shape: is no collection and no box.
    func geometry(_ shape: Shape) -> Fragment
    /// The result is NULL if a geometry is.
    func spatial(_ name: Operator, _ a: Fragment, _ b: Fragment) -> Fragment
}

extension SQLEngine {
    var dialect: any Dialect {
        switch self {
        case .spatiaLite: SpatiaLiteDialect()
        case .postGIS: PostGISDialect()
        }
    }
}

extension Operator {
    /// The function that both engines have for a spatial operator.
    var spatialFunction: String {
        switch self {
        case .equals: "ST_Equals"
        case .disjoint: "ST_Disjoint"
        case .touches: "ST_Touches"
        case .within: "ST_Within"
        case .overlaps: "ST_Overlaps"
        case .crosses: "ST_Crosses"
        case .contains: "ST_Contains"
        default: "ST_Intersects"
        }
    }
}
