import XML

/// Turns the elements of an OpenDocument spreadsheet into the rows of one table. The names have the prefixes that the
/// standard uses, as all programs write them.
final class TableHandler: RowHandler {
    enum Task {
        /// Finds the first visible table with two rows. There are no rows to take.
        case choosing
        /// Reads the table with this number, counted from 1, hidden ones included.
        case reading(Int)
    }

    private enum Level {
        case document, styles, body, spreadsheet, table, row, cell, paragraph
        case style(String)
    }

    private static let maxHiddenStyles = 10_000
    /// Where the numbers of rows and columns stop, far behind those that may have texts.
    private static let maxPosition = 1 << 30

    var rows: [SheetRow] = []
    private(set) var isDone = false
    private(set) var isSheet = false
    /// The table that was chosen, with its number.
    private(set) var choice: (number: Int, name: String)?
    private let task: Task
    private var levels: [Level] = []
    /// The depth of an element that is passed over with everything in it.
    private var skipped: Int?
    private var hiddenStyles: Set<String> = []
    private var rowNumber = 0
    private var row = SheetRow(1)
    private var column = 0
    private var cell: TableCell?
    /// The present table, with its number.
    private var table = (number: 0, name: "")
    /// The rows with texts of the present table, if one is to be chosen.
    private var filledRows = 0

    init(_ task: Task) { self.task = task }

    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws {
        guard !isDone, skipped == nil else { return }
        if let level = try level(name, attributes) { levels.append(level) } else { skipped = depth }
    }

    func end(depth: Int) throws {
        guard !isDone else { return }
        if let skipped {
            if depth == skipped { self.skipped = nil }
            return
        }
        guard let level = levels.popLast() else { return }
        switch level {
        case .spreadsheet: isDone = true
        case .table: if case .spreadsheet? = levels.last { endTable() }
        case .row: try endRow()
        case .cell: try cell?.end(&row)
        case .paragraph: if case .cell? = levels.last { cell?.endParagraph() }
        case .document, .styles, .style, .body: break
        }
    }

    func text(_ text: UnsafeRawBufferPointer) throws {
        guard !isDone, skipped == nil, case .paragraph? = levels.last else { return }
        try cell?.append(text)
    }

    /// Returns nil for an element that is passed over.
    private func level(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError) -> Level? {
        switch (levels.last, name) {
        case (nil, "office:document-content"): return .document
        case (nil, _): throw .isOther
        case (.document, "office:automatic-styles"): return .styles
        case (.document, "office:body"): return .body
        case (.styles, "style:style") where attributes["style:family"] == "table":
            return attributes["style:name"].map(Level.style)
        case (.style(let style), "style:table-properties") where attributes["table:display"] == "false":
            try hide(style)
        case (.body, "office:spreadsheet"):
            isSheet = true
            return .spreadsheet
        case (.body, _): throw .isOther
        case (.spreadsheet, "table:table"): return try startTable(attributes)
        case (.table, "table:table-row-group"), (.table, "table:table-header-rows"), (.table, "table:table-rows"):
            return .table
        case (.table, "table:table-row"): return try startRow(attributes)
        case (.row, "table:table-cell"): return try startCell(attributes)
        // A cell below another one that is merged may still have its own text.
        case (.row, "table:covered-table-cell"):
            column = min(column + (try repeats(attributes["table:number-columns-repeated"])), Self.maxPosition)
        case (.cell, "text:p"):
            try cell?.startParagraph()
            return .paragraph
        case (.paragraph, _): return try startPart(name, attributes)
        default: break
        }
        return nil
    }

    private func hide(_ style: String) throws(SpreadsheetError) {
        hiddenStyles.insert(style)
        guard hiddenStyles.count <= Self.maxHiddenStyles else {
            throw .damaged(OpenDocument.part, "expected at most \(Self.maxHiddenStyles) hidden styles")
        }
    }

    private func startTable(_ attributes: XMLAttributes) throws(SpreadsheetError) -> Level? {
        table = (table.number + 1, attributes["table:name"] ?? "")
        guard table.number <= SpreadsheetLimits.maxListedSheets else {
            throw SpreadsheetError(message: "expected at most \(SpreadsheetLimits.maxListedSheets) sheets")
        }
        (rowNumber, filledRows) = (0, 0)
        if case .reading(let number) = task { return number == table.number ? .table : nil }
        if let style = attributes["table:style-name"], hiddenStyles.contains(style) { return nil }
        if choice == nil { choice = table }
        return .table
    }

    private func endTable() {
        if case .reading = task { isDone = true }
    }

    private func startRow(_ attributes: XMLAttributes) throws(SpreadsheetError) -> Level {
        row = SheetRow(rowNumber + 1)
        row.count = try repeats(attributes["table:number-rows-repeated"])
        column = 0
        return .row
    }

    private func endRow() throws(SpreadsheetError) {
        // A file says that the rest of a sheet is empty rows.
        rowNumber = min(rowNumber + row.count, Self.maxPosition)
        guard !row.cells.isEmpty else { return }
        guard rowNumber <= SpreadsheetLimits.maxRows else {
            throw .row(rowNumber, "expected at most \(SpreadsheetLimits.maxRows) rows")
        }
        guard case .choosing = task else { return rows.append(row) }
        guard try CellTexts().texts(row) != nil else { return }
        filledRows += row.count
        guard filledRows >= 2 else { return }
        (choice, isDone) = (table, true)
    }

    private func startCell(_ attributes: XMLAttributes) throws(SpreadsheetError) -> Level {
        let count = try repeats(attributes["table:number-columns-repeated"])
        cell = try TableCell(attributes, repeats: count, CellReference(column: column, row: row.number))
        column = min(column + count, Self.maxPosition)
        return .cell
    }

    /// Returns a level for a part of a paragraph with words of the paragraph in it.
    private func startPart(_ name: String, _ attributes: XMLAttributes) throws(SpreadsheetError) -> Level? {
        switch name {
        case "text:s":
            let count = attributes["text:c"].flatMap { Int($0) } ?? 1
            let spaces = min(max(count, 0), SpreadsheetLimits.maxCellCharacters + 1)
            try cell?.append(UInt8(ascii: " "), count: spaces)
        case "text:tab": try cell?.append(UInt8(ascii: "\t"))
        case "text:line-break": try cell?.append(UInt8(ascii: "\n"))
        // How words are pronounced, and footnotes.
        case "text:ruby-text", "text:note": break
        default: return name.hasPrefix("text:") ? .paragraph : nil
        }
        return nil
    }

    private func repeats(_ text: String?) throws(SpreadsheetError) -> Int {
        guard let text else { return 1 }
        guard let count = Int(text), count > 0, count <= Self.maxPosition else {
            throw .row(
                min(rowNumber + 1, SpreadsheetLimits.maxRows),
                "expected a number of repetitions, not \(text.prefix(20))"
            )
        }
        return count
    }
}
