import XML

/// Turns the elements of a worksheet into rows, up to the end of its cells.
final class WorksheetHandler: RowHandler {
    var rows: [SheetRow] = []
    private(set) var isDone = false
    private(set) var isSheet = false
    /// With its colon.
    private var prefix = ""
    /// The number of levels that are `worksheet`, `sheetData`, `row` and `c`, each in the one before.
    private var level = 0
    private var row = SheetRow(0)
    private var lastRow = 0
    private var column = -1
    private var cell: Cell?
    private var isValue = false
    private var inline = TextPath()

    /// The cell that is being read.
    private struct Cell {
        enum Kind {
            case content(SheetRow.Cell.Content)
            case error
        }

        var kind: Kind
        var isInline = false
        /// The offset of its text in that of the row.
        let start: Int
    }

    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws {
        guard !isDone else { return }
        if depth == 1 { try startSheet(name) }
        guard let name = name.withoutPrefix(prefix) else { return }
        if depth > 4 { return startPart(name, depth: depth) }
        guard level == depth - 1 else { return }
        switch (depth, name) {
        case (2, "sheetData"): level = 2
        case (3, "row"):
            level = 3
            try startRow(attributes)
        case (4, "c"):
            level = 4
            try startCell(attributes)
        default: break
        }
    }

    func end(depth: Int) throws {
        isValue = false
        if depth >= 5 { inline.end(depth: depth - 5) }
        guard !isDone, level == depth else { return }
        level -= 1
        switch depth {
        case 1, 2: isDone = true
        case 3: try endRow()
        default: try endCell()
        }
    }

    func text(_ text: UnsafeRawBufferPointer) throws {
        guard let cell, isValue || inline.isText else { return }
        try row.append(text, to: column, from: cell.start)
    }

    private func startSheet(_ name: String) throws(SpreadsheetError) {
        let local = name.localName
        guard local == "worksheet" else { throw .isOther }
        prefix = String(name.dropLast(local.count))
        (level, isSheet) = (1, true)
    }

    /// Begins the value of a cell, its own text, or a part of the latter.
    private func startPart(_ name: String, depth: Int) {
        isValue = false
        guard level == 4, let cell else { return }
        inline.start(name, depth: depth - 5, container: "is")
        if depth == 5, name == "is" {
            row.dropText(from: cell.start)
            self.cell?.isInline = true
            self.cell?.kind = .content(.text(isEscaped: true))
        }
        isValue = depth == 5 && name == "v" && !cell.isInline
    }

    private func startRow(_ attributes: XMLAttributes) throws(SpreadsheetError) {
        row = SheetRow(0)
        column = -1
        if let text = attributes["r"] {
            guard let number = Int(text) else { throw .row(lastRow + 1, "expected a number, not \(text.prefix(20))") }
            try setNumber(number)
        }
    }

    private func setNumber(_ number: Int) throws(SpreadsheetError) {
        guard number > lastRow, number <= SpreadsheetLimits.maxRows else {
            throw .row(number, "expected rows in order, up to \(SpreadsheetLimits.maxRows)")
        }
        row.number = number
        lastRow = number
    }

    private func startCell(_ attributes: XMLAttributes) throws(SpreadsheetError) {
        column += 1
        if let text = attributes["r"] {
            guard let reference = CellReference(text) else {
                throw .row(
                    row.number == 0 ? lastRow + 1 : row.number, "expected a cell like B7, not \(text.prefix(20))")
            }
            if row.number == 0 { try setNumber(reference.row) }
            guard reference.row == row.number else {
                throw .row(row.number, "expected its own cells, not \(reference)")
            }
            column = reference.column
        } else if row.number == 0 {
            try setNumber(lastRow + 1)
        }
        cell = Cell(kind: Self.kind(attributes), start: row.text.count)
    }

    private static func kind(_ attributes: XMLAttributes) -> Cell.Kind {
        switch attributes["t"] {
        case "s": .content(.shared)
        case "str", "inlineStr": .content(.text(isEscaped: true))
        case "b": .content(.boolean)
        case "d": .content(.date)
        case "e": .error
        default: .content(.number(format: attributes["s"].flatMap { Int($0) } ?? 0))
        }
    }

    private func endCell() throws(SpreadsheetError) {
        guard let cell else { return }
        self.cell = nil
        guard case .content(let content) = cell.kind, row.text.count > cell.start else {
            return row.dropText(from: cell.start)
        }
        try row.add(content, from: cell.start, to: column)
    }

    private func endRow() throws(SpreadsheetError) {
        if row.number == 0 { try setNumber(lastRow + 1) }
        guard !row.cells.isEmpty else { return }
        try row.sort()
        rows.append(row)
    }
}

extension String {
    /// Nil if the name has another prefix.
    fileprivate func withoutPrefix(_ prefix: String) -> String? {
        if prefix.isEmpty { return self }
        return hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
