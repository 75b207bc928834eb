/// Writes rows as RFC 4180 has them, in UTF-8.
///
/// A field that a spreadsheet would run as a formula gets an apostrophe in front, unless told otherwise; `CSVReader`
/// takes it away again. Numbers stay as they are.
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
        // A line with nothing on it would be no row at all.
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
    /// Any delimiter counts, not only the file's: a spreadsheet set to another one would split the field there. So does
    /// the byte order mark, which at the beginning of a file would be taken for one.
    fileprivate var needsQuotes: Bool {
        utf8.contains { byte in
            byte == .quote || byte == .lineFeed || byte == .carriageReturn
                || CSVDelimiter.allCases.contains { $0.byte == byte }
        } || utf8.first == UInt8(ascii: " ") || utf8.last == UInt8(ascii: " ") || utf8.starts(with: [0xEF, 0xBB, 0xBF])
    }
}
