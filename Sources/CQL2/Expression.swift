import Domain

/// A parsed filter, independent of its encoding.
indirect enum Expression: Equatable, Sendable {
    case boolean(Bool)
    case number(Double)
    case text(String)
    case time(TimeLiteral)
    /// An interval, whose bounds are times, properties or `unbounded`.
    case interval(Expression, Expression)
    /// The open end `..` of an interval.
    case unbounded
    case geometry(Shape)
    case property(String)
    /// The right-hand side of IN, or an array.
    case list([Expression])
    case operation(Operator, [Expression])
}

/// An operator or a function. The raw value is its name in CQL2 JSON; functions have the same name in CQL2 text.
enum Operator: String, CaseIterable, Sendable {
    case and, or, not
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case greater = ">"
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case like, between
    case `in`
    case isNull
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
    case power = "^"
    case modulo = "%"
    case div
    case casei, accenti
    case intersects = "s_intersects"
    case equals = "s_equals"
    case disjoint = "s_disjoint"
    case touches = "s_touches"
    case within = "s_within"
    case overlaps = "s_overlaps"
    case crosses = "s_crosses"
    case contains = "s_contains"
    case timeAfter = "t_after"
    case timeBefore = "t_before"
    case timeContains = "t_contains"
    case timeDisjoint = "t_disjoint"
    case timeDuring = "t_during"
    case timeEquals = "t_equals"
    case timeFinishedBy = "t_finishedby"
    case timeFinishes = "t_finishes"
    case timeIntersects = "t_intersects"
    case timeMeets = "t_meets"
    case timeMetBy = "t_metby"
    case timeOverlappedBy = "t_overlappedby"
    case timeOverlaps = "t_overlaps"
    case timeStartedBy = "t_startedby"
    case timeStarts = "t_starts"
    case arrayContains = "a_contains"
    case arrayContainedBy = "a_containedby"
    case arrayEquals = "a_equals"
    case arrayOverlaps = "a_overlaps"

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })

    init?(named name: String) {
        guard let found = Self.byName[name.lowercased()] else { return nil }
        self = found
    }

    /// The number of arguments.
    var arity: ClosedRange<Int> {
        switch self {
        case .and, .or: 2...Int.max
        case .not, .isNull, .casei, .accenti: 1...1
        case .between: 3...3
        default: 2...2
        }
    }

    var isSpatial: Bool { rawValue.hasPrefix("s_") }

    var isTemporal: Bool { rawValue.hasPrefix("t_") }

    /// Whether its arguments are arrays, which are compared as sets.
    var isOfArrays: Bool { rawValue.hasPrefix("a_") }

    /// Whether CQL2 text writes it as a function.
    var isFunction: Bool { isSpatial || isTemporal || isOfArrays || self == .casei || self == .accenti }

    static let functions = allCases.filter(\.isFunction).map { $0.rawValue.uppercased() }.joined(separator: ", ")
}

/// The limits of a filter's size.
enum Limit {
    /// The size in bytes of UTF-8.
    static let bytes = 16 * 1024
    static let depth = 64
    static let nodes = 1000
    static let corners = 10_000
}

/// Counts the values, levels and corners that a parser has created.
struct Budget {
    private var nodes = 0
    private var depth = 0
    private var corners = 0

    mutating func node() throws(ServiceError) {
        nodes += 1
        if nodes > Limit.nodes { throw .invalid("filter", "expected at most \(Limit.nodes) values and operators") }
    }

    mutating func enter() throws(ServiceError) {
        depth += 1
        if depth > Limit.depth { throw .invalid("filter", "expected at most \(Limit.depth) levels in each other") }
    }

    mutating func leave() {
        depth -= 1
    }

    mutating func corner() throws(ServiceError) {
        corners += 1
        if corners > Limit.corners {
            throw .invalid("filter", "expected geometries of at most \(Limit.corners) corners")
        }
    }
}
