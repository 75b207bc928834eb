import XML

/// The cell of an OpenDocument table that is being read.
struct TableCell {
    /// The number of columns with this cell.
    let repeats: Int
    private let reference: CellReference
    private let content: SheetRow.Cell.Content
    /// The text of a cell that has a value of its own; nil if its paragraphs are its text.
    private let value: String?
    /// The text that is taken if there are no paragraphs.
    private let substitute: String
    private var paragraphs = 0
    private var text: [UInt8] = []
    /// The offset of the present paragraph in the text.
    private var paragraphStart = 0
    /// Whether the text ends with white space that more of it does not make longer.
    private var isBehindSpace = false

    /// - Parameter reference: the place of the first of the cells.
    init(_ attributes: XMLAttributes, repeats: Int, _ reference: CellReference) throws(SpreadsheetError) {
        (self.repeats, self.reference) = (repeats, reference)
        let type = attributes["office:value-type"]
        let isNumber = type == "float" || type == "percentage" || type == "currency"
        content = isNumber ? .number(format: 0) : .text(isEscaped: false)
        substitute = attributes["office:string-value"] ?? ""
        // LibreOffice says in an extension that a cell has an error; by the standard it has a text.
        if attributes["calcext:value-type"] == "error" {
            value = ""
        } else if isNumber || type == "boolean" || type == "date" || type == "time" {
            guard let text = Self.value(attributes, type) else {
                throw .cell(reference.column, reference.row, "expected a value of the type \(type ?? "")")
            }
            value = text
        } else {
            value = nil
        }
    }

    private static func value(_ attributes: XMLAttributes, _ type: String?) -> String? {
        switch type {
        case "boolean": attributes["office:boolean-value"].flatMap { ["true", "false"].contains($0) ? $0 : nil }
        case "date": attributes["office:date-value"].flatMap { DateText.text(iso8601: $0) }
        case "time": attributes["office:time-value"].flatMap { DateText.text(duration: $0) }
        default: attributes["office:value"]
        }
    }

    mutating func startParagraph() throws(SpreadsheetError) {
        if paragraphs > 0 { try append(UInt8(ascii: "\n")) }
        paragraphs += 1
        // White space at the beginning is left out.
        isBehindSpace = true
        paragraphStart = text.count
    }

    /// Removes white space from the end of a paragraph.
    mutating func endParagraph() {
        if isBehindSpace, text.count > paragraphStart { text.removeLast() }
        isBehindSpace = false
    }

    /// Adds text of a paragraph, in which white space is one space.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SpreadsheetError) {
        guard value == nil else { return }
        for byte in bytes where !(byte.isXMLSpace && isBehindSpace) {
            isBehindSpace = byte.isXMLSpace
            text.append(isBehindSpace ? UInt8(ascii: " ") : byte)
        }
        try checkLength()
    }

    /// Adds a character that is an element in the file, so that it is kept everywhere.
    mutating func append(_ character: UInt8, count: Int = 1) throws(SpreadsheetError) {
        guard value == nil else { return }
        text.append(contentsOf: repeatElement(character, count: count))
        isBehindSpace = false
        try checkLength()
    }

    /// Adds the cell to its row, unless it is empty.
    func end(_ row: inout SheetRow) throws(SpreadsheetError) {
        let start = row.text.count
        if let value {
            try row.append(value.utf8, to: reference.column, from: start)
        } else if paragraphs == 0 {
            try row.append(substitute.utf8, to: reference.column, from: start)
        } else {
            try row.append(text, to: reference.column, from: start)
        }
        guard row.text.count > start else { return }
        try row.add(content, from: start, to: reference.column, repeats: repeats)
    }

    private func checkLength() throws(SpreadsheetError) {
        guard text.count <= 3 * SpreadsheetLimits.maxCellCharacters else {
            throw .longText(reference.column, reference.row)
        }
    }
}
