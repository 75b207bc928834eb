import Domain

struct Token: Equatable {
    enum Kind: Equatable {
        /// A keyword, a function or a property without quotes.
        case word(String)
        case quotedWord(String)
        case text(String)
        case number(Double)
        case symbol(String)
        case end
    }

    let kind: Kind
    /// The position of the first character, counted from 1.
    let position: Int
    /// The text of the token as written.
    let source: String
}

/// Splits CQL2 text into tokens.
struct Lexer {
    private let scalars: [Unicode.Scalar]
    private var index = 0

    private init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    static func tokens(of text: String) throws(ServiceError) -> [Token] {
        var lexer = Lexer(text)
        var tokens: [Token] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func next() throws(ServiceError) -> Token {
        while let scalar = current, scalar.properties.isWhitespace { index += 1 }
        let start = index
        guard let scalar = current else { return Token(kind: .end, position: start + 1, source: "the end") }
        let kind: Token.Kind =
            if scalar == "'" {
                .text(try quoted(by: "'", "a text"))
            } else if scalar == "\"" {
                .quotedWord(try quoted(by: "\"", "a property"))
            } else if Self.startsNumber(scalar) || scalar == "." {
                .number(try number())
            } else if Self.startsWord(scalar) {
                .word(word())
            } else {
                .symbol(try symbol())
            }
        return Token(kind: kind, position: start + 1, source: text(from: start))
    }

    private func text(from start: Int) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[start..<index])
        return String(text)
    }

    /// Reads a quoted text. A quote in it is doubled or, in a text literal, preceded by a backslash.
    private mutating func quoted(by quote: Unicode.Scalar, _ what: ErrorMessage) throws(ServiceError) -> String {
        let start = index
        var content = String.UnicodeScalarView()
        index += 1
        while let scalar = current {
            index += 1
            if scalar == quote {
                guard current == quote else { return String(content) }
                index += 1
            } else if scalar == "\\", quote == "'", current == "'" {
                index += 1
                content.append("'")
                continue
            } else if scalar == "\0" {
                throw Self.expected("a character other than NUL", at: index, found: "NUL")
            }
            content.append(scalar)
        }
        throw Self.expected(
            "\(quote) at the end of \(what)",
            at: index + 1,
            found: "the end (it starts at \(start + 1))"
        )
    }

    private mutating func number() throws(ServiceError) -> Double {
        let start = index
        skipDigits()
        if current == "." {
            index += 1
            skipDigits()
        }
        if current == "e" || current == "E" {
            index += 1
            if current == "+" || current == "-" { index += 1 }
            skipDigits()
        }
        // Letters directly after a number belong to it, so that `12abc` is an error.
        while let scalar = current, Self.continuesWord(scalar) { index += 1 }
        let written = text(from: start)
        guard let number = written.decimalNumber else {
            throw Self.expected("a number", at: start + 1, found: ErrorMessage(verbatim: written))
        }
        return number
    }

    private mutating func skipDigits() {
        while let scalar = current, Self.startsNumber(scalar) { index += 1 }
    }

    private mutating func word() -> String {
        let start = index
        while let scalar = current, Self.continuesWord(scalar) { index += 1 }
        return text(from: start)
    }

    private mutating func symbol() throws(ServiceError) -> String {
        let start = index
        index += 1
        let one = text(from: start)
        if let following = current, ["<>", "<=", ">="].contains(one + String(following)) {
            index += 1
            return text(from: start)
        }
        guard "()=<>+-*/^%,".contains(one) else {
            let shown: ErrorMessage =
                scalars[start].properties.generalCategory == .control
                ? "a control character" : ErrorMessage(verbatim: one)
            throw Self.expected("a value, an operator or a parenthesis", at: start + 1, found: shown)
        }
        return one
    }

    private static func startsNumber(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func startsWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == ":" || scalar.properties.isAlphabetic
    }

    private static func continuesWord(_ scalar: Unicode.Scalar) -> Bool {
        startsWord(scalar) || startsNumber(scalar) || scalar == "."
            || scalar.properties.generalCategory == .nonspacingMark
    }

    static func expected(_ what: ErrorMessage, at position: Int, found: ErrorMessage) -> ServiceError {
        .invalid("filter", "expected \(what) at character \(position), found \(found)")
    }
}
