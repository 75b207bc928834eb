import Domain
import Foundation

/// Parses CQL2 JSON. Errors contain the position as a path: `$` is the filter, `$.args[0]` its first argument.
struct JSONParser {
    private var budget = Budget()

    static func parse(_ text: String) throws(ServiceError) -> Expression {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
            throw .invalid("filter", "expected JSON")
        }
        var parser = JSONParser()
        return try parser.expression(value, "$")
    }

    private static func expected(_ what: ErrorMessage, at path: String, found value: JSONValue?) -> ServiceError {
        .invalid("filter", "expected \(what) at \(path), found \(value?.summary ?? "nothing")")
    }

    private mutating func expression(_ value: JSONValue, _ path: String) throws(ServiceError) -> Expression {
        try budget.node()
        try budget.enter()
        defer { budget.leave() }
        switch value {
        case .bool(let flag): return .boolean(flag)
        case .number(let number): return .number(number)
        case .string(let text):
            guard !text.unicodeScalars.contains("\0") else {
                throw Self.expected("a text without NUL", at: path, found: nil)
            }
            return .text(text)
        case .object(let members): return try object(members, path)
        case .null, .array: throw Self.expected("an expression", at: path, found: value)
        }
    }

    private mutating func object(_ members: [String: JSONValue], _ path: String) throws(ServiceError) -> Expression {
        if let name = members["op"] { return try operation(name, members["args"], path) }
        if let name = members["property"] {
            guard case .string(let name) = name else {
                throw Self.expected("a name", at: "\(path).property", found: name)
            }
            return .property(name)
        }
        if let date = members["date"] {
            guard case .string(let text) = date, let literal = TimeLiteral(date: text) else {
                throw Self.expected("a date like 2026-05-01", at: "\(path).date", found: date)
            }
            return .time(literal)
        }
        if let timestamp = members["timestamp"] {
            guard case .string(let text) = timestamp, let literal = TimeLiteral(timestamp: text) else {
                throw Self.expected("a time like 2026-05-01T12:30:00Z", at: "\(path).timestamp", found: timestamp)
            }
            return .time(literal)
        }
        if let bounds = members["interval"] { return try interval(bounds, "\(path).interval") }
        if members["type"] != nil || members["bbox"] != nil {
            return .geometry(try geometry(members, path))
        }
        throw Self.expected(
            "op, property, date, timestamp, interval, bbox or a geometry",
            at: path,
            found: .object(members)
        )
    }

    private mutating func operation(
        _ name: JSONValue,
        _ arguments: JSONValue?,
        _ path: String
    ) throws(ServiceError)
        -> Expression
    {
        guard case .string(let text) = name, let name = Operator(named: text) else {
            let known = Operator.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.expected("one of \(known)", at: "\(path).op", found: name)
        }
        guard case .array(let values) = arguments, name.arity.contains(values.count) else {
            let expectation: ErrorMessage =
                name == .and || name == .or
                ? "a list of two or more arguments" : "a list of \(name.arity.lowerBound) arguments"
            throw Self.expected(expectation, at: "\(path).args", found: arguments)
        }
        var parsed: [Expression] = []
        for (index, value) in values.enumerated() {
            let path = "\(path).args[\(index)]"
            parsed.append(
                name == .in && index == 1 || name.isOfArrays && value.isArray
                    ? try list(value, path, mayBeEmpty: name.isOfArrays)
                    : try expression(value, path))
        }
        return .operation(name, parsed)
    }

    private mutating func list(
        _ value: JSONValue, _ path: String, mayBeEmpty: Bool
    ) throws(ServiceError) -> Expression {
        guard case .array(let values) = value, mayBeEmpty || !values.isEmpty else {
            throw Self.expected("a list of values", at: path, found: value)
        }
        var parsed: [Expression] = []
        for (index, value) in values.enumerated() { parsed.append(try expression(value, "\(path)[\(index)]")) }
        return .list(parsed)
    }

    private mutating func interval(_ value: JSONValue, _ path: String) throws(ServiceError) -> Expression {
        guard case .array(let bounds) = value, bounds.count == 2 else {
            throw Self.expected("a list of two times", at: path, found: value)
        }
        let interval = (try bound(bounds[0], "\(path)[0]"), try bound(bounds[1], "\(path)[1]"))
        if case .time(let first) = interval.0, case .time(let last) = interval.1, first.start > last.end {
            throw Self.expected("an interval that ends after it starts", at: path, found: value)
        }
        return .interval(interval.0, interval.1)
    }

    private mutating func bound(_ value: JSONValue, _ path: String) throws(ServiceError) -> Expression {
        try budget.node()
        if value == .string("..") { return .unbounded }
        if case .string(let text) = value, let literal = TimeLiteral(text) { return .time(literal) }
        if case .object(let members) = value, case .string(let name) = members["property"] { return .property(name) }
        throw Self.expected("a time like 2026-05-01T12:30:00Z or a date, \"..\" or a property", at: path, found: value)
    }
}

// MARK: Geometries

extension JSONParser {
    private mutating func geometry(_ members: [String: JSONValue], _ path: String) throws(ServiceError) -> Shape {
        let shape = try unchecked(members, path)
        if let defect = shape.defect {
            throw .invalid("filter", "expected a valid geometry at \(path), found \(defect)")
        }
        return shape
    }

    /// Parses GeoJSON or a box without checking its validity.
    private mutating func unchecked(_ members: [String: JSONValue], _ path: String) throws(ServiceError) -> Shape {
        guard let type = members["type"] else { return .box(try box(members["bbox"], "\(path).bbox")) }
        let (value, place) = (members["coordinates"], "\(path).coordinates")
        switch type {
        case .string("Point"): return .point(try position(value, place))
        case .string("LineString"): return .lineString(try positions(value, place))
        case .string("Polygon"): return .polygon(try lines(value, place))
        case .string("MultiPoint"): return .multiPoint(try positions(value, place))
        case .string("MultiLineString"): return .multiLineString(try lines(value, place))
        case .string("MultiPolygon"):
            var polygons: [[[Coordinate]]] = []
            for (index, item) in try items(value, place).enumerated() {
                polygons.append(try lines(item, "\(place)[\(index)]"))
            }
            return .multiPolygon(polygons)
        case .string("GeometryCollection"): return .collection(try shapes(members["geometries"], "\(path).geometries"))
        default: throw Self.expected("the name of a geometry of GeoJSON", at: "\(path).type", found: type)
        }
    }

    private mutating func shapes(_ value: JSONValue?, _ path: String) throws(ServiceError) -> [Shape] {
        try budget.enter()
        defer { budget.leave() }
        var shapes: [Shape] = []
        for (index, item) in try items(value, path).enumerated() {
            guard case .object(let members) = item else {
                throw Self.expected("a geometry", at: "\(path)[\(index)]", found: item)
            }
            shapes.append(try unchecked(members, "\(path)[\(index)]"))
        }
        return shapes
    }

    private func items(_ value: JSONValue?, _ path: String) throws(ServiceError) -> [JSONValue] {
        guard case .array(let items) = value else { throw Self.expected("a list", at: path, found: value) }
        return items
    }

    private mutating func lines(_ value: JSONValue?, _ path: String) throws(ServiceError) -> [[Coordinate]] {
        var lines: [[Coordinate]] = []
        for (index, item) in try items(value, path).enumerated() {
            lines.append(try positions(item, "\(path)[\(index)]"))
        }
        return lines
    }

    private mutating func positions(_ value: JSONValue?, _ path: String) throws(ServiceError) -> [Coordinate] {
        var points: [Coordinate] = []
        for (index, item) in try items(value, path).enumerated() {
            points.append(try position(item, "\(path)[\(index)]"))
        }
        return points
    }

    private mutating func position(_ value: JSONValue?, _ path: String) throws(ServiceError) -> Coordinate {
        try budget.corner()
        let numbers = try numbers(value, path)
        guard numbers.count == 2 || numbers.count == 3, let point = Coordinate(lon: numbers[0], lat: numbers[1]) else {
            throw Self.expected("a longitude from -180 to 180 and a latitude from -90 to 90", at: path, found: value)
        }
        return point
    }

    private func numbers(_ value: JSONValue?, _ path: String) throws(ServiceError) -> [Double] {
        var numbers: [Double] = []
        for (index, item) in try items(value, path).enumerated() {
            guard case .number(let number) = item else {
                throw Self.expected("a number", at: "\(path)[\(index)]", found: item)
            }
            numbers.append(number)
        }
        return numbers
    }

    private func box(_ value: JSONValue?, _ path: String) throws(ServiceError) -> BoundingBox {
        guard let box = BoundingBox(numbers: try numbers(value, path)) else {
            throw Self.expected(BoundingBox.form, at: path, found: value)
        }
        return box
    }
}

extension JSONValue {
    fileprivate var isArray: Bool { if case .array = self { true } else { false } }

    /// A description for error messages.
    fileprivate var summary: ErrorMessage {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .string(let text): "\"\(text.prefix(40))\""
        case .array(let items): "a list of \(items.count)"
        case .object(let members): "an object with \(members.keys.sorted().prefix(5).joined(separator: ", "))"
        }
    }
}
