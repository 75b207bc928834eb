/// Any JSON value, for input whose fields may be absent, null or of the wrong type.
package enum JSONValue: Equatable, Sendable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

/// An input field with its name, which error messages contain.
package struct Field: Sendable {
    package let name: String
    package let value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }

    package func invalid(_ expectation: ErrorMessage) -> ServiceError { .invalid(name, expectation) }

    /// Returns the trimmed text; nil for null or white space only. Throws if it contains control characters or is too
    /// long.
    package func text(atMost limit: Int, lines: Bool = false) throws(ServiceError) -> String? {
        switch value {
        case .null: return nil
        case .string(let raw):
            let text = String(raw.trimmed)
            let refused = text.unicodeScalars.contains {
                $0.properties.generalCategory == .control && !(lines && ($0 == "\n" || $0 == "\r" || $0 == "\t"))
            }
            guard !refused, raw.unicodeScalars.count <= limit else {
                throw invalid("expected text of at most \(limit) characters, without control characters")
            }
            return text.isEmpty ? nil : text
        default: throw invalid("expected text of at most \(limit) characters")
        }
    }

    package func number(orElse expectation: ErrorMessage) throws(ServiceError) -> Double? {
        switch value {
        case .null: return nil
        case .number(let number): return number
        default: throw invalid(expectation)
        }
    }

    package func flag() throws(ServiceError) -> Bool {
        switch value {
        case .null: return false
        case .bool(let flag): return flag
        default: throw invalid("expected true or false")
        }
    }

    /// Returns nil for null.
    package func choice<Choice>(_: Choice.Type) throws(ServiceError) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        if case .null = value { return nil }
        guard case .string(let raw) = value, let choice = Choice(rawValue: raw) else {
            throw invalid("expected one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    package func timestamp() throws(ServiceError) -> Timestamp? {
        if case .null = value { return nil }
        guard case .string(let raw) = value, let time = Timestamp(parsing: raw) else {
            throw invalid(Timestamp.expectation)
        }
        return time
    }
}

extension StringProtocol {
    package var trimmed: SubSequence {
        // Usual texts begin and end with visible ASCII characters, which need no look at Unicode properties.
        if let first = unicodeScalars.first, let last = unicodeScalars.last, first.isVisibleASCII, last.isVisibleASCII {
            return self[...]
        }
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}

extension Unicode.Scalar {
    fileprivate var isVisibleASCII: Bool { (0x21...0x7E).contains(value) }
}
