import Domain

/// Parses CQL2 text by recursive descent: OR, AND, NOT, one predicate, sums, products, powers, single values.
///
/// Types are checked by `ConditionBuilder`, so that parentheses may contain any expression.
struct TextParser {
    private let tokens: [Token]
    private var index = 0
    var budget = Budget()

    private static let reserved: Set<String> = [
        "AND", "OR", "NOT", "LIKE", "ILIKE", "BETWEEN", "IN", "IS", "NULL", "TRUE", "FALSE", "DIV",
    ]

    static func parse(_ text: String) throws(ServiceError) -> Expression {
        var parser = TextParser(tokens: try Lexer.tokens(of: text))
        let expression = try parser.disjunction()
        guard parser.current.kind == .end else { throw parser.unexpected("AND, OR or the end") }
        return expression
    }

    private init(tokens: [Token]) {
        self.tokens = tokens
    }

    // MARK: Tokens

    var current: Token { tokens[index] }

    private func following(_ distance: Int = 1) -> Token { tokens[min(index + distance, tokens.count - 1)] }

    mutating func advance() {
        index = min(index + 1, tokens.count - 1)
    }

    func unexpected(_ expected: ErrorMessage) -> ServiceError {
        Lexer.expected(expected, at: current.position, found: ErrorMessage(verbatim: String(current.source.prefix(40))))
    }

    mutating func take(_ symbol: String) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(ServiceError) {
        if !take(symbol) { throw unexpected(ErrorMessage(verbatim: symbol)) }
    }

    func isAt(_ keyword: String) -> Bool {
        guard case .word(let word) = current.kind else { return false }
        return word.uppercased() == keyword
    }

    mutating func take(keyword: String) -> Bool {
        guard isAt(keyword) else { return false }
        advance()
        return true
    }

    // MARK: Booleans

    private mutating func disjunction() throws(ServiceError) -> Expression {
        try budget.enter()
        defer { budget.leave() }
        var terms = [try conjunction()]
        while take(keyword: "OR") { terms.append(try conjunction()) }
        return terms.count == 1 ? terms[0] : try operation(.or, terms)
    }

    private mutating func conjunction() throws(ServiceError) -> Expression {
        var terms = [try negation()]
        while take(keyword: "AND") { terms.append(try negation()) }
        return terms.count == 1 ? terms[0] : try operation(.and, terms)
    }

    private mutating func negation() throws(ServiceError) -> Expression {
        guard take(keyword: "NOT") else { return try predicate() }
        try budget.enter()
        defer { budget.leave() }
        return try operation(.not, [try negation()])
    }

    private mutating func predicate() throws(ServiceError) -> Expression {
        let value = try sum()
        if case .symbol(let symbol) = current.kind, "<>=".contains(symbol.prefix(1)),
            let comparison = Operator(named: symbol)
        {
            advance()
            return try operation(comparison, [value, try sum()])
        }
        if take(keyword: "IS") {
            let isNegated = take(keyword: "NOT")
            guard take(keyword: "NULL") else { throw unexpected("NULL") }
            return try negated(isNegated, .isNull, [value])
        }
        let isNegated = take(keyword: "NOT")
        if take(keyword: "LIKE") { return try negated(isNegated, .like, [value, try sum()]) }
        if take(keyword: "ILIKE") {
            // ILIKE is a GDAL extension, equivalent to CASEI on both sides.
            let folded = try operation(.casei, [value])
            return try negated(isNegated, .like, [folded, try operation(.casei, [try sum()])])
        }
        if take(keyword: "BETWEEN") {
            let lower = try sum()
            guard take(keyword: "AND") else { throw unexpected("AND of BETWEEN") }
            return try negated(isNegated, .between, [value, lower, try sum()])
        }
        if take(keyword: "IN") {
            try expect("(")
            return try negated(isNegated, .in, [value, .list(try arguments())])
        }
        if isNegated { throw unexpected("LIKE, BETWEEN or IN") }
        return value
    }

    private mutating func negated(
        _ isNegated: Bool,
        _ name: Operator,
        _ arguments: [Expression]
    ) throws(ServiceError)
        -> Expression
    {
        let positive = try operation(name, arguments)
        return isNegated ? try operation(.not, [positive]) : positive
    }

    private mutating func operation(_ name: Operator, _ arguments: [Expression]) throws(ServiceError) -> Expression {
        try budget.node()
        return .operation(name, arguments)
    }

    // MARK: Arithmetic

    private mutating func sum() throws(ServiceError) -> Expression {
        try chain(["+", "-"]) { parser throws(ServiceError) in try parser.product() }
    }

    private mutating func product() throws(ServiceError) -> Expression {
        try chain(["*", "/", "%", "DIV"]) { parser throws(ServiceError) in try parser.power() }
    }

    /// Parses a left-associative chain of operators. Each operator counts as one level.
    private mutating func chain(
        _ symbols: [String],
        _ operand: (inout TextParser) throws(ServiceError) -> Expression
    ) throws(ServiceError) -> Expression {
        var value = try operand(&self)
        var levels = 0
        defer { for _ in 0..<levels { budget.leave() } }
        while let symbol = symbols.first(where: { current.kind == .symbol($0) || isAt($0) }),
            let name = Operator(named: symbol)
        {
            levels += 1
            try budget.enter()
            advance()
            value = try operation(name, [value, try operand(&self)])
        }
        return value
    }

    private mutating func power() throws(ServiceError) -> Expression {
        if isSigned { return try signed() }
        let base = try primary()
        guard take("^") else { return base }
        try budget.enter()
        defer { budget.leave() }
        return try operation(.power, [base, try power()])
    }

    /// Whether a sign follows that belongs to a property, a function or parentheses and not to a number.
    private var isSigned: Bool {
        guard current.kind == .symbol("-") || current.kind == .symbol("+") else { return false }
        if case .number = following().kind { return false }
        return true
    }

    /// Parses a signed power. CQL2 JSON has no sign, so that a minus becomes a product with -1.
    private mutating func signed() throws(ServiceError) -> Expression {
        try budget.enter()
        defer { budget.leave() }
        guard take("-") else {
            advance()
            return try power()
        }
        try budget.node()
        return try operation(.times, [.number(-1), try power()])
    }

    // MARK: Values

    private mutating func primary() throws(ServiceError) -> Expression {
        try budget.node()
        switch current.kind {
        case .text(let text):
            advance()
            return .text(text)
        case .number, .symbol("-"), .symbol("+"): return .number(try number())
        case .quotedWord(let name):
            advance()
            return .property(name)
        case .symbol("("):
            advance()
            let inner = try disjunction()
            try expect(")")
            return inner
        case .word(let word): return try named(word)
        default: throw unexpected("a value or a property")
        }
    }

    mutating func number() throws(ServiceError) -> Double {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard case .number(let number) = current.kind else { throw unexpected("a number") }
        advance()
        return isNegative ? -number : number
    }

    private mutating func named(_ word: String) throws(ServiceError) -> Expression {
        let keyword = word.uppercased()
        if keyword == "TRUE" || keyword == "FALSE" {
            advance()
            return .boolean(keyword == "TRUE")
        }
        if Self.reserved.contains(keyword) { throw unexpected("a value or a property") }
        let isCall = following().kind == .symbol("(")
        if isCall || Self.isDimension(following()), let shape = try geometry(keyword) { return .geometry(shape) }
        guard isCall else {
            advance()
            return .property(word)
        }
        return try call(keyword)
    }

    private mutating func call(_ keyword: String) throws(ServiceError) -> Expression {
        switch keyword {
        case "DATE": return .time(try time("a date like '2026-05-01'", TimeLiteral.init(date:)))
        case "TIMESTAMP": return .time(try time("a time like '2026-05-01T12:30:00Z'", TimeLiteral.init(timestamp:)))
        case "INTERVAL": return try interval()
        default: break
        }
        let spelled = Operator(named: keyword) ?? Operator(named: "S_\(keyword)")
        guard let name = spelled, name.isFunction else { throw unexpected("one of \(Operator.functions)") }
        try budget.enter()
        defer { budget.leave() }
        let start = current
        advance()
        try expect("(")
        let arguments = name.isOfArrays ? try arrays() : try arguments()
        guard name.arity.contains(arguments.count) else {
            let expectation: ErrorMessage =
                name.arity.lowerBound == 1 ? "one argument of \(keyword)" : "two arguments of \(keyword)"
            throw Lexer.expected(expectation, at: start.position, found: "\(arguments.count)")
        }
        return .operation(name, arguments)
    }

    /// Parses at least one argument, up to the closing parenthesis.
    private mutating func arguments() throws(ServiceError) -> [Expression] {
        var arguments = [try disjunction()]
        while take(",") { arguments.append(try disjunction()) }
        guard take(")") else { throw unexpected(", or )") }
        return arguments
    }

    /// Parses arguments of which those in parentheses are arrays.
    private mutating func arrays() throws(ServiceError) -> [Expression] {
        var arrays: [Expression] = []
        repeat {
            arrays.append(take("(") ? .list(take(")") ? [] : try arguments()) : try disjunction())
        } while take(",")
        guard take(")") else { throw unexpected(", or )") }
        return arrays
    }

    private mutating func time(
        _ expectation: ErrorMessage,
        _ parse: (String) -> TimeLiteral?
    ) throws(ServiceError) -> TimeLiteral {
        advance()
        try expect("(")
        guard case .text(let text) = current.kind, let literal = parse(text) else { throw unexpected(expectation) }
        advance()
        try expect(")")
        return literal
    }

    private mutating func interval() throws(ServiceError) -> Expression {
        let start = current
        advance()
        try expect("(")
        let lower = try bound()
        try expect(",")
        let upper = try bound()
        try expect(")")
        if case .time(let first) = lower, case .time(let last) = upper, first.start > last.end {
            throw Lexer.expected(
                "an interval that ends after it starts",
                at: start.position,
                found: "one that does not"
            )
        }
        return .interval(lower, upper)
    }

    private mutating func bound() throws(ServiceError) -> Expression {
        try budget.node()
        switch current.kind {
        case .text(".."):
            advance()
            return .unbounded
        case .text(let text):
            guard let literal = TimeLiteral(text) else { throw unexpected("\(TimeLiteral.expectation), or '..'") }
            advance()
            return .time(literal)
        case .quotedWord(let name):
            advance()
            return .property(name)
        case .word(let word) where following().kind != .symbol("("):
            advance()
            return .property(word)
        default: throw unexpected("\(TimeLiteral.expectation), '..' or a property")
        }
    }
}
