/// Writes rows in the format of RFC 4180, in UTF-8.
///
/// A field that a spreadsheet would evaluate as a formula is prefixed with an apostrophe, unless this is disabled;
/// `CSVReader` removes it. Numbers are not changed.
package struct CSVWriter: Sendable {
    private let delimiter: UInt8
    private let guardsFormulas: Bool

    package init(delimiter: CSVDelimiter = .comma, guardsFormulas: Bool = true) {
        self.delimiter = delimiter.byte
        self.guardsFormulas = guardsFormulas
    }

    package func append(_ fields: [String], to bytes: inout [UInt8]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(delimiter) }
            append(guardsFormulas ? field.formulaGuarded : field, isOnly: fields.count == 1, to: &bytes)
        }
        bytes.append(contentsOf: [.carriageReturn, .lineFeed])
    }

    private func append(_ field: String, isOnly: Bool, to bytes: inout [UInt8]) {
        // A single empty field is quoted, because an empty line is not a row.
        guard field.needsQuotes || (isOnly && field.isEmpty) else {
            bytes.append(contentsOf: field.utf8)
            return
        }
        bytes.append(.quote)
        for byte in field.utf8 {
            if byte == .quote { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(.quote)
    }
}

extension String {
    /// Whether the field must be quoted. All delimiters count, because a spreadsheet with another setting would split
    /// the field there. So does a byte order mark, which would be lost at the beginning of a file.
    fileprivate var needsQuotes: Bool {
        utf8.contains { byte in
            byte == .quote || byte == .lineFeed || byte == .carriageReturn
                || CSVDelimiter.allCases.contains { $0.byte == byte }
        } || utf8.first == UInt8(ascii: " ") || utf8.last == UInt8(ascii: " ") || utf8.starts(with: [0xEF, 0xBB, 0xBF])
    }
}
