import Domain

/// The texts of cells, which need what the whole file has: shared texts, formats and the calendar.
struct CellTexts {
    var shared = SharedTexts()
    /// By the number of a cell's format.
    var formats: [NumberFormat] = []
    /// Whether day 0 is 1 January 1904.
    var is1904 = false

    /// Returns the texts of the cells up to the last one with a text; nil if the row has nothing but spaces.
    func texts(_ row: SheetRow) throws(SpreadsheetError) -> [String]? {
        var texts: [String] = []
        var (size, hasWords) = (0, false)
        for cell in row.cells {
            let text = try text(cell, row)
            guard !text.isEmpty else { continue }
            size += text.utf8.count
            guard size <= SpreadsheetLimits.maxRowBytes else { throw .longRow(row.number) }
            hasWords = hasWords || text.contains { !$0.isWhitespace }
            while texts.count < cell.column { texts.append("") }
            texts.append(text)
        }
        return hasWords ? texts : nil
    }

    private func text(_ cell: SheetRow.Cell, _ row: SheetRow) throws(SpreadsheetError) -> String {
        let value = String(decoding: row.text[cell.range], as: UTF8.self)
        let text: String?
        switch cell.content {
        case .text(let isEscaped):
            text = isEscaped ? value.unescapedCell : value
            guard
                value.utf8.count <= SpreadsheetLimits.maxCellCharacters
                    || value.utf16.count <= SpreadsheetLimits.maxCellCharacters
            else { throw .longText(cell.column, row.number) }
        case .shared:
            text = Int(value.trimmed).flatMap { shared[$0] }
        case .number(let format):
            text = number(value.trimmed, formats.indices.contains(format) ? formats[format] : .plain)
        case .boolean: text = ["1": "true", "0": "false", "true": "true", "false": "false"][value.trimmed]
        case .date: text = DateText.text(iso8601: String(value.trimmed))
        }
        guard let text else {
            throw .cell(cell.column, row.number, "\(cell.content.expectation), not \(value.prefix(40))")
        }
        return text
    }

    private func number(_ text: Substring, _ format: NumberFormat) -> String? {
        // No program shows such a value as a number.
        if ["nan", "inf", "-inf", "infinity", "-infinity"].contains(text.lowercased()) { return "" }
        guard let plain = DecimalText.plain(text.utf8) else { return text.isEmpty ? "" : nil }
        switch format {
        case .plain: return plain
        case .padded(let count):
            let isWhole = plain.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") }
            return isWhole ? String(repeating: "0", count: max(0, count - plain.utf8.count)) + plain : plain
        case .date(let parts):
            return Double(plain).flatMap { DateText.text(serial: $0, parts, is1904: is1904) } ?? plain
        }
    }
}

extension SheetRow.Cell.Content {
    fileprivate var expectation: ErrorMessage {
        switch self {
        case .text: "expected a text"
        case .shared: "expected the number of a shared text of the file"
        case .number: "expected a number"
        case .boolean: "expected a boolean"
        case .date: "expected a date or time"
        }
    }
}

extension String {
    var trimmed: Substring {
        let start = utf8.firstIndex { !$0.isXMLSpace } ?? endIndex
        let end = utf8.lastIndex { !$0.isXMLSpace }.map { utf8.index(after: $0) } ?? start
        return self[start..<end]
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isXMLSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
