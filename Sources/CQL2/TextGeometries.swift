import Domain

/// Parses geometries in CQL2 text.
extension TextParser {
    static func isDimension(_ token: Token) -> Bool {
        guard case .word(let word) = token.kind else { return false }
        return ["Z", "M", "ZM", "EMPTY"].contains(word.uppercased())
    }

    /// Parses well-known text or a box. Returns nil if the keyword is neither.
    mutating func geometry(_ keyword: String) throws(ServiceError) -> Shape? {
        let start = current
        guard let shape = try unchecked(keyword) else { return nil }
        if let defect = shape.defect {
            throw Lexer.expected("a valid geometry", at: start.position, found: defect)
        }
        return shape
    }

    private mutating func unchecked(_ keyword: String) throws(ServiceError) -> Shape? {
        switch keyword {
        case "POINT": return .point(try tagged(TextParser.parenthesised))
        case "LINESTRING": return .lineString(try tagged(TextParser.line))
        case "POLYGON": return .polygon(try tagged(TextParser.lines))
        case "MULTIPOINT": return .multiPoint(try tagged(TextParser.points))
        case "MULTILINESTRING": return .multiLineString(try tagged(TextParser.lines))
        case "MULTIPOLYGON":
            return .multiPolygon(try tagged { parser throws(ServiceError) in try parser.list(TextParser.lines) })
        case "GEOMETRYCOLLECTION":
            return .collection(try tagged { parser throws(ServiceError) in try parser.list(TextParser.member) })
        case "BBOX", "ENVELOPE":
            advance()
            return .box(try box())
        default: return nil
        }
    }

    /// Parses the rest of a geometry after its name and dimension.
    private mutating func tagged<Body>(
        _ body: (inout TextParser) throws(ServiceError) -> Body
    ) throws(ServiceError) -> Body {
        advance()
        if isAt("M") || isAt("ZM") { throw unexpected("a geometry of two or three dimensions (Z)") }
        if isAt("EMPTY") { throw unexpected("a geometry that is not empty") }
        _ = take(keyword: "Z")
        return try body(&self)
    }

    private mutating func list<Item>(
        _ item: (inout TextParser) throws(ServiceError) -> Item
    ) throws(ServiceError) -> [Item] {
        try expect("(")
        var items = [try item(&self)]
        while take(",") { items.append(try item(&self)) }
        guard take(")") else { throw unexpected(", or )") }
        return items
    }

    private static func line(_ parser: inout TextParser) throws(ServiceError) -> [Coordinate] {
        try parser.list(position)
    }

    private static func lines(_ parser: inout TextParser) throws(ServiceError) -> [[Coordinate]] {
        try parser.list(line)
    }

    /// Parses points with or without parentheses around each point.
    private static func points(_ parser: inout TextParser) throws(ServiceError) -> [Coordinate] {
        try parser.list { parser throws(ServiceError) in
            parser.current.kind == .symbol("(") ? try parenthesised(&parser) : try position(&parser)
        }
    }

    private static func parenthesised(_ parser: inout TextParser) throws(ServiceError) -> Coordinate {
        try parser.expect("(")
        let point = try position(&parser)
        try parser.expect(")")
        return point
    }

    private static func position(_ parser: inout TextParser) throws(ServiceError) -> Coordinate {
        let start = parser.current
        try parser.budget.corner()
        let (lon, lat) = (try parser.number(), try parser.number())
        if parser.startsNumber { _ = try parser.number() }
        guard let point = Coordinate(lon: lon, lat: lat) else {
            throw Lexer.expected(
                "a longitude from -180 to 180 and a latitude from -90 to 90",
                at: start.position,
                found: "\(lon) \(lat)"
            )
        }
        return point
    }

    private var startsNumber: Bool {
        switch current.kind {
        case .number, .symbol("-"), .symbol("+"): true
        default: false
        }
    }

    private static func member(_ parser: inout TextParser) throws(ServiceError) -> Shape {
        try parser.budget.enter()
        defer { parser.budget.leave() }
        guard case .word(let word) = parser.current.kind, let shape = try parser.unchecked(word.uppercased()) else {
            throw parser.unexpected("a geometry")
        }
        return shape
    }

    private mutating func box() throws(ServiceError) -> BoundingBox {
        let start = current
        let numbers = try list { parser throws(ServiceError) in try parser.number() }
        guard let box = BoundingBox(numbers: numbers) else {
            throw Lexer.expected(BoundingBox.form, at: start.position, found: "\(numbers)")
        }
        return box
    }
}
