import Domain
import Foundation

/// Converts an expression to SQL and checks its types.
struct ConditionBuilder {
    private let queryables: [String: Queryable]
    private let known: String
    let dialect: any Dialect

    init(_ queryables: [Queryable], _ dialect: any Dialect) {
        self.dialect = dialect
        self.queryables = Dictionary(queryables.map { ($0.name, $0) }) { first, _ in first }
        known = queryables.map(\.name).joined(separator: ", ")
    }

    static func expected(_ what: ErrorMessage, found: Expression) -> ServiceError {
        .invalid("filter", "expected \(what), found \(found.summary)")
    }

    func queryable(_ name: String) throws(ServiceError) -> Queryable {
        guard let found = queryables[name] else {
            throw .invalid("filter", "expected one of the properties \(known), found \(name.prefix(80))")
        }
        return found
    }

    // MARK: Booleans

    private static func literal(_ flag: Bool) -> Fragment { flag ? "TRUE" : "FALSE" }

    func condition(_ expression: Expression) throws(ServiceError) -> Fragment {
        switch expression {
        case .boolean(let flag): return Self.literal(flag)
        case .property(let name):
            let property = try queryable(name)
            guard property.type == .boolean else {
                throw Self.expected("a condition", found: expression)
            }
            return "\(sql: property.sql)"
        case .operation(let name, let arguments): return try operation(name, arguments, expression)
        default: throw Self.expected("a condition", found: expression)
        }
    }

    private func operation(
        _ name: Operator,
        _ arguments: [Expression],
        _ expression: Expression
    ) throws(ServiceError)
        -> Fragment
    {
        switch name {
        case .and, .or: return .joined(try arguments.mapped(condition), name == .and ? "AND" : "OR")
        case .not: return "(NOT \(try condition(arguments[0])))"
        case .isNull: return try isNull(arguments[0])
        case .equal, .notEqual, .less, .greater, .lessOrEqual, .greaterOrEqual:
            return try comparison(name, try operands(arguments))
        case .between:
            let values = try operands(arguments)
            guard case .time = values[0] else { return dialect.between(values[0], values[1], values[2]) }
            let lower = try comparison(.greaterOrEqual, [values[0], values[1]])
            return "(\(lower) AND \(try comparison(.lessOrEqual, [values[0], values[2]])))"
        case .in: return try membership(arguments[0], arguments[1])
        case .like: return try like(arguments[0], arguments[1])
        case _ where name.isOfArrays:
            let arrays = try arguments.mapped(array)
            return dialect.compare(name, arrays[0], arrays[1])
        case _ where name.isSpatial: return try spatial(name, arguments)
        case _ where name.isTemporal: return try temporal(name, arguments)
        default: throw Self.expected("a condition", found: expression)
        }
    }

    private func isNull(_ expression: Expression) throws(ServiceError) -> Fragment {
        switch expression {
        case .property(let name): return "(\(sql: try queryable(name).sql) IS NULL)"
        case .interval, .list, .unbounded: throw Self.expected("a property or a value", found: expression)
        case .geometry: return Self.literal(false)
        default:
            return "(\(try operand(expression).sql) IS NULL)"
        }
    }

    // MARK: Comparisons

    private func comparison(_ name: Operator, _ sides: [Operand]) throws(ServiceError) -> Fragment {
        if case .time(let left) = sides[0], case .time(let right) = sides[1] { return left.compared(name, right) }
        return "(\(sides[0].sql) \(sql: name.rawValue) \(sides[1].sql))"
    }

    private func membership(_ value: Expression, _ list: Expression) throws(ServiceError) -> Fragment {
        guard case .list(let members) = list else { throw Self.expected("a list of values", found: list) }
        let values = try operands([value] + members)
        if case .time = values[0] {
            return .joined(
                try values.dropFirst().mapped { other throws(ServiceError) in
                    try comparison(.equal, [values[0], other])
                },
                "OR"
            )
        }
        return dialect.isMember(values[0], of: Array(values.dropFirst()))
    }

    private func like(_ value: Expression, _ pattern: Expression) throws(ServiceError) -> Fragment {
        guard case .text(let text) = try operand(value) else { throw Self.expected("a text before LIKE", found: value) }
        guard let literal = try pattern.foldedText else {
            throw Self.expected("a text literal behind LIKE", found: pattern)
        }
        guard Self.isComplete(literal) else {
            throw .invalid("filter", "expected a character behind the backslash at the end of a pattern")
        }
        return dialect.like(text, literal)
    }

    /// Returns whether a character follows each backslash.
    private static func isComplete(_ pattern: String) -> Bool {
        pattern.unicodeScalars.reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2)
    }

    // MARK: Arrays

    /// Returns a JSON array of texts.
    private func array(_ expression: Expression) throws(ServiceError) -> Fragment {
        switch expression {
        case .property(let name):
            let property = try queryable(name)
            guard property.type == .texts else { throw Self.expected("an array", found: expression) }
            return "\(sql: property.sql)"
        case .list(let members):
            let texts = try members.mapped { member throws(ServiceError) in
                guard let text = try member.foldedText else { throw Self.expected("a text in an array", found: member) }
                return text
            }
            return dialect.text(Self.json(texts))
        default: throw Self.expected("an array such as ('a', 'b')", found: expression)
        }
    }

    private static func json(_ texts: [String]) -> String {
        guard let json = try? JSONEncoder().encode(texts) else { preconditionFailure("texts are JSON") }
        return String(decoding: json, as: UTF8.self)
    }

    // MARK: Values

    /// Converts expressions to operands of one type. A text beside a time is parsed as a time; 0 and 1 beside a boolean
    /// are converted to false and true, because GDAL writes them in this way.
    private func operands(_ expressions: [Expression]) throws(ServiceError) -> [Operand] {
        var operands = try expressions.mapped(operand)
        let kinds = Set(operands.map(\.kind))
        if kinds.count > 1 {
            for (index, expression) in expressions.enumerated() {
                if kinds.contains("timestamp"), case .text(let text) = expression {
                    guard let time = TimeLiteral(text) else {
                        throw Self.expected(TimeLiteral.expectation, found: expression)
                    }
                    operands[index] = .time(Moments(time, dialect))
                } else if kinds.contains("boolean"), case .number(let number) = expression, number == 0 || number == 1 {
                    operands[index] = .boolean(Self.literal(number == 1))
                }
            }
        }
        for (expression, operand) in zip(expressions, operands).dropFirst() where operand.kind != operands[0].kind {
            throw Self.expected(operands[0].expectation(of: expressions[0]), found: expression)
        }
        return operands
    }

    func operand(_ expression: Expression) throws(ServiceError) -> Operand {
        switch expression {
        case .boolean(let flag): return .boolean(Self.literal(flag))
        case .number(let number): return .number(dialect.number(number))
        case .text(let text): return .text(dialect.text(text))
        case .time(let time): return .time(Moments(time, dialect))
        case .property(let name): return try property(try queryable(name))
        case .operation(let name, let arguments): return try value(name, arguments, expression)
        case .geometry, .interval, .list, .unbounded: throw Self.expected("a single value", found: expression)
        }
    }

    private func property(_ property: Queryable) throws(ServiceError) -> Operand {
        let column: Fragment = "\(sql: property.sql)"
        switch property.type {
        case .text: return .text(column)
        case .texts:
            throw .invalid("filter", "expected an array function such as A_CONTAINS around \(property.name)")
        case .integer, .number: return .number(dialect.number(column: column))
        case .boolean: return .boolean(column)
        case .timestamp: return .time(Moments(column))
        case .date: return .time(Moments(date: column))
        case .geometry:
            throw .invalid("filter", "expected a spatial function such as S_INTERSECTS around \(property.name)")
        }
    }

    private func value(
        _ name: Operator,
        _ arguments: [Expression],
        _ expression: Expression
    ) throws(ServiceError) -> Operand {
        switch name {
        case .casei, .accenti:
            if let literal = try expression.foldedText { return .text(dialect.text(literal)) }
            guard case .text(let text) = try operand(arguments[0]) else {
                throw Self.expected("a text in \(name.rawValue.uppercased())", found: arguments[0])
            }
            return .text("\(sql: name.rawValue)(\(text))")
        case .plus, .minus, .times, .over, .power, .modulo, .div:
            let numbers = try arguments.mapped { argument throws(ServiceError) in
                guard case .number(let number) = try operand(argument) else {
                    throw Self.expected("a number beside \(name.rawValue)", found: argument)
                }
                return number
            }
            return .number(dialect.arithmetic(name, numbers[0], numbers[1]))
        default: return .boolean(try condition(expression))
        }
    }
}

/// A value in SQL, of a type that can be compared.
enum Operand {
    case text(Fragment)
    case number(Fragment)
    case boolean(Fragment)
    case time(Moments)

    var sql: Fragment {
        switch self {
        case .text(let sql), .number(let sql), .boolean(let sql): sql
        case .time(let moments): moments.start
        }
    }

    /// Describes, for an error, the values that this kind can be compared with.
    fileprivate func expectation(of expression: Expression) -> ErrorMessage {
        switch self {
        case .text: "a text to compare with \(expression.summary)"
        case .number: "a number to compare with \(expression.summary)"
        case .boolean: "a boolean to compare with \(expression.summary)"
        case .time: "a time to compare with \(expression.summary)"
        }
    }

    var kind: String {
        switch self {
        case .text: "text"
        case .number: "number"
        case .boolean: "boolean"
        case .time: "timestamp"
        }
    }
}

extension Expression {
    /// The value of a text literal after applying CASEI and ACCENTI; nil for all other expressions.
    fileprivate var foldedText: String? {
        get throws(ServiceError) {
            switch self {
            case .text(let text): text
            case .operation(.casei, let arguments): try arguments[0].foldedText?.caseFolded
            case .operation(.accenti, let arguments): try arguments[0].foldedText?.withoutAccents
            default: nil
            }
        }
    }

    /// A description for error messages.
    var summary: ErrorMessage {
        switch self {
        case .boolean(let flag): "\(flag)"
        case .number(let number): "the number \(number)"
        case .text(let text): "the text '\(text.prefix(40))'"
        case .time(let time): "the time \(time.start)"
        case .interval: "an interval"
        case .unbounded: "'..'"
        case .geometry: "a geometry"
        case .property(let name): "the property \(name)"
        case .list: "a list"
        case .operation(let name, _): "what \(name.rawValue.uppercased()) gives"
        }
    }
}

extension Collection {
    /// Works like `map`. The standard library's `map` loses the error type if the closure is a method.
    func mapped<Result>(_ transform: (Element) throws(ServiceError) -> Result) throws(ServiceError) -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try transform(element)) }
        return results
    }
}
