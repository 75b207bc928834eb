import CLibPQ

extension PostgresConnection {
    /// Writes rows by a statement `COPY ... FROM STDIN`, in its text format.
    func copy(_ sql: String, _ rows: [[SQLValue]]) throws {
        var text: [UInt8] = []
        for row in rows { row.appendCopyLine(to: &text) }
        try copy(sql, text)
    }
}

/// The text format of COPY: https://www.postgresql.org/docs/15/sql-copy.html
extension [SQLValue] {
    fileprivate func appendCopyLine(to text: inout [UInt8]) {
        for (number, value) in enumerated() {
            if number > 0 { text.append(UInt8(ascii: "\t")) }
            value.appendCopyText(to: &text)
        }
        text.append(UInt8(ascii: "\n"))
    }
}

extension SQLValue {
    fileprivate func appendCopyText(to text: inout [UInt8]) {
        switch self {
        case .integer(let number): text += "\(number)".utf8
        case .real(let number): text += number.postgresText.utf8
        case .text(let content): for byte in content.utf8 { Self.appendEscaped(byte, to: &text) }
        case .blob(let bytes):
            text += #"\\x"#.utf8
            for byte in bytes { text += [Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]] }
        case .null: text += #"\N"#.utf8
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func appendEscaped(_ byte: UInt8, to text: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\\"): text += #"\\"#.utf8
        case UInt8(ascii: "\n"): text += #"\n"#.utf8
        case UInt8(ascii: "\r"): text += #"\r"#.utf8
        case UInt8(ascii: "\t"): text += #"\t"#.utf8
        default: text.append(byte)
        }
    }
}
